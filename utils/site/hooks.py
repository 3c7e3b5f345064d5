"""What MkDocs calls while it makes the site."""

import json
import os


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    keep_pages(os.path.join(folder, "search_index.json"))
    search_words(os.path.join(folder, "worker.js"))


def search_words(path):
    """Has a query be words: Lunr takes `--check` for an operator without a word, and fails."""
    with open(path, encoding="utf-8") as file:
        script = file.read()
    plain = "index.search(query)"
    if script.count(plain) != 1:
        raise SystemExit("error: %s does not search as expected" % path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(script.replace(plain, 'index.search(query.replace(/[-+~^:*]/g, " "))'))


def keep_pages(path):
    """Takes listings of files out of the search index: a search is for what the pages say."""
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("source/")]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, separators=(",", ":"))
