"""What tests say of messages: the text that they expect, and the line of a kernel that gets it."""

import os
import re

# Shorter texts are parts of many messages.
LEAST = 14
# A line that FileCheck looks for, and the place and text of the diagnostic in it.
CHECK = re.compile(r"^\W*[A-Z][A-Z0-9_-]*: (.*)$")
DIAGNOSTIC = re.compile(r"(?:(?P<file>[\w-]+\.py):(?:\[\[@LINE(?P<offset>[+-]\d+)\]\]|(?P<line>\d+))"
                        r"(?::(?P<column>\d+))?)?[^ ]*? ?"
                        r"(?P<kind>(?:tilec[\w-]*: )?(?:error|warning): )(?P<text>.*)$")
ESCAPED = re.compile(r"\{\{\\?([][(){}*+|])\}\}|\[\[\[\]")
PATTERN = re.compile(r"\{\{.*?\}\}|\[\[[^]]*\]\]")


class Example:
    """The text that a test expects, whole or a part of it, behind "error: "; the line of the kernel, and where in it
    the error is, if these are known."""

    def __init__(self, path, kind, text, is_whole, code=None, column=None):
        self.path, self.kind, self.text, self.is_whole = path, kind, text, is_whole
        self.code = code.strip() if code else None
        indentation = len(code) - len(code.lstrip()) if code else 0
        self.column = int(column) - 1 - indentation if code and column else None


def examples_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        if "  #! " in line:
            code, part = line.split("  #! ", 1)
            yield Example(path, "error: ", part.strip(), False, code)
            continue
        check = CHECK.match(line)
        found = check and DIAGNOSTIC.search(check.group(1))
        if not found or "-NOT:" in line:
            continue
        code = None
        if found.group("file") == os.path.basename(path):
            at = int(found.group("line")) - 1 if found.group("line") else number + int(found.group("offset"))
            code = lines[at] if 0 <= at < len(lines) else None
        text = ESCAPED.sub(lambda match: match.group(1) or "[", found.group("text").strip())
        yield Example(path, found.group("kind"), PATTERN.sub("..", text), True, code, found.group("column"))


def read_examples(paths):
    """Those with a line of a kernel first, whole texts before parts."""
    found = [example for path in paths for example in examples_of(path)]
    return sorted(found, key=lambda example: (example.code is None, not example.is_whole, example.path))


def find_example(piece, examples, pieces):
    """An example that no other message can be meant by."""
    if len(piece) < LEAST or sum(piece in other for other in pieces) > 1:
        return None
    for example in examples:
        if piece in example.text:
            return example
        if (not example.is_whole and len(example.text) >= LEAST and example.text in piece
                and sum(example.text in other for other in pieces) == 1):
            return example
    return None
