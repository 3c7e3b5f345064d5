"""What MkDocs calls while it makes the site."""

import json
import os


def on_post_build(config):
    """Takes listings of files out of the search index: a search is for what the pages say."""
    path = os.path.join(config["site_dir"], "search", "search_index.json")
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("source/")]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, separators=(",", ":"))
