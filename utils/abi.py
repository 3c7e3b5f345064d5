#!/usr/bin/env python3
"""Prints what a compiled program relies on: the binary interface of tilec's C headers and of libtilec.so.

    utils/abi.py --library=build/lib/libtilec.so > test/Package/Inputs/abi.txt

writes the list that a test compares with. Such a change is allowed only as docs/releases.md says: with a new
minor version while there is no version 1, and with a new major version from then on; new functions, new values
of enumerations, and new fields at the end of structures that say so, always.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Those that others include. What compiled kernels hold is in aot.h.
HEADERS = ["runtime_c.h", "jit_c.h", "aot.h", "profile.h"]


def fail(message):
    sys.exit("error: " + message)


def output_of(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        fail("%s is missing" % command[0])
    if done.returncode:
        fail("'%s' failed: %s" % (" ".join(command), done.stderr.strip()))
    return done.stdout


def first_number(node):
    """The value of the first constant below a node of clang's tree, or None."""
    if node.get("kind") == "ConstantExpr" and "value" in node:
        return int(node["value"])
    for inner in node.get("inner", []):
        value = first_number(inner)
        if value is not None:
            return value
    return None


def enumeration(node):
    """Lines with the names and values of an enumeration."""
    value = -1
    for constant in node.get("inner", []):
        if constant["kind"] != "EnumConstantDecl":
            continue
        explicit = first_number(constant)
        value = value + 1 if explicit is None else explicit
        yield "value %s = %d" % (constant["name"], value)


def declarations(tree):
    """Lines with the functions, types of functions and values that the headers declare."""
    for node in tree["inner"]:
        name = node.get("name", "")
        if node["kind"] == "EnumDecl":
            yield from (line for line in enumeration(node) if line.startswith("value TILEC_"))
        elif not name.startswith("tilec_"):
            continue
        elif node["kind"] == "FunctionDecl":
            yield "function %s: %s" % (name, node["type"]["qualType"])
        elif node["kind"] == "TypedefDecl" and node["type"]["qualType"].split()[-1] != name:
            yield "type %s: %s" % (name, node["type"]["qualType"])


def layouts(text):
    """Lines with the size of each structure and the place and type of its fields."""
    text = re.sub(r"\(unnamed at [^)]*\)", "(unnamed)", text)
    for block in re.split(r"\*\*\* Dumping AST Record Layout\n", text)[1:]:
        lines = [line for line in block.splitlines() if "|" in line]
        name = re.fullmatch(r"\s*0 \| (?:struct|union) (tilec_\w+)", lines[0])
        if not name:
            continue
        size = re.search(r"sizeof=(\d+), align=(\d+)", lines[-1])
        yield "struct %s: size %s, alignment %s" % (name[1], size[1], size[2])
        for line in lines[1:-1]:
            place, field = line.split("|", 1)
            yield "  %s:%s" % (place.strip(), field.rstrip()[1:])


def exports(nm, library):
    for line in output_of([nm, "-D", "--defined-only", "--extern-only", library]).splitlines():
        yield "export " + line.split()[-1]


def main():
    parser = argparse.ArgumentParser(description="Prints the binary interface of tilec's C headers and of libtilec.so.",
                                     epilog=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libtilec.so")
    parser.add_argument("--include", default=os.path.join(ROOT, "include"), help="folder of tilec/jit_c.h")
    parser.add_argument("--clang", default="clang-22", help="a clang, which knows where fields are")
    parser.add_argument("--nm", default="nm", help="a program that lists symbols")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "headers.c")
        with open(source, "w") as file:
            file.writelines('#include "tilec/%s"\n' % header for header in HEADERS)
        clang = [arguments.clang, "-std=c99", "--target=x86_64-linux-gnu", "-I", arguments.include, "-fsyntax-only",
                 source, "-Xclang"]
        lines = sorted(declarations(json.loads(output_of(clang + ["-ast-dump=json"]))))
        lines += layouts(output_of(clang + ["-fdump-record-layouts-complete"]))
    lines += sorted(exports(arguments.nm, arguments.library))
    print("# Written by utils/abi.py, for x86-64. docs/releases.md says which changes are allowed.")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
