#!/usr/bin/env python3
"""Writes the pages of the site into a folder: those of docs/, and one for each file of the repository that they
link to.

    utils/site/pages.py FOLDER [--root=DIR]

A link that leaves docs/ goes to a page below `source`: a Markdown file as it is, another file as a listing, a folder
as its README.md and a list of its files, each with a page if there are no more than 40. A link to what does not
exist, and a page of docs/ that is not in the navigation of mkdocs.yml, are errors; pages of a folder need not be there
if one of its name is, which lists them. FOLDER must be empty or new.

Where the text of a link is the name of a file, it becomes the title of the page, as the navigation has it.
"""

import argparse
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
# Inline code is matched so that it is passed over; a text is that of a link that is the name of a file.
LINK = re.compile(r"`[^`]*`|(?:\[(?P<text>[\w./-]+\.md))?\]\((?P<target>[^)\s]+)\)")
NAVIGATION = re.compile(r"^\s*- (.*?):\s+(\S+\.md)$", re.MULTILINE)
COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
HEADING = re.compile(r"^# (.*)$", re.MULTILINE)
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".cu": "cuda", ".td": "tablegen", ".cmake": "cmake",
             ".txt": "cmake", ".sh": "bash"}
MOST_LISTED = 40
MOST_BYTES = 400000


class Site:
    def __init__(self, root, folder, titles):
        """The titles are those of pages in the navigation."""
        self.root, self.folder, self.titles = root, folder, titles
        self.docs = os.path.join(root, "docs")
        self.done, self.waiting, self.problems = set(), [], []

    def page_of(self, path):
        """Where the page of a file or folder of the repository is, from the folder of pages."""
        if not os.path.relpath(path, self.docs).startswith(".."):
            return os.path.relpath(path, self.docs)
        name = os.path.relpath(path, self.root)
        folder, file = os.path.split(name)
        if os.path.isdir(path):
            page = os.path.join("source", name, "index.md")
        elif file == "README.md":
            path, page = os.path.dirname(path), os.path.join("source", folder, "index.md")
        elif file.endswith(".md"):
            page = os.path.join("source", name)
        else:
            page = os.path.join("source", name + ".md")
        page = os.path.normpath(page)
        if page not in self.done:
            self.done.add(page)
            self.waiting.append((path, page))
        return page

    def link(self, path, page):
        """A link from a page to that of a file or folder."""
        return os.path.relpath(self.page_of(path), os.path.dirname(page))

    def title_of(self, path):
        """The title of a page of Markdown."""
        name = os.path.relpath(path, self.docs)
        if name not in self.titles:
            with open(path, encoding="utf-8") as file:
                found = HEADING.search(file.read())
            self.titles[name] = found.group(1) if found else os.path.basename(path)
        return self.titles[name]

    def with_links(self, text, path, page):
        """The Markdown of a file with its links as they are from its page."""
        inside = False

        def replace(found):
            target, text = found.group("target"), found.group("text")
            if target is None or target.startswith("#") or re.match(r"[a-z]+:", target):
                return found.group()
            target, _, place = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if not os.path.exists(to) or os.path.relpath(to, self.root).startswith(".."):
                self.problems.append("%s:%d: there is no file '%s'"
                                     % (os.path.relpath(path, self.root), number, target))
                return found.group()
            if text is not None:
                text = "[" + (self.title_of(to) if text in (target, os.path.basename(target)) else text)
            return "%s](%s%s)" % (text or "", self.link(to, page), "#" + place if place else "")

        # MkDocs wants the title of a page in its first line; problems have the lines of the file.
        comment = COMMENT.match(text)
        first = comment.group().count("\n") + 1 if comment else 1
        text = COMMENT.sub("", text)
        lines = []
        for number, line in enumerate(text.splitlines(), first):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                line = LINK.sub(replace, line)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def write(self, page, text):
        target = os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)

    def listing(self, path, page):
        """A file that is no Markdown."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # The fence is longer than any in the text.
        fence = "`" * max([3] + [len(found) + 1 for found in re.findall(r"`{3,}", text)])
        language = LANGUAGES.get(os.path.splitext(path)[1], "text")
        self.write(page, "# %s\n\n%s%s\n%s%s\n" % (os.path.relpath(path, self.root), fence, language,
                                                  text if text.endswith("\n") else text + "\n", fence))

    def folder_page(self, path, page):
        name = os.path.relpath(path, self.root)
        readme = os.path.join(path, "README.md")
        text = "# %s\n\n" % name
        if os.path.exists(readme):
            with open(readme, encoding="utf-8") as file:
                text = self.with_links(file.read(), readme, page) + "\n## Files\n\n"
        entries = sorted(entry for entry in os.listdir(path)
                         if entry != "README.md" and not entry.startswith((".", "__pycache__")))
        for entry in entries:
            below = os.path.join(path, entry)
            if len(entries) <= MOST_LISTED and self.is_shown(below):
                text += "- [%s](%s)\n" % (entry, self.link(below, page))
            else:
                text += "- %s\n" % entry
        self.write(page, text)

    @staticmethod
    def is_shown(path):
        if os.path.isdir(path):
            return True
        if os.path.getsize(path) > MOST_BYTES:
            return False
        with open(path, "rb") as file:
            return b"\0" not in file.read()

    def write_all(self):
        pages = []
        for folder, _, names in os.walk(self.docs):
            for name in sorted(names):
                path = os.path.join(folder, name)
                page = os.path.relpath(path, self.docs)
                if name.endswith(".md"):
                    pages.append(page)
                    with open(path, encoding="utf-8") as file:
                        self.write(page, self.with_links(file.read(), path, page))
                elif name != "CMakeLists.txt":
                    os.makedirs(os.path.join(self.folder, os.path.dirname(page)), exist_ok=True)
                    shutil.copyfile(path, os.path.join(self.folder, page))
        while self.waiting:
            path, page = self.waiting.pop()
            if os.path.isdir(path):
                self.folder_page(path, page)
            elif path.endswith(".md"):
                with open(path, encoding="utf-8") as file:
                    self.write(page, self.with_links(file.read(), path, page))
            else:
                self.listing(path, page)
        return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--root", default=ROOT, help="the repository")
    arguments = parser.parse_args()
    if os.path.exists(arguments.folder) and (not os.path.isdir(arguments.folder) or os.listdir(arguments.folder)):
        sys.exit("error: %s is there already" % arguments.folder)
    if not os.path.isdir(os.path.join(arguments.root, "docs")):
        sys.exit("error: there is no folder docs in %s" % arguments.root)
    with open(os.path.join(HERE, "mkdocs.yml"), encoding="utf-8") as file:
        listed = {page: title for title, page in NAVIGATION.findall(file.read())}
    site = Site(os.path.abspath(arguments.root), arguments.folder, dict(listed))
    pages = site.write_all()
    shutil.copyfile(os.path.join(HERE, "site.css"), os.path.join(arguments.folder, "site.css"))
    site.problems += ["docs/%s is not in the navigation of utils/site/mkdocs.yml" % page for page in sorted(pages)
                      if page not in listed and os.path.dirname(page) + ".md" not in listed]
    for problem in site.problems:
        print("error: " + problem, file=sys.stderr)
    print("%d pages of docs, %d of files that they link to" % (len(pages), len(site.done)))
    return 1 if site.problems else 0


if __name__ == "__main__":
    sys.exit(main())
