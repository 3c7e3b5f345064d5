"""Opens the start page of the site in headless Chromium, at the width of a desk and of a phone.

    browse-start.py SITE

Prints how much of it a screen of 800 pixels shows: the table that says what tilec is for, and the links behind it. What is
wider than the screen is an error.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SCRIPT = """<script>addEventListener("load", () => setTimeout(() => {
  const bottom = element => element.getBoundingClientRect().bottom;
  const page = document.documentElement, links = [...document.querySelectorAll("[role=main] > p")].pop();
  const shown = element => bottom(element) <= 800 ? "on the screen" : "below the screen, at " + bottom(element);
  parent.postMessage("table " + shown(document.querySelector("table")) + "; links " + shown(links) +
    (page.scrollWidth > page.clientWidth ? "; error: " + page.scrollWidth + " pixels wide" : ""), "*");
}));</script></body>"""
FRAME = """<!doctype html><body style="margin: 0"><pre id="results">error: the page has not reported</pre>
<script>addEventListener("message", event => { document.getElementById("results").textContent = event.data; });</script>
<iframe width="%d" height="800" style="border: 0" src="start.html"></iframe>"""

site = os.path.abspath(sys.argv[1])
status = 0
with open(os.path.join(site, "index.html"), encoding="utf-8") as file:
    page = file.read().replace("</body>", SCRIPT).replace("<head>", "<head><base href='file://%s/'>" % site)
for width in (1280, 400):
    folder = tempfile.mkdtemp()
    try:
        for name, text in (("start.html", page), ("frame.html", FRAME % width)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder + "/profile",
             "--window-size=%d,900" % width, "--virtual-time-budget=20000", "--dump-dom", "file://" + folder + "/frame.html"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", timeout=300)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = re.search(r'<pre id="results">(.*?)</pre>', done.stdout, re.DOTALL)
    result = found.group(1) if found else "error: the browser has shown nothing"
    print("%d: %s" % (width, result))
    status |= "error" in result
sys.exit(status)
