#!/usr/bin/env python3
"""Checks the tables of builtins in docs/language.md against the compiler and the tests.

    utils/check-builtins.py [--page=FILE] [--root=FOLDER]

A table belongs to the module that the heading above it names in backquotes: ### `tl`. Of a row, the first
column names builtins, the column "what it does" describes them (editors show it), and the column "tests" links to
files. Every builtin that the compiler registers must be in a row, every name in a row must be registered, and one of
the row's files must mention it.

The registered names are read from the tables in lib/Language/Specializer (`rows[]` and `deviceFunctions[]`, whose macros may add
endings to a name, and `unsupportedRows`). Prints what is wrong and exits with 1, or prints how much there is.
"""

import argparse
import collections
import glob
import os
import re
import sys

SOURCES = "lib/Language/Specializer/Builtin*.cpp"
# The module of rows that name no Space, by the file that holds them.
MODULE_OF_FILE = {"BuiltinsLibdevice.cpp": "libdevice", "BuiltinsLibdevicePrelude.cpp": "libdevice"}
MODULE_OF_SPACE = {"Language": "tl", "Triton": "triton", "Python": "Python", "HostMath": "math",
                   "Device": "libdevice", "Cuda": "tl.extra.cuda", "Target": "tl.target_info", "Inductor": "triton_helpers",
                   "Standard": "tl.standard", "Descriptor": "tensor_descriptor"}


def read_macros(text):
    """Macro -> the endings that it adds to the name, which is its first parameter."""
    macros = {}
    for name, first, body in re.findall(r"^#define (\w+)\((\w+)[^)]*\)((?:.*\\\n)*.*)$", text, re.M):
        macros[name] = re.findall(r"\b%s +\"(\w+)\"" % first, body) or [""]
    return macros


def read_rows(path):
    """(module, name) of each builtin that a source registers."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    macros, default = read_macros(text), MODULE_OF_FILE.get(os.path.basename(path), "tl")
    alias = re.search(r"\bspace = Space::(\w+);", text)
    default = MODULE_OF_SPACE[alias.group(1)] if alias else default
    found = []
    for block in re.findall(r"\b(?:rows|deviceFunctions)\[\] = \{\n(.*?)\n *\};", text, re.S):
        # A row starts a line and goes up to the next one.
        for opener, name, rest in re.findall(r'^\s+(\{|\w+\()"(\w+)"((?:.|\n(?!\s+(?:\{|\w+\()"))*)', block, re.M):
            space = re.search(r"Space::(\w+)", rest)
            if space and space.group(1) in ("Python", "Device") and "Hidden" in rest:
                continue  # For functions at compile time only, or for the prelude.
            module = MODULE_OF_SPACE[space.group(1)] if space else default
            found += [(module, name + ending) for ending in macros.get(opener[:-1], [""])]
    for literals in re.findall(r'unsupportedRows\(\s*((?:"[^"]*"\s*)+),', text):
        found += [("tl", name) for name in literals.replace('"', " ").split()]
    return found


def read_page(path):
    """(line, module, names, files, what it does) of each row of the page's tables of builtins."""
    rows, module, header = [], None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#"):
                heading = re.match(r"### `([\w.]+)`", line)
                module = heading and heading.group(1)
            cells = [cell.strip() for cell in line.strip()[1:-1].split("|")] if line.startswith("|") else None
            if not cells:
                header = None
            elif header is None:
                header = cells
            elif module and header[0] == "builtin" and set(cells[0]) != {"-"}:
                names = [name for code in re.findall(r"`([^`]+)`", cells[0]) for name in code.split()]
                links = re.findall(r"\]\(([^)]+)\)", cells[header.index("tests")])
                rows.append((number, module, names, links, cells[header.index("what it does")]))
    return rows


def check_row(row, folder, registered, texts):
    """What is wrong with one row, as text without the place."""
    number, module, names, files, words = row
    if not words:
        yield "it does not say what %s does" % names[0]
    # Parts for names of a row that has several: `load`: reads ..; `store`: writes ..
    for part in re.findall(r"(?:^|; )`([^`]+)`: ", words):
        for name in set(part.split()) - set(names):
            yield "it describes '%s', which is not in this row" % name
    for file in files:
        path = os.path.normpath(os.path.join(folder, file))
        if path not in texts:
            texts[path] = open(path, encoding="utf-8").read() if os.path.isfile(path) else None
        if texts[path] is None:
            yield "there is no file '%s'" % file
    contents = [texts[os.path.normpath(os.path.join(folder, file))] or "" for file in files]
    for name in names:
        if (module, name) not in registered:
            yield "the compiler has no '%s' in %s" % (name, module)
        elif not any(re.search(r"\b%s\b" % name, text) for text in contents):
            yield "no file of this row mentions '%s'" % name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--page", help="default: docs/language.md of the root")
    parsed = parser.parse_args()

    docs = os.path.join(parsed.root, "docs")
    page = parsed.page or os.path.join(docs, "language.md")
    registered = {pair for path in sorted(glob.glob(os.path.join(parsed.root, SOURCES))) for pair in read_rows(path)}
    rows, texts = read_page(page), {}
    problems = ["%s:%d: %s" % (os.path.basename(page), row[0], problem)
                for row in rows for problem in check_row(row, docs, registered, texts)]
    listed = collections.Counter((module, name) for _, module, names, _, _ in rows for name in names)
    problems += ["%s: '%s' of %s is in no table" % (os.path.basename(page), name, module)
                 for module, name in sorted(registered - set(listed))]
    problems += ["%s: '%s' of %s is in %d rows" % (os.path.basename(page), name, module, count)
                 for (module, name), count in sorted(listed.items()) if count > 1]
    if problems:
        sys.exit("\n".join(problems))
    print("%d builtins in %d rows" % (len(listed), len(rows)))


if __name__ == "__main__":
    main()
