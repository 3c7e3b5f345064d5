// Runs at the end of a page of --report: uses it as a reader would, and looks at what there is to see.

const results = [];
const say = text => results.push(text);
const fail = text => results.push(`error: ${text}`);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
addEventListener("error", event => fail(event.message));

// `page` is what drawReport() gives of the variant that is shown.
const textOf = row => row.textContent.trim().replace(/\s+/g, " ");
const isVisible = element => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";

// --- Links

/** The rows that are marked and in sight, one line for each pane. */
function sayHits(what) {
  for (const pane of document.querySelectorAll("#view-code .pane")) {
    const rows = pane.querySelector(".rows");
    if (!rows || !isVisible(rows)) continue;
    const box = rows.getBoundingClientRect();
    const hits = [...rows.querySelectorAll(".row.hit")].filter(row => {
      const own = row.getBoundingClientRect();
      return own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
    });
    say(`${what}: ${pane.getAttribute("aria-label")}: ${hits.length ? hits.map(textOf).join(" | ") : "nothing"}`);
  }
}

async function checkLinks() {
  const {allPanes, selection, placeText, keyOf} = page;
  const source = allPanes[0];
  source.scrollTo(LINE - 1);
  source.render();
  const row = source.rows.querySelector(`[data-row="${LINE - 1}"]`);
  row.dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
  await pause(200);
  sayHits("hover");
  row.click();
  await pause(200);
  sayHits("click");
  const detail = document.querySelector(".detail");
  say(`this line: ${textOf(detail)}`);
  source.rows.focus();
  source.rows.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
  await pause(100);
  say(`arrow: ${selection.keys.map(placeText).join(" ")}`);
  const shown = source.rows.getAttribute("aria-activedescendant");
  if (!document.getElementById(shown)) fail(`the active row ${shown} is no element`);
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  await pause(100);
  if (document.querySelector(".row.hit")) fail("Escape leaves lines marked");
  // Back from machine code: the source shows where it is from.
  const last = allPanes[allPanes.length - 1];
  const index = last.text.lines.findIndex((_, at) => last.text.keysOf(at).includes(keyOf(0, LINE)));
  if (index < 0) return say("no machine code of the line");
  last.pick(index);
  await pause(100);
  say(`back: ${textOf(source.rows.querySelector(".row.hit") || source.rows)}`);
}

/** What is said of the first line of each function of the source. */
async function checkFunctions() {
  const {allPanes, showLine} = page;
  for (const [index, line] of allPanes[0].text.lines.entries()) {
    const [, name] = line.match(/^def (\w+)/) || [];
    if (!name) continue;
    showLine({file: variants[shown].files[0].name, number: index + 1, isPinned: true});
    await pause(50);
    say(`function ${name}: ${textOf(document.querySelector(".detail").lastElementChild)}`);
  }
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
}

async function checkFind() {
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}));
  const find = document.activeElement;
  if (find.type !== "search") return fail("the key / does not lead to the field for texts");
  find.value = "TL.LOAD";
  find.dispatchEvent(new Event("input", {bubbles: true}));
  await pause(100);
  say(`find: ${document.querySelector("#view-code .found").textContent}`);
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
  await pause(100);
  if (document.querySelector(".row.hit")) fail("Escape leaves found lines marked");
  return undefined;
}

// --- What is to be seen

const overlaps = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;

function checkOverlaps(name, root) {
  for (const parent of [root, ...root.querySelectorAll("*")]) {
    const children = [...parent.children].filter(child => isVisible(child) && getComputedStyle(child).position !== "absolute" && !child.closest("svg"));
    for (let i = 0; i < children.length && children.length < 100; ++i)
      for (let j = i + 1; j < children.length; ++j)
        for (const a of children[i].getClientRects())
          for (const b of children[j].getClientRects())
            if (overlaps(a, b)) return fail(`${name}: '${textOf(children[i]).slice(0, 40)}' overlaps '${textOf(children[j]).slice(0, 40)}' in ${parent.tagName}.${parent.className}`);
  }
  for (const picture of root.querySelectorAll("svg")) {
    const texts = [...picture.querySelectorAll("text")].slice(0, 300).map(text => [text, text.getBoundingClientRect()]);
    for (let i = 0; i < texts.length; ++i)
      for (let j = i + 1; j < texts.length; ++j)
        if (overlaps(texts[i][1], texts[j][1])) return fail(`${name}: '${texts[i][0].textContent}' overlaps '${texts[j][0].textContent}' in a picture`);
  }
  return undefined;
}

