"""Opens pages of the site in headless Chromium, by day and by night, at the width of a phone.

    browse-colours.py SITE PAGE ..

Prints the lightness of each page, and the text that is the hardest to read. A contrast of less than 4.5 is an error, as
is what is wider than the screen.
"""

import sys

sys.dont_write_bytecode = True

from browse import browse  # noqa: E402

# Contrast as WCAG 2 defines it. Menus and dialogs count although they are hidden, links that are off do not.
SCRIPT = """
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const over = (top, below) => {
    const [red, green, blue, alpha = 1] = numbers(top);
    return [red, green, blue].map((value, index) => value * alpha + below[index] * (1 - alpha));
  };
  const behind = element => element === null ? [255, 255, 255] :
    over(getComputedStyle(element).backgroundColor, behind(element.parentElement));
  const lightness = colour => colour.map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  let worst = 21, text = "";
  for (const element of document.body.querySelectorAll("*:not(script, style, .disabled)")) {
    const own = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join("");
    if (own === "") continue;
    const page = behind(element);
    const both = [lightness(over(getComputedStyle(element).color, page)), lightness(page)].sort((a, b) => b - a);
    const contrast = (both[0] + 0.05) / (both[1] + 0.05);
    if (contrast < worst) [worst, text] = [contrast, own.slice(0, 40)];
  }
  const page = document.documentElement;
  report("page " + lightness(behind(document.body)).toFixed(2) + ", contrast " + worst.toFixed(1) + " of '" + text + "'" +
    (worst < 4.5 ? "; error: hard to read" : "") +
    (page.scrollWidth > page.clientWidth ? "; error: " + page.scrollWidth + " pixels wide" : ""));"""

status = 0
for name in sys.argv[2:]:
    for time, options in (("day", []), ("night", ["--blink-settings=preferredColorScheme=0"])):
        result = browse(sys.argv[1], name, SCRIPT, 400, options)
        print("%s by %s: %s" % (name, time, result))
        status |= "error" in result
sys.exit(status)
