// The view of the code: panes side by side, linked by the lines of the source, and what is known of the chosen line.

/** For each chain how well it fits the selection; made again when that changes. */
let chainLevels = new Uint8Array(chainKeys.length);
selection.listeners.push(() => { chainLevels = Uint8Array.from(chainKeys, keys => selection.levelOf(keys)); });

const LANGUAGE_OF = {llvm: "llvm", ptx: "assembly", assembly: "assembly", sass: "sass"};

/** The forms that tilec made: rows have chains. */
function textOfPane(pane) {
  const chains = expandRuns(pane.chains);
  const counts = pane.counts ? expandRuns(pane.counts) : null;
  const lines = pane.text ? pane.text.replace(/\n$/, "").split("\n") : [];
  return {
    id: pane.id, title: pane.title, note: pane.note, lines, chains, counts,
    countName: pane.countName,
    language: LANGUAGE_OF[pane.id] || "mlir",
    keysOf: row => chainKeys[chains[row]] || [],
    levelOf: row => chainLevels[chains[row]] || 0,
    decorate: counts && (row => [el("span", {class: "count", style: "width: 4ch", title: pane.countName}, String(counts[row]))]),
  };
}

const texts = data.panes.map(textOfPane);
const textById = Object.fromEntries(texts.map(text => [text.id, text]));
const machineText = textById.sass && textById.sass.lines.length ? textById.sass : textById.ptx || textById.assembly;

/** How many rows of a text come from a line: where they are, not where they were called. */
function countByKey(text) {
  const counts = new Map();
  if (text)
    for (const chain of text.chains) {
      const key = chainKeys[chain] && chainKeys[chain][0];
      if (key !== undefined) counts.set(key, (counts.get(key) || 0) + 1);
    }
  return counts;
}

const machineCounts = countByKey(machineText);

/** Facts by line: of the place itself, and of calls that led there. */
function factsByKey() {
  const found = new Map();
  const add = (kind, fact) => {
    for (const key of new Set(chainKeys[fact.chain] || [])) {
      if (!found.has(key)) found.set(key, []);
      found.get(key).push({kind, fact});
    }
  };
  for (const remark of data.remarks) {
    add("remark", remark);
    for (const note of remark.notes) if (note.chain !== remark.chain) add("note", note);
  }
  for (const access of data.accesses || []) add("access", access);
  const exchanges = data.exchanges || {inWarps: [], buffers: []};
  for (const exchange of exchanges.inWarps) if (exchange.shuffles) add("exchange", exchange);
  for (const buffer of exchanges.buffers) add("buffer", buffer);
  return found;
}

const lineFacts = factsByKey();

/** The first line of a file from which anything is. */
function firstLineOf(index) {
  const lines = chainKeys.flat().filter(key => fileOfKey(key) === index).map(lineOfKey);
  return Math.min(...lines, data.files[index].lines.length);
}

