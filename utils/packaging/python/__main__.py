"""python -m tilec: tells where the files of the wheel are."""

import argparse

import tilec


def main():
    parser = argparse.ArgumentParser(prog="python -m tilec", description="Tells where the files of tilec are.")
    folders = parser.add_mutually_exclusive_group(required=True)
    for option, folder, text in (
            ("--cmake-dir", tilec.cmake_dir, "print the folder of the CMake package, for CMAKE_PREFIX_PATH"),
            ("--pkgconfig-dir", tilec.pkgconfig_dir, "print the folder of the .pc files, for PKG_CONFIG_PATH"),
            ("--include-dir", tilec.include_dir, "print the folder of the headers"),
            ("--prefix", tilec.prefix, "print the folder of bin, include and lib")):
        folders.add_argument(option, dest="folder", action="store_const", const=folder, help=text)
    parser.add_argument("--version", action="version", version="tilec " + tilec.__version__)
    print(parser.parse_args().folder())


if __name__ == "__main__":
    main()
