#!/usr/bin/env python3
"""Names the error messages in source folders that no test mentions.

    utils/error-coverage.py [--tests=DIR ..] [--least=PERCENT] lib tools ..

A message is known by the longest piece of literal text in the call that reports it (error, emitError,
makeError, fail ..) or in a statement that composes `message`, `reason` or `problem`; values printed by
printf divide a text. It is covered when a file below one of the test folders contains that piece, of
which a test may leave out the last third, or when the part of a message that a conformance test expects
(`#! part`) is in it. Internal errors do not count. The exit status is 1 when fewer than PERCENT
(default: 100) of the messages are covered.
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A call that reports, or one that streams the text into what it returns.
CALL = re.compile(r"\b(?:error(?:At|With\w+)?|warning|fail(?:If)?|\w+Error|reportError|report|reject\w*)\(")
NO_CALL = re.compile(r"\b(?:take|consume|to|get|as|is|has|note)Error\($")
STREAM = re.compile(r"\bemit(?:Op)?Error\($")
COMPOSED = re.compile(r"\b(?:message|reason|problem)\s*\+?=\s")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NEIGHBOURS = re.compile(r'(?<!\\)"\s*\n?\s+"')
PRINTF = re.compile(r"%(?:[-+ 0]*[0-9.*]*(?:ll|l|z)?[a-zA-Z]|%)")
SOURCES = (".cpp", ".h", ".td")
TESTS = (".mlir", ".py", ".test", ".cpp", ".h", ".c")


def files_below(folder, suffixes):
    if os.path.isfile(folder):
        yield folder
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(suffixes):
                yield os.path.join(path, name)


def end_of(text, start, stop_at):
    """Where the bracket that opens before `start` is closed; or, if that comes first, one of
    `stop_at` outside of brackets."""
    depth, inside_string, position = 0, False, start
    while position < len(text):
        c = text[position]
        if inside_string:
            if c == "\\":
                position += 1
            inside_string = c != '"'
        elif c == '"':
            inside_string = True
        elif text.startswith("'\"'", position):
            position += 2
        elif c in "([":
            depth += 1
        elif c in ")]" and depth > 0:
            depth -= 1
        elif c in ")]" or (depth == 0 and c in stop_at):
            return position
        position += 1
    return position


def unescape(literal):
    return literal.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def longest_text(source):
    pieces = []
    for literal in LITERAL.findall(source):
        pieces += PRINTF.split(unescape(literal))
    pieces = [piece.strip(" \n'\":;,()") for piece in pieces]
    return max(pieces, key=len, default="")


def without_comments(text):
    """The same text with blanks in place of comments, so that places stay the same."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*',
                  lambda found: found.group() if found.group()[0] == '"' else " " * len(found.group()), text)


def messages(path):
    """(line, text) of everything in the file that reports an error."""
    with open(path, encoding="utf-8") as file:
        text = without_comments(file.read())
    done = 0
    found_all = sorted(list(CALL.finditer(text)) + list(COMPOSED.finditer(text)), key=lambda found: found.start())
    for found in found_all:
        call = found.group()
        if found.start() < done or NO_CALL.search(call):
            continue
        is_statement = bool(STREAM.search(call) or COMPOSED.match(call))
        start = found.start() if STREAM.search(call) else found.end()
        end = end_of(text, start, ";{" if is_statement else "{")
        if '"internal error' in text[start:end]:
            continue  # A defect of tilec, which no known input provokes.
        # Neighbouring literals are one.
        longest = longest_text(NEIGHBOURS.sub("", text[start:end]))
        # What is short is a word of a message, an option or a name.
        if len(longest) >= 8 and " " in longest:
            done = end
            yield text.count("\n", 0, found.start()) + 1, longest


def needed_part(text):
    """What a test must have of a message: whole words, two thirds of it."""
    end = text.find(" ", max(12, len(text) * 2 // 3))
    return text if end < 0 else text[:end]


def read_tests(folders):
    """The text of all tests, and the parts of messages that conformance tests expect."""
    corpus, parts = [], set()
    for folder in folders:
        for path in files_below(folder, TESTS):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if path.endswith((".cpp", ".h", ".c")):
                text = unescape(NEIGHBOURS.sub("", text))
            parts.update(part.strip() for part in re.findall(r"#!(.*)", text))
            corpus.append(re.sub(r"\{\{(?:\\(.))\}\}", r"\1", text))
    return "\n".join(corpus), {part for part in parts if len(part) >= 12}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", action="append", help="default: test and unittests")
    parser.add_argument("--least", type=float, default=100, help="percent; default: 100")
    parser.add_argument("folders", nargs="+", help="folders or files")
    arguments = parser.parse_args()
    corpus, parts = read_tests(arguments.tests or [os.path.join(ROOT, "test"), os.path.join(ROOT, "unittests")])
    covered = 0
    missing = []
    for folder in arguments.folders:
        for path in files_below(folder, SOURCES):
            for line, text in messages(path):
                if needed_part(text) in corpus or any(part in text for part in parts):
                    covered += 1
                else:
                    missing.append("%s:%d: %s" % (os.path.relpath(path, ROOT), line, text))
    for text in missing:
        print("no test has " + text)
    total = covered + len(missing)
    if total == 0:
        raise SystemExit("error: no error message was found in " + " ".join(arguments.folders))
    print("%d of %d error messages are tested" % (covered, total))
    return 1 if covered * 100 < total * arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
