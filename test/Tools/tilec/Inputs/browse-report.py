"""Opens a page of --report in headless Chromium and checks it there.

    browse-report.py PAGE --line=N [--width=PIXELS] [--scheme=light|dark]

A copy of the page has browse-report.js at its end, and is shown in a frame of the given width (a window has at least
500 pixels). Prints what the script reports; the status is 1 if something is wrong.
"""

import argparse
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

FRAME = """<!doctype html><body style="margin: 0"><pre id="results">error: the page has not reported</pre>
<script>addEventListener("message", event => { document.getElementById("results").textContent = event.data; });</script>
<iframe width="%d" height="800" style="border: 0" src="page.html"></iframe>"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("page")
parser.add_argument("--line", type=int, required=True)
parser.add_argument("--width", type=int, default=1280)
parser.add_argument("--scheme", choices=("light", "dark"), default="light")
args = parser.parse_args()

folder = tempfile.mkdtemp()
try:
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "browse-report.js")
    with open(args.page, encoding="utf-8") as file:
        page = file.read()
    with open(script, encoding="utf-8") as file:
        page = page.replace("</body>", "<script>const LINE = %d;\n%s</script></body>" % (args.line, file.read()))
    for name, text in (("page.html", page), ("frame.html", FRAME % args.width)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run(
        [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder + "/profile",
         "--window-size=%d,900" % max(args.width, 500), "--virtual-time-budget=60000", "--dump-dom",
         "--blink-settings=preferredColorScheme=%d" % (args.scheme == "light"), "file://" + folder + "/frame.html"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8", timeout=300)
    results = re.search(r'<pre id="results">(.*?)</pre>', done.stdout, re.DOTALL)
    text = html.unescape(results.group(1)) if results else "error: the browser has shown nothing"
    print(text)
    sys.exit("error:" in text)
finally:
    shutil.rmtree(folder, ignore_errors=True)
