#!/usr/bin/env python3
"""Makes a report page of each kernel of the gallery, and links them there.

    utils/site/reports.py PAGES --tilec=PATH [--root=DIR]

PAGES is what utils/site/pages.py has written. The commands of gallery.md run in the repository, with --report in the
place of their output; the pages are in PAGES/reports.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def commands_of(block):
    """The commands of tilec in a block, as lists of words."""
    text = block.replace("\\\n", " ")
    return [shlex.split(line[2:]) for line in text.splitlines() if line.startswith("$ tilec ")]


def make_report(words, arguments, folder):
    """The name of the page."""
    output = words.index("-o")
    name = os.path.splitext(words[output + 1])[0] + ".html"
    command = [arguments.tilec, *words[1:output], *words[output + 2:], "--report=" + os.path.join(folder, name)]
    done = subprocess.run(command, cwd=arguments.root, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit("error: no report of '%s': %s" % (shlex.join(words), done.stderr.strip()))
    return name


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--root", default=ROOT, help="the repository")
    arguments = parser.parse_args()
    arguments.tilec = os.path.abspath(arguments.tilec)
    if not os.path.exists(os.path.join(arguments.pages, "gallery.md")):
        sys.exit("error: there is no gallery.md in %s" % arguments.pages)
    folder = os.path.join(os.path.abspath(arguments.pages), "reports")
    os.mkdir(folder)
    made = []

    def add_links(found):
        names = [make_report(words, arguments, folder) for words in commands_of(found.group(1))]
        made.extend(names)
        links = ", ".join("[%s](reports/%s)" % (os.path.splitext(name)[0], name) for name in names)
        return found.group() + ("\nReport: %s\n" % links if names else "")

    path = os.path.join(arguments.pages, "gallery.md")
    with open(path, encoding="utf-8") as file:
        text = BLOCK.sub(add_links, file.read())
    if not made:
        sys.exit("error: gallery.md has no command of tilec")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print("%d report pages" % len(made))


if __name__ == "__main__":
    main()
