#!/usr/bin/env python3
"""Writes docs/diagnostics.md, a list of the messages in the sources, and pages of docs/diagnostics with their causes.

    utils/gen-diagnostics.py [--check] [--root=DIR]

A message is known by the longest piece of it that is always the same, as utils/error-coverage.py finds it. Its
example is from a test: the text that the test expects, and the line of a kernel at which it does. A piece that is a
part of several messages has none. Its cause and what to do are in utils/diagnostics/*.txt; a message without them is
an error, as are texts without a message. With --check nothing is written: a page that differs from what would be
written is an error.
"""

import argparse
import difflib
import glob
import importlib.util
import os
import sys

sys.dont_write_bytecode = True

from diagnostics.entries import match_entries, read_entries  # noqa: E402
from diagnostics.examples import LEAST, find_example, read_examples  # noqa: E402
from diagnostics.layout import (  # noqa: E402
    Message, Source, pages_of, set_anchors, title_of, write_index, write_page)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def load_coverage():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "error-coverage.py")
    spec = importlib.util.spec_from_file_location("error_coverage", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_pieces(coverage, root):
    """For each source the messages, each once and in their order, with their lines."""
    sources = {}
    for folder in ("lib", "tools"):
        for path in sorted(coverage.files_below(os.path.join(root, folder), coverage.SOURCES)):
            lines = {}
            for line, piece in coverage.messages(path):
                if len(piece) >= LEAST:
                    lines.setdefault(piece, line)
            if lines:
                sources[os.path.relpath(path, root)] = lines
    return sources


class Tests:
    """What is known of a message from tests."""

    def __init__(self, coverage, root, pieces):
        self.coverage, self.root, self.pieces = coverage, root, pieces
        self.examples = read_examples(
            coverage.files_below(os.path.join(root, "test"), (".py", ".test", ".mlir")))
        self.texts = [(path, coverage.unescape(coverage.NEIGHBOURS.sub("", read(path))))
                      for folder in ("unittests", "test")
                      for path in coverage.files_below(os.path.join(root, folder), coverage.TESTS)]

    def of(self, piece):
        """The example, and the name of the test; None where there is none."""
        example = find_example(piece, self.examples, self.pieces)
        # A test may leave out the end of a message.
        wanted = self.coverage.needed_part(piece)
        path = example.path if example else next((path for path, text in self.texts if wanted in text), None)
        return example, os.path.relpath(path, self.root) if path else None


def make_pages(root):
    """The text of each page, and what is wrong with the causes."""
    coverage = load_coverage()
    pieces = read_pieces(coverage, root)
    groups = list(pages_of(list(pieces)))
    listed = {name: pieces[name] for _, _, pages in groups for _, _, names in pages for name in names}
    if not listed:
        raise SystemExit("error: no error message was found below " + root)
    entries, problems = read_entries(os.path.join(root, "utils", "diagnostics"), root)
    if problems:
        return {}, problems
    entry_of, problems = match_entries(entries, listed)
    if problems:
        return {}, problems
    tests = Tests(coverage, root, [piece for lines in pieces.values() for piece in lines])
    sources = {}
    for name, lines in listed.items():
        text = read(os.path.join(root, name))
        literals = coverage.unescape(coverage.NEIGHBOURS.sub("", text))
        sources[name] = Source(name, text, [
            Message(piece, title_of(piece, literals), entry_of[name, piece], *tests.of(piece)) for piece in lines])
    made = {}
    for _, _, pages in groups:
        for page, title, names in pages:
            here = [sources[name] for name in names]
            set_anchors(here)
            made[os.path.join("docs", "diagnostics", page + ".md")] = write_page(title, here)
    made[os.path.join("docs", "diagnostics.md")] = write_index(groups, sources)
    return made, []


def compare(root, made, old):
    """Whether all pages are as they would be written; prints what differs."""
    same = True
    for name in sorted({*made, *old}):
        text = read(os.path.join(root, name)) if name in old else ""
        if name not in made:
            print("error: no message is for %s; run utils/gen-diagnostics.py" % name)
        elif text != made[name]:
            sys.stdout.writelines(difflib.unified_diff(
                text.splitlines(True), made[name].splitlines(True), name, name + " (generated)", n=0))
            print("error: %s is stale; run utils/gen-diagnostics.py" % name)
        else:
            continue
        same = False
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--root", default=ROOT, help="the repository")
    arguments = parser.parse_args()
    root = os.path.abspath(arguments.root)
    made, problems = make_pages(root)
    for problem in problems:
        print("error: " + problem, file=sys.stderr)
    if problems:
        return 1
    old = {os.path.relpath(path, root) for path in glob.glob(os.path.join(root, "docs", "diagnostics", "*.md"))}
    if os.path.exists(os.path.join(root, "docs", "diagnostics.md")):
        old.add(os.path.join("docs", "diagnostics.md"))
    if arguments.check:
        return 0 if compare(root, made, old) else 1
    os.makedirs(os.path.join(root, "docs", "diagnostics"), exist_ok=True)
    for name in old - set(made):
        os.remove(os.path.join(root, name))
    for name, text in made.items():
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