function checkWidth(name, root) {
  if (document.documentElement.scrollWidth > innerWidth) fail(`${name} is ${document.documentElement.scrollWidth} pixels wide, of ${innerWidth}`);
  for (const element of root.querySelectorAll("button, label, p, h2, h3, .card, li"))
    if (isVisible(element) && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
      fail(`${name}: '${textOf(element).slice(0, 60)}' is cut off`);
}

const numbersOf = color => color.match(/[\d.]+/g).map(Number);
function luminance(color) {
  const [r, g, b] = numbersOf(color).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function backgroundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor, parts = numbersOf(color);
    if (parts.length < 4 || parts[3] === 1) return color;
  }
  return "rgb(255, 255, 255)";
}

/** The contrast of WCAG 2.1: 4.5 at least. */
function checkContrast(name, root) {
  for (const element of root.querySelectorAll("*")) {
    const hasText = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!hasText || !isVisible(element) || element.disabled) continue;
    let color = getComputedStyle(element).color, back = backgroundOf(element);
    if (element.closest("svg")) {
      color = getComputedStyle(element).fill;
      const box = element.previousElementSibling;
      if (box && box.tagName === "rect" && overlaps(box.getBoundingClientRect(), element.getBoundingClientRect())) back = getComputedStyle(box).fill;
    }
    const [light, dark] = [luminance(color), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) return fail(`${name}: '${element.textContent.trim().slice(0, 40)}' has a contrast of ${contrast.toFixed(2)}, ${color} on ${back}`);
  }
  return undefined;
}

async function checkPictures() {
  for (const canvas of document.querySelectorAll(".view:not([hidden]) .picture canvas")) {
    canvas.focus();
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
    await pause(50);
    if (!canvas.width || !canvas.height) fail("a picture is empty");
    say(`picture: ${textOf(canvas.closest(".view").querySelector(".status"))}`);
  }
}

const rounded = value => Number(value.toPrecision(3));

/** What an axis says at a place, between its numbers. */
function readAxis(labels, coordinate, at) {
  const [first, ...others] = labels.filter(label => /^[\d.e-]+$/.test(label.textContent)), last = others.pop();
  // Numbers of the axis along y stand 4 pixels below their lines.
  const placeOf = label => Number(label.getAttribute(coordinate)) - (coordinate === "y" ? 4 : 0);
  const [low, high] = [first, last].map(label => Math.log10(Number(label.textContent)));
  return 10 ** (low + (at - placeOf(first)) / (placeOf(last) - placeOf(first)) * (high - low));
}

/** Reads bars and points off the pictures, as a person would. */
function sayMeasured(view) {
  for (const bar of view.querySelectorAll("rect.bar")) {
    const share = 100 * Number(bar.getAttribute("width")) / (Number(bar.ownerSVGElement.getAttribute("width")) - 2);
    say(`bar: ${textOf(bar.nextElementSibling)}: ${share.toFixed(1)} % wide, ${bar.classList.contains("same") ? "accent" : "soft"}`);
  }
  for (const point of view.querySelectorAll("circle.point")) {
    const picture = point.ownerSVGElement, roof = picture.querySelector(".roof");
    if (!roof) {
      say(`point ${textOf(point.nextElementSibling)}, no roof`);
      continue;
    }
    const along = [...picture.querySelectorAll("text[text-anchor=middle]")], up = [...picture.querySelectorAll("text[text-anchor=end]")];
    const [x, y] = ["cx", "cy"].map(name => Number(point.getAttribute(name)));
    const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(name => Number(roof.getAttribute(name)));
    const rate = readAxis(up, "y", y), most = readAxis(up, "y", y1 + (x - x1) / (x2 - x1) * (y2 - y1));
    say(`point ${textOf(point.nextElementSibling)} at ${rounded(readAxis(along, "x", x))} operations a byte and ${rounded(rate)} Gop/s, ${(rate / most).toFixed(2)} of the roof`);
  }
  for (const text of [...view.querySelectorAll("p")].slice(1)) say(`text: ${textOf(text)}`);
}

