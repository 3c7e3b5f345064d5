"""Opens pages of the site in headless Chromium; for scripts in this folder."""

import os
import re
import shutil
import subprocess
import tempfile

FRAME = """<!doctype html><body style="margin: 0"><pre id="results">error: the page has not reported</pre>
<script>addEventListener("message", event => { document.getElementById("results").textContent = event.data; });</script>
<iframe width="%d" height="800" style="border: 0" src="page.html"></iframe>"""


def browse(site, name, script, width, options=()):
    """What the script, which runs when the page has been loaded, hands to `report`."""
    script = "<script>addEventListener('load', () => setTimeout(() => {\n" \
        "const report = text => parent.postMessage(text, '*');\n%s\n}));</script></body>" % script
    with open(os.path.join(site, name), encoding="utf-8") as file:
        base = "<head><base href='file://%s'>" % os.path.join(os.path.abspath(site), name)
        page = file.read().replace("</body>", script).replace("<head>", base)
    folder = tempfile.mkdtemp()
    try:
        for file_name, text in (("page.html", page), ("frame.html", FRAME % width)):
            with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder + "/profile",
             "--window-size=%d,900" % width, "--virtual-time-budget=20000", *options, "--dump-dom",
             "file://" + folder + "/frame.html"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", timeout=300)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = re.search(r'<pre id="results">(.*?)</pre>', done.stdout, re.DOTALL)
    return found.group(1) if found else "error: the browser has shown nothing"
