// What is in flight while a program runs, in its own order: a few iterations of each loop are followed.

const EVENTS = {
  copy: ["C", "copy starts", 215], bulkCopy: ["B", "copy of a block starts", 215], commit: ["g", "copies become a group", 200],
  copyWait: ["W", "waits for copies", 0], arrive: ["a", "arrives at a barrier", 280], barrierWait: ["w", "waits at a barrier", 0],
  barrier: ["|", "all threads of the CTA wait for each other", 0], clusterArrive: ["a", "CTA arrives", 280],
  clusterWait: ["w", "waits for all CTAs", 0], groupProduct: ["P", "product of warp groups starts", 130],
  productWait: ["W", "waits for products", 0], product: ["p", "product", 130], sharedLoad: ["r", "reads shared memory", 170],
  sharedStore: ["s", "writes shared memory", 40], load: ["L", "loads global memory", 240], store: ["S", "stores to global memory", 50],
  privateLoad: ["k", "takes what it kept", 150], privateStore: ["K", "keeps in memory of the thread", 20],
  atomic: ["A", "atomic operation", 320], bulkStore: ["B", "store of a block starts", 50], bulkStoreWait: ["W", "waits for stores of blocks", 0],
};
const ITERATIONS = 4, MOST_STEPS = 400;

/** The events as one walk through the program meets them; of branches the first one is followed. */
function unroll(events, depth, walk) {
  for (const event of events) {
    if (walk.steps.length >= MOST_STEPS) { walk.isCut = true; return; }
    if (event.kind === "branch") {
      if (event.alternative) walk.hasBranches = true;
      else unroll(event.body, depth, walk);
    } else if (event.kind === "loop") {
      walk.hasLoops = true;
      for (let i = 0; i < (depth ? 2 : ITERATIONS); ++i) {
        walk.marks.push({at: walk.steps.length, text: `${"·".repeat(depth)}iteration ${i + 1}`});
        unroll(event.body, depth + 1, walk);
      }
      walk.marks.push({at: walk.steps.length, text: "behind the loop"});
    } else if (event.kind !== "role") {
      walk.steps.push(event);
    }
  }
}

/** From where to where copies and products are in flight. A wait ends what it waits for. */
class Flights {
  constructor() {
    this.bars = [];
    this.open = {copies: [], groups: [], blocks: [], products: [], stores: []};
  }
  begin(list, event, at) {
    const bar = {from: at, to: null, event, list};
    this.bars.push(bar);
    this.open[list].push(bar);
  }
  end(bars, at) {
    for (const bar of bars) if (bar.to === null) bar.to = at;
  }
  step(event, at) {
    const {open} = this;
    switch (event.kind) {
    case "copy": this.begin("copies", event, at); break;
    case "commit": open.groups.push(open.copies); open.copies = []; break;
    case "copyWait": while (open.groups.length > event.pending) this.end(open.groups.shift(), at); break;
    case "arrive":
      // The arrival counts when the copies have landed: they are the barrier's.
      if (event.afterCopies)
        for (const bar of this.bars) if (bar.list === "copies" && bar.to === null && bar.barrier === undefined) bar.barrier = event.barrier;
      break;
    case "bulkCopy": this.begin("blocks", event, at); this.bars[this.bars.length - 1].barrier = event.barrier; break;
    case "barrierWait": {
      const own = this.bars.filter(bar => bar.to === null && bar.barrier === event.barrier);
      // Of blocks, a phase has one for each buffer.
      const seen = new Set();
      this.end(own.filter(bar => bar.list !== "blocks" || (!seen.has(bar.event.row) && seen.add(bar.event.row))), at);
      break;
    }
    case "groupProduct": this.begin("products", event, at); break;
    case "productWait": while (open.products.length > event.pending) this.end([open.products.shift()], at); break;
    case "bulkStore": this.begin("stores", event, at); break;
    case "bulkStoreWait": this.end(open.stores.splice(0), at); break;
    }
  }
}

const STEP = 24, BAR = 16;

/** Rows for bars, so that none are on top of each other. */
function stack(bars, end) {
  const free = [];
  for (const bar of bars) {
    let row = free.findIndex(at => at <= bar.from);
    if (row < 0) row = free.length;
    free[row] = (bar.to === null ? end : bar.to) + 1;
    bar.row = row;
  }
  return free.length;
}

function eventText(event) {
  const details = [];
  if (event.pending !== undefined) details.push(`but for the latest ${event.pending}`);
  if (event.bytes) details.push(bytesText(event.bytes));
  if (event.barrier !== undefined) details.push(`barrier ${event.barrier}`);
  if (event.buffer !== undefined) details.push(`buffer ${event.buffer}`);
  if (event.afterCopies) details.push("when its copies have landed");
  const keys = chainKeys[event.chain] || [];
  return `${EVENTS[event.kind][1]}${details.length ? ` (${details.join(", ")})` : ""}${keys.length ? `, ${placeText(keys[0])}` : ""}`;
}