function textOfFile(file, index) {
  const hasCounts = machineCounts.size > 0;
  const name = machineText ? machineText.title : "";
  return {
    id: `source${index}`, title: baseName(file.name), lines: file.lines, language: "python",
    note: file.text ? "" : `The text of ${file.name} is not known.`,
    start: firstLineOf(index) - 4,
    keysOf: row => [keyOf(index, row + 1)],
    levelOf: row => {
      const at = selection.keys.indexOf(keyOf(index, row + 1));
      return at === 0 ? 2 : at > 0 ? 1 : 0;
    },
    decorate: row => {
      const key = keyOf(index, row + 1), count = machineCounts.get(key);
      const dot = el("span", {class: "dot", title: lineFacts.has(key) ? "There are remarks or figures for this line" : ""},
        lineFacts.has(key) ? "•" : " ");
      return hasCounts ? [dot, el("span", {class: "count", style: "width: 5ch", title: `instructions of ${name} from this line`},
        count ? String(count) : "")] : [dot];
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// What is known of a line
// ---------------------------------------------------------------------------------------------------------------------

function describeFact({kind, fact}) {
  switch (kind) {
  case "remark":
    return [`${fact.severity}: ${fact.text}`];
  case "note":
    return [`note: ${fact.text}`];
  case "access":
    return [accessText(fact)];
  case "exchange":
    return [`${fact.op}: ${fact.how}; ${plural(fact.shuffles, "shuffle")} a thread `, pictureButton("moves", exchangeChoice(fact)), reasonOf(fact)];
  default:
    return [`${bufferText(fact)} `, pictureButton("moves", exchangeChoice(fact))];
  }
}

const keysWithCode = new Set(chainKeys.flat());

/** The name of the function around a line if nothing is from any line of it; else nothing. */
function functionWithoutCode(key) {
  const file = fileOfKey(key), lines = data.files[file] ? data.files[file].lines : [];
  const isOutside = line => /^\S/.test(line) && !/^[)\]}#]/.test(line);
  // Decorators belong to what follows, other lines to what is before them.
  let begin = lineOfKey(key) - 1;
  while (begin < lines.length - 1 && lines[begin].startsWith("@")) ++begin;
  while (begin > 0 && !isOutside(lines[begin])) --begin;
  const [, name] = (lines[begin] || "").match(/^def\s+(\w+)/) || [];
  let end = begin + 1;
  while (end < lines.length && !isOutside(lines[end])) ++end;
  for (let line = begin; line < end; ++line)
    if (keysWithCode.has(keyOf(file, line + 1))) return undefined;
  return name;
}

function describeSelection(detail) {
  detail.replaceChildren();
  if (selection.query) {
    detail.append(el("p", {class: "note"}, "Lines that have the text are marked in all panes; n and p, or the arrows of a pane, go from one to the next."));
    return;
  }
  if (!selection.keys.length) {
    detail.append(el("p", {class: "note"}, "Point at a line, or walk through a pane with the arrow keys: what belongs to the line " +
      "is marked in all panes. A click keeps it, Escape lets it go; n and p go to the next and previous line that belongs to it."));
    return;
  }
  const [key, ...callers] = selection.keys;
  detail.append(el("h3", {}, placeText(key)), el("pre", {}, sourceLine(key).trim()));
  for (const caller of callers)
    detail.append(el("p", {class: "note"}, `called at ${placeText(caller)}`), el("pre", {}, sourceLine(caller).trim()));
  const counts = texts.filter(text => text.lines.length)
    .map(text => [text.title, Array.prototype.reduce.call(text.chains, (sum, chain) => sum + (chainLevels[chain] === 2), 0)])
    .filter(([, count]) => count);
  if (counts.length)
    detail.append(el("p", {}, counts.map(([title, count]) => `${title} ${count}`).join(" · ")));
  const facts = lineFacts.get(key) || [];
  if (facts.length)
    detail.append(el("ul", {}, grouped(facts, ({kind, fact}) => ({...fact, kind: `${kind} ${fact.kind}`}))
      .map(([fact, count]) => el("li", {}, describeFact(fact), count > 1 ? ` (${count} places)` : ""))));
  else {
    const name = functionWithoutCode(key);
    detail.append(el("p", {class: "note"}, name
      ? `This line is not part of the code of this page: nothing in it is from the function ${name}.`
      : "No remarks, accesses or exchanges stand at this line."));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The view
// ---------------------------------------------------------------------------------------------------------------------

/** The panes that there are, by name: what each can show, and what it shows first. */
function paneChoices() {
  const irIds = ["layout", "tile", "gpu", "nvvm"].filter(id => textById[id]);
  const choices = [["Source", data.files.map(textOfFile)], ["IR", irIds.map(id => textById[id])]];
  for (const id of ["llvm", "ptx", "assembly", "sass"])
    if (textById[id]) choices.push([textById[id].title, [textById[id]]]);
  return choices.filter(([, list]) => list.length);
}

function makeCodeView(view) {
  const toolbar = el("div", {class: "toolbar", role: "group", "aria-label": "Panes"});
  const panes = el("div", {class: "panes"});
  view.append(toolbar, panes);
  const isNarrow = matchMedia("(max-width: 700px)").matches;
  const addToggle = (name, element) => {
    const isShown = !isNarrow || ["Source", "IR", "This line"].includes(name);
    element.hidden = !isShown;
    toolbar.append(el("button", {type: "button", "aria-pressed": String(isShown), onclick: event => {
      element.hidden = !element.hidden;
      event.currentTarget.setAttribute("aria-pressed", String(!element.hidden));
    }}, name));
  };
  for (const [name, choices] of paneChoices()) {
    const pane = new CodePane(name, choices);
    panes.append(pane.element);
    addToggle(name, pane.element);
    selection.listeners.push(from => pane.update(from));
    if (name === "Source")
      selection.listeners.push(from => showFile(pane, from));
  }
  const detail = el("div", {class: "detail", tabindex: 0, role: "region", "aria-live": "polite", "aria-label": "What is known of the line"});
  const element = el("section", {class: "pane", "aria-label": "This line"}, el("header", {}, el("strong", {}, "This line")), detail);
  panes.append(element);
  addToggle("This line", element);
  selection.listeners.push(() => describeSelection(detail));
  describeSelection(detail);
  const find = el("input", {type: "search", placeholder: "Find in all panes ( / )", "aria-label": "Find in all panes", oninput: event => selection.find(event.target.value)});
  selection.listeners.push(() => { if (!selection.query && document.activeElement !== find) find.value = ""; });
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || view.hidden || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
    event.preventDefault();
    find.focus();
  }, {signal});
  toolbar.append(find);
}

/** The source pane shows the file of what was selected elsewhere. */
function showFile(pane, from) {
  if (from === pane || !selection.keys.length) return;
  const choice = pane.choices[fileOfKey(selection.keys[0])];
  if (choice && choice !== pane.text) pane.show(choice);
}
