// The data, and the choice among the variants of an object. Whoever knows of one variant only is in drawReport().
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const variants = report.variants || [report];
let shown = -1, page = null, listeners = new AbortController();

// Files and texts that variants share are there once.
if (report.variants)
  for (const variant of variants) {
    variant.files = variant.files.map(number => report.files[number]);
    for (const pane of variant.panes) pane.text = report.texts[pane.text];
  }

const hashOf = view => variants.length > 1 ? `#${shown + 1}/${view}` : `#${view}`;

/** The number of a variant and the view in the address of the page; without them, what is shown first. */
function readHash() {
  const [, number, view] = location.hash.match(/^#(?:(\d+)\/)?(\w*)$/) || [];
  const index = Number(number) - 1;
  return {index: variants[index] ? index : Math.max(0, shown), view: view || (variants.length > 1 && !number ? "variants" : "code")};
}

const labelText = ({label}) => `${label.kernel} on ${label.target}, ${label.variant}`;

/** Shows a variant as the one before was shown: the view, unless another one is given, and the chosen line. */
function showVariant(index, view) {
  const before = page ? page.whatIsShown() : {};
  listeners.abort();
  listeners = new AbortController();
  for (const id of ["tabs", "views"]) {
    const old = document.getElementById(id);
    old.replaceWith(old.cloneNode(false));
  }
  shown = index;
  page = drawReport(variants[index], view || before.view, listeners.signal);
  if (before.line) page.showLine(before.line);
  for (const choice of choices) choice.update();
}

// ---------------------------------------------------------------------------------------------------------------------
// The chooser
// ---------------------------------------------------------------------------------------------------------------------

/** The variant that has the wanted value, and else as much as possible in common with the one shown. */
function nearest(name, value) {
  const now = variants[shown].label;
  const common = ({label}) => ["kernel", "target", "variant"].reduce((sum, key, i) => sum + (label[key] === now[key] ? 4 >> i : 0), 0);
  let best = -1;
  for (let i = 0; i < variants.length; ++i)
    if (variants[i].label[name] === value && (best < 0 || common(variants[i]) > common(variants[best]))) best = i;
  return best;
}

/** A field of the label, as a list to choose from: values of the kernel that is shown. */
class Choice {
  constructor(name, title) {
    this.name = name;
    this.select = document.createElement("select");
    this.select.addEventListener("change", () => showVariant(nearest(name, this.select.value)));
    this.element = document.createElement("label");
    this.element.append(title, this.select);
  }

  update() {
    const now = variants[shown].label;
    const own = variants.filter(({label}) => this.name === "kernel" || label.kernel === now.kernel);
    const values = [...new Set(own.map(({label}) => label[this.name]))];
    if (values.join("\n") !== [...this.select.options].map(option => option.value).join("\n"))
      this.select.replaceChildren(...values.map(value => new Option(value, value)));
    this.select.value = now[this.name];
    this.element.hidden = values.length < 2;
  }
}

const choices = variants.length > 1
  ? [new Choice("kernel", "Kernel"), new Choice("variant", "Variant"), new Choice("target", "For")] : [];

/** Keys for the variant before and after. */
function stepVariant(event) {
  const step = {"[": -1, "]": 1}[event.key];
  if (!step || event.ctrlKey || event.metaKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
  event.preventDefault();
  showVariant((shown + step + variants.length) % variants.length);
}

function startReport() {
  const first = readHash();
  if (choices.length) {
    const chooser = document.getElementById("chooser");
    chooser.hidden = false;
    chooser.append(...choices.map(choice => choice.element));
    document.addEventListener("keydown", stepVariant);
  }
  showVariant(first.index, first.view);
  window.addEventListener("hashchange", () => {
    const {index, view} = readHash();
    if (index === shown) page.showView(view);
    else showVariant(index, view);
  });
}

startReport();
