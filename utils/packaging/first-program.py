#!/usr/bin/env python3
"""Writes the files of the first program of a page, docs/embedding.md, into a folder.

Each is a fenced block whose first line is a comment with the file's name, `# scale.py`.
"""

import argparse
import os
import re
import sys

NAMES = ("scale.py", "CMakeLists.txt", "hello.cpp")


def main():
    parser = argparse.ArgumentParser(description="Writes the files of the first program of docs/embedding.md.")
    parser.add_argument("page")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    with open(arguments.page) as file:
        blocks = re.findall(r"^```\w+\n((?:#|//) (\S+)\n.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    files = {}
    for text, name in blocks:
        files.setdefault(name, text)
    missing = [name for name in NAMES if name not in files]
    if missing:
        sys.exit("error: %s does not have %s" % (arguments.page, ", ".join(missing)))
    os.makedirs(arguments.folder, exist_ok=True)
    for name in NAMES:
        with open(os.path.join(arguments.folder, name), "w") as file:
            file.write(files[name])


if __name__ == "__main__":
    main()
