// A pane is a list of lines of which only those in sight are elements.

const ROW = 18;

/** What stands out in a line: comments, and names of operations and instructions, the second group of each expression. */
const LANGUAGES = {
  python: /(#.*$)|\b(def|return|for|in|if|elif|else|while|assert|import|from|as|not|and|or|is|with|class)\b/g,
  mlir: /(\/\/.*$)|(?:^|= )\s*([a-z_]\w*\.[\w.]+)/g,
  llvm: /(;.*$)|(?:^|= )\s*((?:tail )?(?!to\b)[a-z][\w]*)(?= )/g,
  assembly: /((?:\/\/|#).*$)|^\s*(?:@!?%?\w+ +)?([a-z][\w.:]*)/g,
  sass: /(\/\/.*$)|^[0-9a-f]+ +(?:@!?\w+ +)?([A-Z][\w.]*)/g,
};

/** A line as pieces, some of them in elements with a colour. */
function colored(line, language) {
  const expression = LANGUAGES[language], pieces = [];
  let at = 0;
  for (const match of expression ? line.matchAll(expression) : []) {
    const word = match[1] || match[2];
    if (!word) continue;
    const start = match.index + match[0].lastIndexOf(word);
    pieces.push(line.slice(at, start), el("span", {class: match[1] ? "comment" : "name"}, word));
    at = start + word.length;
  }
  pieces.push(line.slice(at));
  return pieces.filter(piece => piece !== "");
}

const allPanes = [];

class CodePane {
  /** `choices` are the texts that the pane can show: {id, title, lines, keysOf(row), ..}. */
  constructor(name, choices, chosen) {
    this.choices = choices;
    this.rows = el("div", {class: "rows", tabindex: 0, role: "listbox", "aria-label": name});
    this.sizer = el("div", {class: "sizer"});
    this.rows.append(this.sizer);
    this.marks = el("canvas", {class: "marks", "aria-hidden": "true"});
    this.found = el("span", {class: "found"});
    this.previous = this.stepButton("Previous line that belongs to it", "↑", -1);
    this.next = this.stepButton("Next line that belongs to it", "↓", 1);
    this.note = el("p", {class: "note", hidden: true});
    this.head = el("header", {});
    this.element = el("section", {class: "pane", "aria-label": name}, this.head, this.note,
      el("div", {class: "body"}, this.rows, this.marks));
    this.current = -1;
    this.listen();
    this.fillHead(name);
    this.show(chosen || choices[0]);
    allPanes.push(this);
  }

  fillHead(name) {
    const title = this.choices.length === 1
      ? el("strong", {}, this.choices[0].title)
      : el("select", {"aria-label": `${name}: which`, onchange: event => this.show(this.choices[event.target.selectedIndex])},
        this.choices.map(choice => el("option", {}, choice.title)));
    this.select = this.choices.length > 1 ? title : null;
    this.head.append(title, this.found, this.previous, this.next);
  }

  stepButton(title, text, step) {
    return el("button", {type: "button", title, "aria-label": title, onclick: () => this.step(step)}, text);
  }

  listen() {
    this.rows.addEventListener("scroll", () => this.schedule(), {passive: true});
    new ResizeObserver(() => {
      // What is not in the page yet cannot be scrolled.
      if (!this.isPlaced && this.rows.clientHeight) {
        this.isPlaced = true;
        if (this.current < 0) this.rows.scrollTop = this.start * ROW;
      }
      this.drawMarks();
      this.schedule();
    }).observe(this.rows);
    this.rows.addEventListener("pointermove", event => this.hover(event));
    this.rows.addEventListener("pointerleave", () => clearTimeout(this.timer));
    this.rows.addEventListener("click", event => this.click(event));
    this.rows.addEventListener("keydown", event => this.key(event));
    this.marks.addEventListener("click", event => {
      const row = Math.floor(event.offsetY / this.marks.clientHeight * this.text.lines.length);
      this.scrollTo(row);
    });
  }

  show(choice) {
    this.text = choice;
    if (this.select) this.select.selectedIndex = this.choices.indexOf(choice);
    this.current = -1;
    this.note.textContent = choice.note || "";
    this.note.hidden = !choice.note;
    this.marks.classList.toggle("wide", Boolean(choice.counts));
    this.marks.title = choice.counts ? `Of all lines: ${choice.countName}` : "";
    this.hits = new Uint8Array(choice.lines.length);
    let longest = 0;
    for (const line of choice.lines) longest = Math.max(longest, line.length);
    this.digits = String(choice.lines.length).length;
    this.sizer.style.height = `${choice.lines.length * ROW}px`;
    this.sizer.style.width = `calc(${Math.min(longest, 4000) + this.digits + 10}ch)`;
    // Before the first line with a place there is what all kernels have.
    const first = choice.chains ? choice.chains.findIndex(chain => chain !== 0) : choice.start || 0;
    this.start = Math.max(0, first);
    this.rows.scrollTop = this.start * ROW;
    this.update(null);
  }

  // --- Rows in sight

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.render(); });
  }

  render() {
    const top = Math.max(0, Math.floor(this.rows.scrollTop / ROW) - 8);
    const end = Math.min(this.text.lines.length, Math.ceil((this.rows.scrollTop + this.rows.clientHeight) / ROW) + 8);
    const elements = [];
    for (let row = top; row < end; ++row) elements.push(this.rowElement(row));
    this.sizer.replaceChildren(...elements);
    const active = this.current >= top && this.current < end ? `${this.text.id}-${this.current}` : "";
    if (active) this.rows.setAttribute("aria-activedescendant", active);
    else this.rows.removeAttribute("aria-activedescendant");
  }

  rowElement(row) {
    const level = this.hits[row];
    const classes = ["row", level === 2 ? "hit" : level === 1 ? "near" : "", row === this.current ? "current" : ""];
    const element = el("div", {class: classes.filter(Boolean).join(" "), role: "option", id: `${this.text.id}-${row}`,
      "aria-selected": level === 2 ? "true" : "false", "aria-setsize": this.text.lines.length, "aria-posinset": row + 1});
    element.style.top = `${row * ROW}px`;
    element.dataset.row = row;
    element.append(el("span", {class: "number", style: `width: ${this.digits + 1}ch`}, String(row + 1)));
    if (this.text.decorate) element.append(...this.text.decorate(row));
    element.append(...colored((this.text.lines[row].slice(0, 4000) || " ").replace(/\t/g, "    "), this.text.language));
    return element;
  }

  drawMarks() {
    const height = this.marks.clientHeight, width = this.marks.clientWidth;
    if (!height) return;
    this.marks.width = width;
    this.marks.height = height;
    const context = this.marks.getContext("2d");
    if (this.text.counts) this.drawCounts(context, width, height);
    const near = cssColor("--accent"), hit = cssColor("--warn");
    for (const level of [1, 2]) {
      context.fillStyle = level === 2 ? hit : near;
      for (let row = 0; row < this.hits.length; ++row)
        if (this.hits[row] === level) context.fillRect(width - 9, Math.floor(row / this.hits.length * height), 8, 2);
    }
  }

  /** The counts along the whole text, the most as wide as there is room. */
  drawCounts(context, width, height) {
    const counts = this.text.counts;
    let most = 1;
    for (const count of counts) most = Math.max(most, count);
    context.fillStyle = cssColor("--line");
    for (let y = 0; y < height; ++y) {
      let count = 0;
      const end = Math.min(counts.length, Math.ceil((y + 1) / height * counts.length));
      for (let row = Math.floor(y / height * counts.length); row < end; ++row) count = Math.max(count, counts[row]);
      context.fillRect(0, y, count / most * width, 1);
    }
  }

  // --- Selection

  /** Marks the rows that belong to what is selected, and goes to the first, unless it was selected here. */
  update(from) {
    let first = -1, count = 0;
    const {query} = selection;
    for (let row = 0; row < this.text.lines.length; ++row) {
      const level = query ? 2 * this.text.lines[row].toLowerCase().includes(query) : this.text.levelOf(row);
      this.hits[row] = level;
      if (level) ++count;
      if (level && (first < 0 || level > this.hits[first])) first = row;
    }
    this.found.textContent = !selection.keys.length && !query ? "" : count ? plural(count, "line") : "none";
    this.previous.disabled = this.next.disabled = count < 2;
    if (from !== this) {
      this.current = first;
      if (first >= 0) this.scrollTo(first);
      else if (!selection.keys.length && !this.rows.scrollTop) this.rows.scrollTop = this.start * ROW;
    }
    this.drawMarks();
    this.render();
  }

  scrollTo(row) {
    const top = row * ROW, height = this.rows.clientHeight;
    if (top < this.rows.scrollTop + ROW || top > this.rows.scrollTop + height - 3 * ROW)
      this.rows.scrollTop = Math.max(0, top - height / 3);
    // What is on the left says what the line is.
    this.rows.scrollLeft = 0;
  }

  step(direction) {
    const count = this.hits.length;
    for (let i = 1; i <= count; ++i) {
      const row = ((this.current + direction * i) % count + count) % count;
      if (!this.hits[row]) continue;
      this.current = row;
      this.scrollTo(row);
      this.render();
      return;
    }
  }

  pick(row) {
    this.current = row;
    const keys = this.text.keysOf(row);
    selection.set(keys, keys.length > 1, this);
  }

  rowAt(event) {
    const element = event.target.closest ? event.target.closest(".row") : null;
    return element ? Number(element.dataset.row) : -1;
  }

  hover(event) {
    const row = this.rowAt(event);
    if (selection.isPinned || row < 0 || row === this.hovered) return;
    clearTimeout(this.timer);
    // Not for each line that the pointer only passes.
    this.timer = setTimeout(() => {
      this.hovered = row;
      if (!selection.isPinned && this.text.keysOf(row).length) this.pick(row);
    }, 60);
  }

  click(event) {
    const row = this.rowAt(event);
    if (row < 0) return;
    clearTimeout(this.timer);
    const isSame = selection.isPinned && row === this.current;
    selection.isPinned = !isSame && this.text.keysOf(row).length > 0;
    this.hovered = row;
    this.pick(row);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.rows.clientHeight / ROW) - 2), last = this.text.lines.length - 1;
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page};
    let row = this.current < 0 ? Math.floor(this.rows.scrollTop / ROW) : this.current;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) row += this.current < 0 ? 0 : steps[event.key];
    else if (event.key === "Home") row = 0;
    else if (event.key === "End") row = last;
    else if (event.key === "n" || event.key === "p") { this.step(event.key === "n" ? 1 : -1); return; }
    else return;
    event.preventDefault();
    row = Math.min(last, Math.max(0, row));
    selection.isPinned = true;
    const left = this.rows.scrollLeft;
    this.scrollTo(row);
    this.rows.scrollLeft = left;
    this.pick(row);
  }
}
