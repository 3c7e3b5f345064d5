#!/usr/bin/env python3
"""Checks that what a page shows is true: its files, its commands and its snippets of C++.

    utils/check-page.py PAGE FOLDER --cxx=COMPILER [--preamble=FILE]

- A block whose first line is a comment with nothing but a file name is that file; it is written to FOLDER.
- A block marked `console` runs there. What follows a command must be what it prints; a line may have `..`
  for any text, and a line of `..` alone stands for any number of lines.
- Any other block marked `cpp` must compile after PREAMBLE: as it is if it defines a function, otherwise as
  the body of one.

Prints what is wrong and exits with 1, or prints how much was checked.
"""

import argparse
import os
import re
import subprocess
import sys

FILE_NAME = re.compile(r"(?:#|//) ([\w-]+\.\w+)$")


def read_blocks(page):
    """(language, line of the first line of text, text) of each fenced block."""
    blocks, language = [], None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.startswith("```"):
                if language is not None:
                    text.append(line)
            elif language is None:
                language, start, text = line[3:].strip(), number + 1, []
            else:
                blocks.append((language, start, "".join(text)))
                language = None
    return blocks


def read_commands(text):
    """(command, expected lines) of each command in a console block."""
    commands, continued = [], False
    for line in text.splitlines():
        if continued:
            commands[-1][0] += "\n" + line
        elif line.startswith("$ "):
            commands.append([line[2:], []])
        else:
            commands[-1][1].append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    return commands


def matches(expected, output):
    pattern = ""
    for line in expected:
        pattern += r"(?:.*\n)*" if line == ".." else ".*".join(map(re.escape, line.split(".."))) + r"\n"
    return re.fullmatch(pattern, output) is not None


def run_commands(text, folder):
    """Runs a console block; returns what is wrong, and the number of commands."""
    problems = []
    commands = read_commands(text)
    for command, expected in commands:
        done = subprocess.run(["bash", "-ec", command], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            problems.append("%s\nfailed:\n%s" % (command, done.stdout))
        elif not matches(expected, done.stdout):
            problems.append("%s\nprinted:\n%s" % (command, done.stdout))
    return problems, len(commands)


def write_snippet(number, page, line, text):
    """A C++ snippet as part of a translation unit, with the page's lines in messages."""
    is_function = re.search(r"^\S.*\) \{$", text, re.MULTILINE) and not re.match(r"\s*(for|if|while)\b", text)
    if is_function or "#include" in text:
        return 'namespace snippet%d {\n#line %d "%s"\n%s}\n' % (number, line, page, text)
    return 'void snippet%d() {\n#line %d "%s"\n%s}\n' % (number, line, page, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page")
    parser.add_argument("folder")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--preamble", help="C++ before the snippets")
    parsed = parser.parse_args()

    os.makedirs(parsed.folder, exist_ok=True)
    problems, files, commands, snippets = [], 0, 0, []
    for language, line, text in read_blocks(parsed.page):
        named = FILE_NAME.match(text.split("\n", 1)[0])
        if named:
            files += 1
            with open(os.path.join(parsed.folder, named.group(1)), "w", encoding="utf-8") as file:
                file.write(text)
        elif language == "console":
            wrong, count = run_commands(text, parsed.folder)
            commands += count
            problems += ["%s:%d: %s" % (parsed.page, line, problem) for problem in wrong]
        elif language == "cpp":
            snippets.append(write_snippet(len(snippets), parsed.page, line, text))

    if snippets:
        unit = os.path.join(parsed.folder, "snippets.cpp")
        with open(unit, "w", encoding="utf-8") as file:
            if parsed.preamble:
                file.write('#include "%s"\n' % os.path.abspath(parsed.preamble))
            file.write("\n".join(snippets))
        # Names that a reader would go on to use are unused here.
        flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused"]
        includes = subprocess.run(["pkg-config", "--cflags", "tilec-runtime"], stdout=subprocess.PIPE,
                                  check=True, text=True).stdout.split()
        done = subprocess.run([parsed.cxx] + flags + includes + ["-I", parsed.folder, unit], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            problems.append(done.stdout)
    if problems:
        sys.exit("\n".join(problems))
    print("%s: %d files, %d commands, %d snippets" %
          (os.path.basename(parsed.page), files, commands, len(snippets)))


if __name__ == "__main__":
    main()
