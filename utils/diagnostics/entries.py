"""Reads the causes and remedies of messages: the text files beside this one.

    # A comment at the top, which says what the file is about.

    source: lib/Dir/File.cpp
    message: the piece of the message that is always the same
    message: a piece of another message with the same cause
    cause: Why the rule exists, or what leads here.
    remedy: What to write instead; a line that begins with four spaces
        continues the one before.

A blank line ends an entry. `source` is for a message that several sources have, each for a reason of its own; an entry
without it is about the message in all of them.
"""

import difflib
import glob
import os

COLUMNS = 120
KEYS = ("source", "message", "cause", "remedy")
EXPECTED = "expected a text after one of 'source:', 'message:', 'cause:' or 'remedy:', found '%s'"


class Entry:
    def __init__(self, path, line):
        self.path, self.line = path, line
        # (piece, line) of each message; and the text of each other key.
        self.messages, self.texts = [], {}

    @property
    def source(self):
        return self.texts.get("source")


class Reader:
    """Reads one file. What is wrong goes to `problems`, with its place."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self.entries, self.problems = [], []
        self.entry, self.key = None, None

    def problem(self, line, text):
        self.problems.append("%s:%d: %s" % (self.name, line, text))

    def read(self):
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS:
                self.problem(number, "the line has %d columns, more than %d" % (len(line), COLUMNS))
            if not line.strip():
                self.end_entry()
            elif line.startswith("    "):
                self.continue_text(number, line.strip())
            elif self.entries or self.entry or not line.startswith("#"):
                self.start_text(number, line)
        self.end_entry()
        return self

    def start_text(self, number, line):
        key, _, text = line.partition(":")
        text, self.key = text.strip(), None
        if key not in KEYS or not text:
            self.problem(number, EXPECTED % line[:40])
            return
        if self.entry is None:
            self.entry = Entry(self.name, number)
        if key == "message":
            self.entry.messages.append((text, number))
        elif key in self.entry.texts:
            self.problem(number, "the entry has a second '%s:'; a blank line begins another" % key)
            return
        else:
            self.entry.texts[key] = text
        self.key = key

    def continue_text(self, number, text):
        if self.key is None:
            self.problem(number, "there is nothing that the line could continue")
        elif self.key == "message":
            piece, line = self.entry.messages[-1]
            self.entry.messages[-1] = (piece + " " + text, line)
        else:
            self.entry.texts[self.key] += " " + text

    def end_entry(self):
        if self.entry is not None:
            has = {"message": self.entry.messages, **self.entry.texts}
            for key in ("message", "cause", "remedy"):
                if not has.get(key):
                    self.problem(self.entry.line, "the entry has no '%s:'" % key)
            for key, text in self.entry.texts.items():
                if text.count("`") % 2 != 0:
                    self.problem(self.entry.line, "a ` of '%s:' is not closed" % key)
            self.entries.append(self.entry)
        self.entry, self.key = None, None


def read_entries(folder, root):
    """All entries of a folder, and what is wrong with its files."""
    entries, problems = [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        reader = Reader(path, os.path.relpath(path, root)).read()
        entries += reader.entries
        problems += reader.problems
    return entries, problems


def nearest(piece, sources):
    """What the message may be called now, as a part of an error."""
    known = {other: source for source, lines in sources.items() for other in lines}
    found = difflib.get_close_matches(piece, known, 1, 0.7)
    return "; did you mean '%s' of %s?" % (found[0], known[found[0]]) if found else ""


def match_entries(entries, sources):
    """The entry of each (source, piece), and what is wrong: `sources` has for each source the line of each piece."""
    found, problems = {}, []
    for entry in entries:
        for piece, line in entry.messages:
            place = "%s:%d: " % (entry.path, line)
            having = [source for source, lines in sources.items()
                      if piece in lines and entry.source in (None, source)]
            if not having:
                problems.append(place + "%s '%s'%s" % (
                    entry.source + " has no message" if entry.source else "no source has a message",
                    piece, nearest(piece, sources)))
            for source in having:
                first, first_line = found.setdefault((source, piece), (entry, line))
                if (first, first_line) != (entry, line):
                    problems.append(place + "the message '%s' of %s has a text already, at %s:%d" % (
                        piece, source, first.path, first_line))
    for source, lines in sources.items():
        for piece, line in lines.items():
            if (source, piece) not in found:
                problems.append("%s:%d: the message '%s' has no cause and remedy; write them in utils/diagnostics"
                                % (source, line, piece))
    return {key: entry for key, (entry, _) in found.items()}, problems