function eventBox(event, at, y, status) {
  const [letter, , hue] = EVENTS[event.kind], show = () => { status.textContent = eventText(event); };
  const go = () => { showView("code"); selection.isPinned = true; selection.set(chainKeys[event.chain] || [], (chainKeys[event.chain] || []).length > 1, null); };
  return svg("g", {tabindex: at ? -1 : 0, role: "button", "aria-label": eventText(event), onpointerenter: show, onfocus: show, onclick: go,
    onkeydown: key => {
      const next = {ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling"}[key.key];
      let other = next && key.currentTarget[next];
      while (other && other.getAttribute("role") !== "button") other = other[next];
      if (other) other.focus();
      if (other) key.preventDefault();
      if (key.key === "Enter") go();
    }, style: "cursor: pointer"},
  svg("rect", {x: at * STEP, y, width: STEP - 3, height: 22, rx: 3, fill: fillOf(hue, 8)}),
  svg("text", {x: at * STEP + (STEP - 3) / 2, y: y + 15, "text-anchor": "middle"}, letter));
}

function drawWalk(walk, status) {
  const flights = new Flights(), end = walk.steps.length;
  walk.steps.forEach((event, at) => flights.step(event, at));
  const groups = [["copies in flight", ["copies", "blocks"], 215], ["products in flight", ["products"], 130], ["stores in flight", ["stores"], 50]];
  let y = 62;
  const picture = svg("svg", {width: Math.max(300, end * STEP + 120), role: "group", "aria-label": "Events in program order"});
  walk.marks.forEach((mark, index) => {
    picture.append(svg("line", {x1: mark.at * STEP - 1.5, x2: mark.at * STEP - 1.5, y1: 4, y2: "100%", class: "grid"}));
    const next = walk.marks[index + 1];
    // A name that has no room is left to the line.
    if (!next || (next.at - mark.at) * STEP > mark.text.length * 6.5) picture.append(svg("text", {x: mark.at * STEP + 4, y: 15, class: "soft"}, mark.text));
  });
  walk.steps.forEach((event, at) => picture.append(eventBox(event, at, 26, status)));
  for (const [name, lists, hue] of groups) {
    const bars = flights.bars.filter(bar => lists.includes(bar.list));
    if (!bars.length) continue;
    picture.append(svg("text", {x: 2, y: y + 12, class: "soft"}, name));
    y += 18;
    const rows = stack(bars, end);
    for (const bar of bars) {
      const to = bar.to === null ? end : bar.to;
      picture.append(svg("rect", {x: bar.from * STEP, y: y + bar.row * (BAR + 3), width: (to - bar.from + 1) * STEP - 3, height: BAR, rx: 3, fill: fillOf(hue, 12),
        onpointerenter: () => { status.textContent = `${eventText(bar.event)}: ${bar.to === null ? "nothing in this walk waits for it" : `in flight for ${plural(to - bar.from, "step")}`}`; }}));
    }
    y += rows * (BAR + 3) + 8;
  }
  picture.setAttribute("height", y);
  return picture;
}

function walkPart(title, events, isRole) {
  const walk = {steps: [], marks: []};
  unroll(events, 0, walk);
  if (!walk.steps.length) return [];
  const status = el("p", {class: "status", "aria-live": "polite"}, "Point at a box, or walk with the arrow keys: what it is. Enter or a click shows it in the code.");
  const frame = el("div", {class: "picture"});
  const draw = () => frame.replaceChildren(drawWalk(walk, status));
  redraws.push(draw);
  draw();
  const kinds = [...new Set(walk.steps.map(event => event.kind))];
  const notes = [];
  if (walk.hasLoops) notes.push(`Of loops ${ITERATIONS} iterations are shown, of inner ones 2.`);
  if (walk.hasBranches) notes.push("Of branches the first one is followed.");
  if (isRole) notes.push("Warps with roles meet at barriers: what is in flight here may be over as soon as warps of another role have waited for it.");
  if (walk.isCut) notes.push(`Only the first ${MOST_STEPS} events are shown.`);
  return [el("h3", {}, title), el("div", {class: "legend"}, kinds.map(kind =>
    el("span", {}, el("i", {style: `background: ${fillOf(EVENTS[kind][2], 8)}`}), `${EVENTS[kind][0]} ${EVENTS[kind][1]}`))),
  status, frame, el("p", {class: "note"}, notes.join(" "))];
}

/** Warps with roles walk for themselves. */
function rolesOf(events) {
  return events.flatMap(event => event.kind === "role" ? [event] : event.body ? rolesOf(event.body) : []);
}

function makeTimelineView(view) {
  view.append(el("p", {class: "note"}, "Events in the order of the program, each as wide as any other: the picture says what may overlap, not how long it takes."));
  let hasAny = false;
  for (const {kernel, events} of data.timeline) {
    const roles = rolesOf(events);
    const parts = [...walkPart(roles.length ? `${kernel}: all warps` : kernel, events),
      ...roles.flatMap(role => walkPart(`${kernel}: ${plural(role.warps, "warp")} of ${role.registers} registers a thread`, role.body, true))];
    hasAny = hasAny || parts.length > 0;
    view.append(...parts);
  }
  if (!hasAny) view.append(el("p", {class: "note"}, "Nothing is in flight, and no threads wait for each other."));
}
