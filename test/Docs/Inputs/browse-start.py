"""Opens the start page of the site in headless Chromium, at the width of a desk and of a phone.

    browse-start.py SITE

Prints how much of it a screen of 800 pixels shows: the table that says what tilec is for, and the links behind it. What is
wider than the screen is an error.
"""

import sys

sys.dont_write_bytecode = True

from browse import browse  # noqa: E402

SCRIPT = """
  const bottom = element => element.getBoundingClientRect().bottom;
  const page = document.documentElement, links = [...document.querySelectorAll("[role=main] > p")].pop();
  const shown = element => bottom(element) <= 800 ? "on the screen" : "below the screen, at " + bottom(element);
  report("table " + shown(document.querySelector("table")) + "; links " + shown(links) +
    (page.scrollWidth > page.clientWidth ? "; error: " + page.scrollWidth + " pixels wide" : ""));"""

status = 0
for width in (1280, 400):
    result = browse(sys.argv[1], "index.html", SCRIPT, width)
    print("%d: %s" % (width, result))
    status |= "error" in result
sys.exit(status)
