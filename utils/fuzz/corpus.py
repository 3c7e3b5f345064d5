#!/usr/bin/env python3
"""Writes the seed corpus of the coverage-guided fuzzer: small files with a kernel or two each.

    utils/fuzz/corpus.py FOLDER

Every function of the tests and examples becomes a file, with the names of the module that it uses; generated
kernels are added, since they combine more.
"""

import ast
import glob
import hashlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
ROOT = os.path.join(HERE, "..", "..")
_SOURCES = ("test/Language/*.py", "test/Language/*/*.py", "test/Conformance/*.py", "test/Execution/Conformance/*.py",
            "test/Kernels/*.py", "examples/*/*.py")
_GENERATED = 150
_LARGEST = 6000  # bytes; larger inputs only make the fuzzer slow


def pieces(text):
    """Each function of a file, after what it needs of the module."""
    tree = ast.parse(text)
    named = {}
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
        for target in targets:
            name = getattr(target, "name", getattr(target, "id", None))
            if name:
                named[name] = statement
    imports = [statement for statement in tree.body if isinstance(statement, (ast.Import, ast.ImportFrom))]
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            wanted = needed(statement, named)
            kept = [each for each in tree.body if each in imports or id(each) in wanted]
            yield "\n\n\n".join(segment(text, each) for each in kept) + "\n"


def segment(text, statement):
    """The source of a statement with its decorators."""
    lines = text.split("\n")
    first = min([statement.lineno] + [each.lineno for each in getattr(statement, "decorator_list", [])])
    return "\n".join(lines[first - 1:statement.end_lineno])


def needed(statement, named):
    found, pending = {id(statement)}, [statement]
    while pending:
        for node in ast.walk(pending.pop()):
            other = named.get(getattr(node, "id", None))
            if other is not None and id(other) not in found:
                found.add(id(other))
                pending.append(other)
    return found


def generated():
    import generator
    import large
    import products
    from check import source_of
    return [source_of(kind.generate(seed)) for kind in (generator, large, products) for seed in range(_GENERATED)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    texts = generated()
    for pattern in _SOURCES:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            try:
                texts += pieces(text)
            except SyntaxError:  # the tests of syntax errors
                texts.append(text)
    os.makedirs(sys.argv[1], exist_ok=True)
    kept = {text for text in texts if len(text) <= _LARGEST}
    for text in kept:
        name = hashlib.sha1(text.encode()).hexdigest()
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as file:
            file.write(text)
    print("%d files" % len(kept))


if __name__ == "__main__":
    main()
