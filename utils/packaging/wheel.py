#!/usr/bin/env python3
"""Makes a wheel of an installation, as utils/package.sh does.

A wheel is a zip file of a known layout: the package, and a folder of metadata with a list of all files. It
holds no links, so of libtilec.so's three names one is the file, its SONAME; the linker gets a script that
names it, and the CMake package is told.
"""

import argparse
import base64
import hashlib
import os
import re
import sys
import time
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tilec
Version: {version}
Summary: {summary}
License: Apache-2.0 WITH LLVM-exception
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Topic :: Software Development :: Compilers
Requires-Python: >=3.7
Description-Content-Type: text/markdown

tilec compiles GPU kernels written in Triton's kernel language to PTX, and to objects for programs in C and
C++. This wheel holds the commands `tilec` and `tilec-run`, the language server `tilec-lsp`, the library libtilec,
the host runtime, the headers and the CMake package. Python starts the commands and takes no part in what they do.

    cmake -B build -DCMAKE_PREFIX_PATH="$(python -m tilec --cmake-dir)"
"""
ENTRY_POINTS = """[console_scripts]
tilec = tilec:run_tilec
tilec-run = tilec:run_tilec_run
tilec-lsp = tilec:run_tilec_lsp
"""
TAG = "py3-none-manylinux_2_28_x86_64"


def fail(message):
    sys.exit("error: " + message)


def library_files(prefix):
    """Text that replaces files of the installation, by path, and the names under which others are packed."""
    folder = os.path.join(prefix, "lib")
    versioned = [name for name in os.listdir(folder)
                 if re.fullmatch(r"libtilec\.so\.[0-9.]+", name) and not os.path.islink(os.path.join(folder, name))]
    if len(versioned) != 1:
        fail("one libtilec.so.VERSION was expected in %s, found %d" % (folder, len(versioned)))
    links = sorted(name for name in os.listdir(folder)
                   if os.path.islink(os.path.join(folder, name)) and name != "libtilec.so")
    if len(links) != 1:
        fail("one link to %s beside libtilec.so was expected in %s" % (versioned[0], folder))
    soname = links[0]
    texts = {"lib/libtilec.so": "/* The library, for linkers. */\nINPUT(%s)\n" % soname, "lib/" + soname: None}
    cmake = os.path.join(folder, "cmake", "tilec")
    changed = 0
    for name in os.listdir(cmake):
        with open(os.path.join(cmake, name)) as file:
            text = file.read()
        if versioned[0] in text:
            texts["lib/cmake/tilec/" + name] = text.replace(versioned[0], soname)
            changed += 1
    if not changed:
        fail("no file in %s names %s" % (cmake, versioned[0]))
    return texts, {"lib/" + versioned[0]: "lib/" + soname}


def package_files(prefix, python, version):
    """Pairs of a name in the wheel and its contents: bytes, or the path of a file."""
    yield "tilec/_version.py", ('__version__ = "%s"\n' % version).encode()
    for name in ("__init__.py", "__main__.py"):
        yield "tilec/" + name, os.path.join(python, name)
    texts, renamed = library_files(prefix)
    for folder, folders, names in os.walk(prefix):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, prefix)
            if relative in texts:
                if texts[relative] is not None:
                    yield "tilec/data/" + relative, texts[relative].encode()
                continue
            if os.path.islink(path):
                fail("a wheel holds no links, and nothing is known of %s" % relative)
            yield "tilec/data/" + renamed.get(relative, relative), path


class Wheel:
    """A wheel that is being written, and the list of its files."""

    def __init__(self, path, level, date):
        self.zip = zipfile.ZipFile(path, "w")
        self.level = level
        self.date = time.gmtime(max(date, 315532800))[:6]  # The years of zip files begin in 1980.
        self.record = []

    def add(self, name, contents):
        mode = 0o644
        if not isinstance(contents, bytes):
            if os.access(contents, os.X_OK):
                mode = 0o755
            with open(contents, "rb") as file:
                contents = file.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d\n" % (name, digest, len(contents)))
        info = zipfile.ZipInfo(name, self.date)
        info.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(info, contents, zipfile.ZIP_DEFLATED, self.level)

    def close(self, metadata):
        name = metadata + "/RECORD"
        self.record.append(name + ",,\n")
        info = zipfile.ZipInfo(name, self.date)
        info.external_attr = 0o100644 << 16
        self.zip.writestr(info, "".join(self.record))
        self.zip.close()


def main():
    parser = argparse.ArgumentParser(description="Makes a wheel of an installation.")
    parser.add_argument("prefix", help="folder of bin, include and lib")
    parser.add_argument("--version", required=True, help="version of tilec")
    parser.add_argument("--summary", required=True, help="what tilec does, one line")
    parser.add_argument("--out", default=".", help="folder for the wheel")
    parser.add_argument("--level", type=int, default=9, help="compression, 0 to 9")
    parser.add_argument("--date", type=int, default=0, help="time of all files, in seconds since 1970")
    arguments = parser.parse_args()
    python = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python")
    path = os.path.join(arguments.out, "tilec-%s-%s.whl" % (arguments.version, TAG))
    wheel = Wheel(path, arguments.level, arguments.date)
    for name, contents in package_files(arguments.prefix, python, arguments.version):
        wheel.add(name, contents)
    metadata = "tilec-%s.dist-info" % arguments.version
    wheel.add(metadata + "/METADATA",
              METADATA.format(version=arguments.version, summary=arguments.summary).encode())
    wheel.add(metadata + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: tilec %s\nRoot-Is-Purelib: false\nTag: %s\n"
                                    % (arguments.version, TAG)).encode())
    wheel.add(metadata + "/entry_points.txt", ENTRY_POINTS.encode())
    wheel.close(metadata)
    print(path)


if __name__ == "__main__":
    main()
