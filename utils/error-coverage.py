#!/usr/bin/env python3
"""Names the error messages in source folders that no test mentions.

    utils/error-coverage.py [--tests=DIR ..] lib/Dialect lib/Conversion/TileToGPU ..

A message is known by the longest string literal in the statement that reports it (emitError,
emitOpError, emitter.emitError). It is covered when a file below one of the test folders contains that
text. The exit status is 1 when one is not covered.
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPORT = re.compile(r"\bemit(?:Op)?Error\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
SOURCES = (".cpp", ".h", ".td")


def files_below(folder, suffixes):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.join(path, name)


def statement_at(text, start):
    """From `start` to the end of the statement or of the definition of a lambda's parameters."""
    inside_string = False
    for position in range(start, len(text)):
        if text[position] == '"' and text[position - 1] != "\\":
            inside_string = not inside_string
        if not inside_string and text[position] in ";{":
            return text[start:position]
    return text[start:]


def messages(path):
    """(line, longest literal) of every statement that reports an error."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for found in REPORT.finditer(text):
        # Neighbouring literals are one.
        statement = re.sub(r'"\s+"', "", statement_at(text, found.start()))
        literals = [literal.replace('\\"', '"') for literal in LITERAL.findall(statement)]
        if literals:
            yield text.count("\n", 0, found.start()) + 1, max(literals, key=len).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", action="append", help="default: test and unittests")
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    tests = arguments.tests or [os.path.join(ROOT, "test"), os.path.join(ROOT, "unittests")]
    corpus = ""
    for folder in tests:
        for path in files_below(folder, (".mlir", ".py", ".test", ".cpp")):
            with open(path, encoding="utf-8", errors="replace") as file:
                corpus += file.read()
    covered = 0
    missing = []
    for folder in arguments.folders:
        for path in files_below(folder, SOURCES):
            for line, text in messages(path):
                if text in corpus:
                    covered += 1
                else:
                    missing.append("%s:%d: %s" % (os.path.relpath(path, ROOT), line, text))
    for text in missing:
        print("no test has " + text)
    total = covered + len(missing)
    if total == 0:
        raise SystemExit("error: no error message was found in " + " ".join(arguments.folders))
    print("%d of %d error messages are tested" % (covered, total))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
