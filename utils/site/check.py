#!/usr/bin/env python3
"""Checks a site that MkDocs has made.

    utils/site/check.py FOLDER

Each link leads to a page that is there, and to a place in it; nothing is loaded from another host; no page shows
Markdown that was not understood, such as the bars of a table; the search index has the pages of the navigation.
Prints what is wrong and exits with 1, or prints how much was checked.
"""

import argparse
import html.parser
import json
import os
import re
import sys
import urllib.parse

# What a browser fetches by itself.
LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
LEFT_OVER = re.compile(r"^\s*(```|\|.*\|\s*$|\|\s*-{3})|\]\([^)\s]+\)", re.MULTILINE)
ELSEWHERE = re.compile(r"^(?:[a-z]+:)?//")


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.loads, self.text = set(), [], [], []
        self.code = 0
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if attributes.get(LOADS.get(tag)):
            self.loads.append(attributes[LOADS[tag]])
        self.code += tag in ("pre", "code", "script", "style")

    def handle_endtag(self, tag):
        self.code -= tag in ("pre", "code", "script", "style")

    def handle_data(self, data):
        if self.code == 0:
            self.text.append(data)


def check_page(name, page, pages, folder):
    for target in page.loads:
        if ELSEWHERE.match(target):
            yield "loads %s from another host" % target
    for target in page.links + page.loads:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc or (not parts.path and not parts.fragment):
            continue
        path = urllib.parse.unquote(parts.path)
        to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if path.startswith("/"):
            to = path[1:]  # The page of an unknown address is shown at any.
        if os.path.isdir(os.path.join(folder, to)):
            to = os.path.normpath(os.path.join(to, "index.html"))
        place = urllib.parse.unquote(parts.fragment)
        if not os.path.exists(os.path.join(folder, to)):
            yield "links to %s, which is not there" % target
        elif place and to in pages and place not in pages[to].ids:
            yield "links to %s, which has no such place" % target
    if not name.startswith("source" + os.sep):
        for found in LEFT_OVER.finditer("".join(page.text)):
            yield "shows Markdown: " + found.group().strip()[:60]


def check_styles(folder, path):
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        for target in re.findall(r"(?:url\(|@import )\s*['\"]?([^'\")\s]+)", file.read()):
            if ELSEWHERE.match(target):
                yield "loads %s from another host" % target


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    if not os.path.exists(os.path.join(folder, "index.html")):
        sys.exit("error: there is no site in %s" % folder)
    names = [os.path.relpath(os.path.join(path, name), folder)
             for path, _, files in os.walk(folder) for name in files]
    pages = {name: Page(os.path.join(folder, name)) for name in sorted(names) if name.endswith(".html")}
    problems = []
    for name, page in pages.items():
        problems += ["%s %s" % (name, problem) for problem in check_page(name, page, pages, folder)]
    for name in sorted(names):
        if name.endswith(".css"):
            problems += ["%s %s" % (name, problem) for problem in check_styles(folder, name)]
    with open(os.path.join(folder, "search", "search_index.json"), encoding="utf-8") as file:
        found = {entry["location"].partition("#")[0] or "index.html" for entry in json.load(file)["docs"]}
    wanted = {name for name in pages if name != "404.html" and not name.startswith(("source" + os.sep, "reports" + os.sep))}
    problems += ["the search index lacks " + name for name in sorted(wanted - found)]
    problems += ["the search index has " + name for name in sorted(found - wanted)]
    for problem in problems:
        print("error: " + problem, file=sys.stderr)
    if problems:
        return 1
    print("%d pages, %d links, %d entries to search"
          % (len(pages), sum(len(page.links) for page in pages.values()), len(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
