// Views as tabs, and keys for all of the page.

/** A word of a command line for the shell. */
const shellWord = word => /^[\w.,:=/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The command that makes a page of the variant that is shown alone. */
function commandOfVariant() {
  const [kernel] = data.kernels, options = [...variants[shown].label.variant.matchAll(/\bnum_(warps|stages|ctas)=(\d+)/g)];
  return ["tilec", data.files[0].name, `--kernel=${kernel.name}`, `--arch=${data.target}`,
    ...kernel.constants.map(({name, value}) => `-D${name}=${value}`), ...options.map(([, name, value]) => `--num-${name}=${value}`),
    `--sig=${kernel.signature}`, "--report=variant.html"].map(shellWord).join(" ");
}

/** Instead of a view of figures that were too much for the page. */
function makeLeftOutView(view, title) {
  const having = variants.map((_, index) => index).filter(index => variants[index].isGPU && !variants[index].isShort);
  const sameTarget = having.filter(index => variants[index].target === data.target);
  const [nearest] = sameTarget.length ? sameTarget : having;
  view.append(el("h2", {}, title), el("p", {class: "note left-out"}, "Left out, since the page would be too large. A page of this variant alone has it:"),
    el("p", {class: "mono left-out"}, commandOfVariant()));
  if (nearest !== undefined)
    view.append(el("p", {class: "note left-out"}, `Here ${plural(having.length, "variant")} of ${variants.length} ${having.length === 1 ? "has" : "have"} it, among them `,
      el("button", {class: "line", type: "button", onclick: () => showVariant(nearest)}, `variant ${nearest + 1}`), "."));
}

const figures = (name, title, make) => [name, title, view => data.isShort ? makeLeftOutView(view, title) : make(view), () => data.isGPU];
const views = [
  ["variants", "Variants", makeVariantsView, () => variants.length > 1],
  ["code", "Code", makeCodeView, () => true],
  ["resources", "Resources", makeResourceView, () => true],
  figures("memory", "Memory", makeMemoryView),
  figures("layouts", "Layouts", makeLayoutView),
  figures("moves", "Moves", makeMovesView),
  figures("pipeline", "Pipeline", makeTimelineView),
  ["measured", "Measured", makeMeasuredView, () => data.measured !== undefined],
];
const viewElements = new Map();
let shownView = "";

function showView(name) {
  if (!viewElements.has(name)) name = "code";
  for (const [other, {view, tab}] of viewElements) {
    view.hidden = other !== name;
    tab.setAttribute("aria-selected", String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
  }
  const entry = viewElements.get(name);
  // Views are made when somebody looks, so that a large kernel's page opens at once.
  if (entry.make) {
    const make = entry.make;
    entry.make = null;
    make(entry.view);
  }
  shownView = name;
  if (location.hash !== hashOf(name)) history.replaceState(null, "", hashOf(name));
}

/** Arrow keys walk along the tabs. */
function walkTabs(event) {
  const names = [...viewElements.keys()];
  const at = names.findIndex(name => viewElements.get(name).tab === event.target);
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const name = names[(at + step + names.length) % names.length];
  showView(name);
  viewElements.get(name).tab.focus();
}

function start() {
  const source = data.files.length ? data.files[0].name : "";
  document.getElementById("subtitle").textContent = `${source} for ${data.target}, by ${report.producer}`;
  const tabs = document.getElementById("tabs"), main = document.getElementById("views");
  tabs.addEventListener("keydown", walkTabs);
  for (const [name, title, make, isWanted] of views) {
    if (!isWanted()) continue;
    const view = el("section", {class: "view", id: `view-${name}`, role: "tabpanel", "aria-label": title, hidden: true});
    const tab = el("button", {type: "button", role: "tab", "aria-controls": `view-${name}`, onclick: () => showView(name)}, title);
    tabs.append(tab);
    main.append(view);
    viewElements.set(name, {view, tab, make});
  }
  showView(firstView);
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    selection.isPinned = false;
    selection.set([], false, null);
  }, {signal});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const pane of allPanes) pane.drawMarks();
    for (const redraw of redraws) redraw();
  }, {signal});
}

/** The view and the line that another variant can show as well. */
function whatIsShown() {
  const [key] = selection.keys;
  const file = key === undefined ? undefined : data.files[fileOfKey(key)];
  return {view: shownView, line: file && {file: file.name, number: lineOfKey(key), isPinned: selection.isPinned}};
}

function showLine({file, number, isPinned}) {
  const index = data.files.findIndex(({name}) => name === file);
  if (index < 0) return;
  selection.isPinned = isPinned;
  selection.set([keyOf(index, number)], false, null);
}

start();
return {allPanes, selection, keyOf, placeText, showView, showLine, whatIsShown};
