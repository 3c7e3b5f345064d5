"""What MkDocs calls while it makes the site."""

import json
import os


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    keep_pages(os.path.join(folder, "search_index.json"))
    improve_search(os.path.join(folder, "worker.js"))


def improve_search(path):
    """Has a query be words: Lunr takes `--check` for an operator without a word, and fails. What has them in its heading
    comes first: the words of a message are on many pages."""
    with open(path, encoding="utf-8") as file:
        script = file.read()
    for plain, better in (("index.search(query)", 'index.search(query.replace(/[-+~^:*]/g, " "))'),
                          ("this.field('title');", "this.field('title', {boost: 10});")):
        if script.count(plain) != 1:
            raise SystemExit("error: %s does not search as expected" % path)
        script = script.replace(plain, better)
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)


def keep_pages(path):
    """Takes listings of files out of the search index: a search is for what the pages say. A message is found where its
    cause is, not in the list of all messages nor in the whole text of a page."""
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    index["docs"] = [entry for entry in index["docs"]
                     if not entry["location"].startswith(("source/", "diagnostics.html#"))]
    for entry in index["docs"]:
        if entry["location"].startswith("diagnostics") and "#" not in entry["location"]:
            entry["text"] = ""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, separators=(",", ":"))
