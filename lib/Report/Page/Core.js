// What all parts of the page share: elements, numbers, and places in the source. `data` is that of the variant shown.
"use strict";

/** An element with attributes and children. Texts are texts: nothing in the data is read as HTML. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== undefined && child !== null) element.append(child);
  return element;
}

/** The same in an SVG picture. */
function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) element.append(child);
  return element;
}

/** [value, count, value, count, ..] as an array of values. */
function expandRuns(runs) {
  let length = 0;
  for (let i = 1; i < runs.length; i += 2) length += runs[i];
  const values = new Uint32Array(length);
  for (let i = 0, at = 0; i < runs.length; i += 2) {
    values.fill(runs[i], at, at + runs[i + 1]);
    at += runs[i + 1];
  }
  return values;
}

function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

function bytesText(bytes) {
  return bytes >= 10240 ? `${(bytes / 1024).toLocaleString("en", {maximumFractionDigits: 1})} KiB` : plural(bytes, "byte");
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

// ---------------------------------------------------------------------------------------------------------------------
// Places: a line of the source is one number, its key
// ---------------------------------------------------------------------------------------------------------------------

const LINES = 1 << 20;
const keyOf = (file, line) => file * LINES + line;
const fileOfKey = key => Math.floor(key / LINES);
const lineOfKey = key => key % LINES;

/** Of each chain the keys of its lines, innermost first. */
const chainKeys = data.chains.map(chain => {
  const keys = [];
  for (let i = 0; i < chain.length; i += 3) keys.push(keyOf(chain[i], chain[i + 1]));
  return keys;
});

const baseName = path => path.slice(path.lastIndexOf("/") + 1);

function placeText(key) {
  const file = fileOfKey(key);
  const name = data.files[file] ? baseName(data.files[file].name) : "?";
  return `${name}:${lineOfKey(key)}`;
}

for (const file of data.files) file.lines = file.text.replace(/\n$/, "").split("\n");

function sourceLine(key) {
  const file = data.files[fileOfKey(key)];
  return (file && file.lines[lineOfKey(key) - 1]) || "";
}

// ---------------------------------------------------------------------------------------------------------------------
// What is selected: the lines of a chain; listeners show it
// ---------------------------------------------------------------------------------------------------------------------

const selection = {
  keys: [], // Innermost first; what a pane's row has, or one line of the source.
  isChain: false, // From a row that has calls around it.
  isPinned: false,
  query: "", // Lines that have this text are chosen instead.
  listeners: [],

  /** `from` is the pane where it was made, which does not scroll. */
  set(keys, isChain, from) {
    this.keys = keys;
    this.isChain = isChain;
    this.query = "";
    for (const listener of this.listeners) listener(from);
  },

  find(text) {
    this.keys = [];
    this.isPinned = text !== "";
    this.query = text.toLowerCase();
    for (const listener of this.listeners) listener(null);
  },

  /** How well a chain's lines fit: 2 it is the same, 1 it is near, 0 not at all. */
  levelOf(keys) {
    if (!this.keys.length || !keys.length) return 0;
    if (keys[0] === this.keys[0]) return !this.isChain || keys.length === this.keys.length && keys.every((key, i) => key === this.keys[i]) ? 2 : 1;
    return !this.isChain && keys.includes(this.keys[0]) ? 1 : 0;
  },
};

/** Operations with their lines: `tile.dot at k.py:7, tile.store at k.py:9`. */
function operationsText(list) {
  const most = 3; // As many as a line has room for.
  const parts = list.slice(0, most).map(({op, chain}, i) => [i ? ", " : "", `${op} at `, lineButton(chain)]);
  return list.length > most ? [...parts, ` and ${list.length - most} more`] : parts;
}

/** Why a tile changes its layout. */
function reasonOf({origin, ends}) {
  if (!origin || !ends || !ends.length) return null;
  return el("div", {class: "note"}, operationsText([origin]), " has the tile in one layout; in the other it is for ", operationsText(ends));
}

/** A button that shows the place of a fact in the code. */
function lineButton(chain) {
  const keys = chainKeys[chain] || [];
  if (!keys.length) return el("span", {}, "no line");
  return el("button", {class: "line", type: "button", title: "Show in the code",
    onclick: () => { showView("code"); selection.isPinned = true; selection.set(keys, keys.length > 1, null); }},
    placeText(keys[0]));
}