async function checkViews() {
  for (const tab of document.querySelectorAll("#tabs [role=tab]")) {
    tab.click();
    await pause(200);
    const name = tab.textContent, view = document.querySelector(".view:not([hidden])");
    if (view.id !== tab.getAttribute("aria-controls")) fail(`the tab ${name} shows ${view.id}`);
    await checkPictures();
    for (const root of [document.querySelector(".top"), view]) {
      checkOverlaps(name, root);
      checkWidth(name, root);
      checkContrast(name, root);
    }
    for (const control of view.querySelectorAll("button, select, [tabindex]"))
      if (isVisible(control) && !control.textContent.trim() && !control.getAttribute("aria-label")) fail(`${name}: a ${control.tagName} has no name`);
    say(`view ${name}: ${textOf(view).length > 20 ? "has content" : "is empty"}`);
    if (name === "Measured") sayMeasured(view);
    for (const text of view.querySelectorAll(".left-out")) say(`left out: ${textOf(text)}`);
  }
}

// --- Variants of an object

const optionsOf = select => [...select.options].map(option => option.value);
const shownText = () => textOf(document.getElementById("subtitle"));

/** Goes to another variant by each way there is; the chosen line stays. */
async function checkChooser() {
  const selects = [...document.querySelectorAll("#chooser select")].filter(isVisible);
  for (const select of selects) say(`choice of ${select.labels[0].firstChild.textContent}: ${optionsOf(select).join(" | ")}`);
  page.showView("code");
  const source = page.allPanes[0];
  source.click({target: source.rows.querySelector(`[data-row="${LINE - 1}"]`) || source.rowElement(LINE - 1)});
  const last = selects[selects.length - 1], tabs = document.querySelectorAll("#tabs [role=tab]").length;
  last.focus();
  last.selectedIndex = last.options.length - 1;
  last.dispatchEvent(new Event("change"));
  await pause(200);
  if (document.activeElement !== last) fail("the chooser loses the focus");
  say(`chosen: ${shownText()}, at ${location.hash}`);
  say(`line kept: ${page.selection.keys.map(page.placeText).join(" ")}, ${page.selection.isPinned ? "pinned" : "loose"}`);
  sayHits("chosen");
  last.selectedIndex = 0;
  last.dispatchEvent(new Event("change"));
  await pause(100);
  if (document.querySelectorAll("#tabs [role=tab]").length !== tabs) fail("tabs come twice or get lost");
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "[", bubbles: true, cancelable: true}));
  await pause(100);
  say(`key [: ${shownText()}, at ${location.hash}`);
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "]", bubbles: true, cancelable: true}));
  await pause(100);
  say(`key ]: ${shownText()}, at ${location.hash}`);
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}));
}

/** The table of all variants, as it reads, and its buttons. */
async function checkCompared() {
  page.showView("variants");
  const rows = () => [...document.querySelectorAll("#view-variants tbody tr")];
  for (const row of rows()) say(`row: ${[...row.cells].map(textOf).join(" | ")}`);
  const button = rows()[1].querySelector("button");
  button.focus();
  button.click();
  await pause(100);
  say(`shown: ${shownText()}, at ${location.hash}`);
  location.hash = "#1/resources";
  await pause(200);
  say(`address: ${shownText()}, ${document.querySelector("#tabs [aria-selected=true]").textContent}`);
}

async function checkVariants() {
  say(`opens: ${shownText()}, ${document.querySelector("#tabs [aria-selected=true]").textContent}`);
  await checkChooser();
  await checkCompared();
  page.showView("code");
}

async function check() {
  await pause(300);
  say(`width ${innerWidth}, ${matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"}`);
  if (document.getElementById("broken")) fail("text of the source became an element");
  const rows = document.querySelectorAll(".row").length;
  say(rows < 600 ? "few rows are elements" : `error: ${rows} rows are elements`);
  if (variants.length > 1) await checkVariants();
  await checkLinks();
  await checkFunctions();
  await checkFind();
  await checkViews();
}

check().catch(error => fail(`${error.message} ${error.stack}`)).then(() => parent.postMessage(results.join("\n"), "*"));
