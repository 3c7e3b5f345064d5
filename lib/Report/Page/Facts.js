// Views of figures: what a kernel takes, and its accesses to memory.

/** A table; one of many columns is a list of rows on narrow screens, where each cell says which column it is. */
function table(head, rows, numeric = []) {
  const isWide = head.length > 4;
  const cell = (name, value, i) => el(name, {class: numeric.includes(i) ? "n" : undefined, scope: name === "th" ? "col" : undefined,
    "data-label": name === "td" && isWide && head[i] ? head[i] : undefined}, value === "" ? null : el("span", {}, value));
  return el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Table"},
    el("table", {class: isWide ? "wide" : undefined},
    el("thead", {}, el("tr", {}, head.map((value, i) => cell("th", value, i)))),
    el("tbody", {}, rows.map(row => el("tr", {}, row.map((value, i) => cell("td", value, i)))))));
}

function card(value, label, className) {
  return el("div", {class: "card"}, el("b", {class: className}, String(value)), el("span", {}, label));
}

// ---------------------------------------------------------------------------------------------------------------------
// Resources
// ---------------------------------------------------------------------------------------------------------------------

function resourceCards(kernel) {
  const used = kernel.ptxas, cards = [];
  if (used) {
    const spills = used.spillStores + used.spillLoads;
    cards.push(card(used.registers, kernel.registerLimit ? `registers a thread, at most ${kernel.registerLimit}` : "registers a thread"),
      card(spills ? `${used.spillStores} / ${used.spillLoads}` : "none", "bytes of spills, stored / loaded", spills ? "bad" : "good"),
      card(used.stack, "bytes of stack a thread"), card(used.barriers, used.barriers === 1 ? "named barrier" : "named barriers"));
    if (used.constants) cards.push(card(used.constants, "bytes of constants"));
  }
  const fixed = used ? used.shared : kernel.staticShared;
  cards.push(card(bytesText(fixed + kernel.dynamicShared), `shared memory a CTA: ${fixed} static, ${kernel.dynamicShared} dynamic`),
    card(kernel.threads, `threads a CTA, ${plural(kernel.threads / 32, "warp")}`),
    card(kernel.ctas, kernel.ctas === 1 ? "CTA a program" : "CTAs a program, a cluster"));
  return el("div", {class: "cards"}, cards);
}

function occupancyPart(kernel) {
  const found = kernel.occupancy;
  const percent = found.maxWarps ? Math.round(1000 * found.warps / found.maxWarps) / 10 : 0;
  const text = found.ctas
    ? `${plural(found.ctas, "CTA")} ${found.ctas === 1 ? "fits" : "fit"} on a multiprocessor: ${found.warps} of ${found.maxWarps} warps, ${percent} %. Limited by ${found.limits}.`
    : `Not even one CTA fits. Limited by ${found.limits}.`;
  return [
    el("p", {}, text),
    found.isComplete ? null : el("p", {class: "warn"}, "Registers are not known, since ptxas has not run: it may be less."),
    table(["limit", "CTAs", "how"], found.rows.map(row => [
      el("span", {class: row.limits ? "warn" : undefined}, row.limits ? `${row.limit} ◂` : row.limit),
      row.ctas === undefined ? "–" : String(row.ctas), row.how]), [1]),
    kernel.ctas > 1 ? el("p", {class: "note"}, "A cluster's CTAs run on multiprocessors of one cluster of the GPU, which it may not fill.") : null,
    el("p", {class: "note"}, "The smallest number counts. Limits: CUDA C++ Programming Guide, \"Compute Capabilities\", table of technical " +
      "specifications. Units in which registers and shared memory are handed out: cuda_occupancy.h of the CUDA toolkit."),
  ];
}

function makeResourceView(view) {
  for (const kernel of data.kernels) {
    const constants = kernel.constants.map(constant => `${constant.name}=${constant.value}`).join(", ");
    view.append(el("h2", {}, kernel.name), el("p", {class: "note mono"}, [kernel.signature.replaceAll(",", ", "), constants].filter(Boolean).join(", ")));
    if (data.isGPU)
      view.append(resourceCards(kernel), el("h3", {}, "Occupancy"), ...occupancyPart(kernel).filter(Boolean));
    else
      view.append(el("p", {class: "note"}, "A processor hands out no registers or shared memory; there is nothing to count."));
  }
  view.append(el("h2", {}, "Remarks"));
  if (data.remarks.length)
    view.append(table(["line", "", "remark"], data.remarks.map(remark => [lineButton(remark.chain), remark.severity,
      [remark.text, ...remark.notes.map(note => el("div", {class: "note"}, "note: ", note.text, " ", lineButton(note.chain)))]])));
  else
    view.append(el("p", {class: "note"}, "The compiler had nothing to say."));
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

function rangeText({least, most}) {
  return least === most ? String(least) : `${least}–${most}`;
}

function accessText(access) {
  if (access.blockBytes)
    return `${access.kind}: ${bytesText(access.blockBytes)} of ${access.type}`;
  if (access.layout === undefined)
    return `${access.kind}: ${plural(access.bytes, "byte")} of ${access.type}`;
  const how = access.oneElement ? `one element for ${access.width} registers` : `${plural(access.width, "element")} of ${access.type}`;
  return `${access.kind}: ${plural(access.bytes, "byte")} a thread (${how}), ${access.count} × a thread; a warp touches ` +
    `${rangeText(access.lines)} lines of 128 bytes (${access.lines.needed} needed) and ${rangeText(access.sectors)} sectors of 32 ` +
    `(${access.sectors.needed} needed)`;
}

/** Facts that only differ in their row as [fact, how many]: copies before a loop and in it, for instance. */
function grouped(facts, plain = fact => fact) {
  const found = new Map();
  for (const fact of facts) {
    const key = JSON.stringify({...plain(fact), row: undefined});
    if (found.has(key)) ++found.get(key)[1];
    else found.set(key, [fact, 1]);
  }
  return [...found.values()];
}

function placeOf(fact, count) {
  return [lineButton(fact.chain), count > 1 ? ` × ${count}` : "", data.kernels.length > 1 && fact.kernel ? ` ${fact.kernel}` : ""];
}

/** A row of the table, in which pieces that are not needed stand out. */
function accessRow([access, places]) {
  const place = placeOf(access, places);
  if (access.layout === undefined)
    return [place, access.kind, access.type, access.blockBytes ? bytesText(access.blockBytes) : access.bytes, "", "", "", ""];
  const pieces = found => {
    const className = found.least > found.needed ? "bad" : found.most > 2 * found.needed ? "warn" : "good";
    return el("span", {class: className}, `${rangeText(found)} of ${found.needed}`);
  };
  return [place, access.kind, access.type, access.bytes, access.oneElement ? `1, for ${access.width}` : access.width, access.count,
    pieces(access.lines), [pieces(access.sectors), " ", pictureButton("layouts", access.layout)]];
}

function accessPart() {
  const accesses = data.accesses || [];
  if (!accesses.length) return [el("p", {class: "note"}, "There are none.")];
  return [
    table(["line", "access", "type", "bytes a thread", "elements", "times", "lines of 128 a warp", "sectors of 32 a warp"], grouped(accesses).map(accessRow), [3, 4, 5, 6, 7]),
    el("p", {class: "note"}, "For one access of a warp: lines and sectors that it touches, of as many as would do for its bytes. A range " +
      "is from best to worst where addresses are not known exactly: runs of neighbours may follow each other or not, and begin at the start of " +
      "a line or inside. Rows of a tile are taken to lie apart. Accesses that a mask switches off are counted as if they were on."),
  ];
}

function exchangeRow([exchange, places]) {
  return [placeOf(exchange, places), exchange.op, [exchange.how, reasonOf(exchange)], exchange.type, exchange.shuffles, pictureButton("moves", exchangeChoice(exchange))];
}

function bufferText(buffer) {
  const size = buffer.shape.length ? buffer.shape.join(" × ") : "1";
  const parts = [`${bytesText(buffer.bytes)} of shared memory for ${size} ${buffer.type}`];
  if (buffer.slots > 1) parts.push(`${buffer.slots} slots`);
  if (buffer.rounds > 1) parts.push(`${buffer.rounds} rounds`);
  return parts.join(", ");
}

/** Wavefronts of all accesses of a warp, and what they would be without conflicts. */
function conflictText(access) {
  if (access.matrix) return [`${access.count} × ${access.matrix}`, "–"];
  if (access.wavefronts === undefined) return ["–", "–"];
  const conflicts = access.wavefronts > access.leastWavefronts;
  return [`${access.count} × ${access.bytes}`, el("span", {class: conflicts ? "bad" : "good"},
    `${access.wavefronts} of ${access.leastWavefronts}`)];
}

function bufferPart(buffer) {
  const reason = ({origin, ends}) => origin ? el("div", {class: "note"}, "of ", operationsText([origin]))
    : ends && ends.length ? el("div", {class: "note"}, "for ", operationsText(ends)) : null;
  const rows = grouped(buffer.accesses).map(([access, places]) => [placeOf(access, places), [access.kind, reason(access)], ...conflictText(access),
    access.layout === undefined ? "" : pictureButton("moves", exchangeChoice(buffer, buffer.accesses.indexOf(access)))]);
  const at = buffer.offset === undefined ? "" : `, at ${buffer.offset}`;
  return el("section", {}, el("h3", {}, bufferText(buffer) + at, " ", lineButton(buffer.chain)),
    table(["line", "access", "times × bytes a thread", "wavefronts of least", ""], rows, [2, 3]));
}

function makeMemoryView(view) {
  const exchanges = data.exchanges || {inWarps: [], buffers: []};
  view.append(el("h2", {}, "Global memory"), ...accessPart(), el("h2", {}, "Exchanges inside warps"));
  if (exchanges.inWarps.length)
    view.append(table(["line", "operation", "how", "type", "shuffles a thread", ""], grouped(exchanges.inWarps).map(exchangeRow), [4]));
  else
    view.append(el("p", {class: "note"}, "There are none."));
  view.append(el("h2", {}, "Shared memory"));
  if (!exchanges.buffers.length) {
    view.append(el("p", {class: "note"}, "The kernel has no buffers."));
    return;
  }
  view.append(el("p", {class: "note"}, "A wavefront is what the 32 banks of 4 bytes do at once. An access of up to 4 bytes a thread takes one if banks do " +
    "not conflict, one of 8 bytes two, one of 16 bytes four. ldmatrix and stmatrix take a wavefront for each eight rows without conflicts. Buffers that are not " +
    "needed at the same time may lie at one place."), ...exchanges.buffers.map(bufferPart));
}
