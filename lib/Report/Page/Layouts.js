// Layouts as pictures: a tile is a grid of elements, coloured by who holds them.

const redraws = []; // Pictures that depend on colours of the page.
const pictureTargets = {}; // By view: shows a choice in it.

function pictureButton(view, choice) {
  if (choice === undefined) return "";
  return el("button", {class: "line", type: "button", onclick: () => { showView(view); pictureTargets[view](choice); }}, "picture");
}

const DIMS = ["register", "lane", "warp", "block"];

/** A layout as a map: the image of a number is the exclusive or of the images of its bits. */
class LayoutMap {
  constructor(layout) {
    this.shape = layout.shape;
    this.elements = layout.shape.reduce((product, size) => product * size, 1);
    this.bits = DIMS.map(dim => layout[dim].length);
    this.images = DIMS.map(dim => {
      const images = new Uint32Array(1 << layout[dim].length);
      for (let i = 1; i < images.length; ++i) images[i] = images[i & (i - 1)] ^ layout[dim][31 - Math.clz32(i & -i)];
      return images;
    });
    this.sizes = this.images.map(images => images.length);
    this.points = this.sizes.reduce((product, size) => product * size, 1);
  }

  /** Points are numbers, the register lowest. */
  pointOf(reg, lane, warp, block) {
    return ((block * this.sizes[2] + warp) * this.sizes[1] + lane) * this.sizes[0] + reg;
  }
  parts(point) {
    const reg = point % this.sizes[0], thread = Math.floor(point / this.sizes[0]);
    const lane = thread % this.sizes[1], rest = Math.floor(thread / this.sizes[1]);
    return {reg, lane, warp: rest % this.sizes[2], block: Math.floor(rest / this.sizes[2]), thread};
  }
  flatOf(point) {
    const {reg, lane, warp, block} = this.parts(point);
    return this.images[0][reg] ^ this.images[1][lane] ^ this.images[2][warp] ^ this.images[3][block];
  }

  /** For each element the first point that holds it, and how many do. */
  owners() {
    if (this.known) return this.known;
    const first = new Int32Array(this.elements).fill(-1), copies = new Uint32Array(this.elements);
    for (let point = 0; point < this.points; ++point) {
      const flat = this.flatOf(point);
      if (first[flat] < 0) first[flat] = point;
      ++copies[flat];
    }
    this.known = {first, copies};
    return this.known;
  }

  coordinates(flat) {
    const result = [];
    for (let axis = this.shape.length - 1; axis >= 0; --axis) {
      result.unshift(flat % this.shape[axis]);
      flat = Math.floor(flat / this.shape[axis]);
    }
    return `(${result.join(", ")})`;
  }

  /** The first place of an element, and how many more there are. */
  describe(flat, withCopies = true) {
    const {first, copies} = this.owners(), {reg, lane, warp, block} = this.parts(first[flat]);
    const cta = this.sizes[3] > 1 ? `CTA ${block}, ` : "";
    const more = withCopies && copies[flat] > 1 ? `; ${copies[flat]} copies in all` : "";
    return `${cta}warp ${warp}, lane ${lane}, register ${reg}${more}`;
  }
}

const layoutMaps = [];
function layoutMap(index) {
  return layoutMaps[index] || (layoutMaps[index] = new LayoutMap(data.layouts[index]));
}

/** A colour on which the page's text can be read. */
function fillOf(hue, step = 0) {
  return isDark() ? `hsl(${hue} 45% ${22 + step}%)` : `hsl(${hue} 70% ${84 - step}%)`;
}
const hueOf = (number, of) => of <= 32 ? Math.round(number * 360 / Math.max(of, 1)) : number * 137.5 % 360;

/** A tile as a canvas. Dimensions before the last are rows; what is too wide goes on below. */
class TilePicture {
  constructor(map, label) {
    this.map = map;
    const last = map.shape.length > 1 ? map.shape[map.shape.length - 1] : Math.min(32, map.elements);
    this.columns = Math.min(last, 256);
    this.allRows = map.elements / this.columns;
    this.rows = Math.min(this.allRows, 512);
    this.canvas = el("canvas", {tabindex: 0, role: "img", "aria-label": label});
    this.frame = el("div", {class: "picture"}, this.canvas);
    this.element = el("div", {}, el("h3", {}, label), this.frame,
      this.rows < this.allRows ? el("p", {class: "note"}, `The first ${this.rows} of ${this.allRows} rows.`) : null);
    this.marked = [];
    this.zoom = 0;
    this.canvas.addEventListener("pointermove", event => this.point(event.offsetX, event.offsetY));
    this.canvas.addEventListener("click", event => this.point(event.offsetX, event.offsetY));
    this.canvas.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => { if (this.frame.clientWidth !== this.width) this.draw(); }).observe(this.frame);
    redraws.push(() => this.draw());
  }

  point(x, y) {
    const column = Math.floor(x / this.cell), row = Math.floor(y / this.cell);
    if (column >= 0 && column < this.columns && row >= 0 && row < this.rows) this.pick(row * this.columns + column);
  }

  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns}[event.key];
    if (!step) return;
    event.preventDefault();
    const flat = this.current === undefined ? 0 : this.current + step;
    if (flat < 0 || flat >= this.rows * this.columns) return;
    this.pick(flat);
    const top = Math.floor(flat / this.columns) * this.cell;
    if (top < this.frame.scrollTop || top + this.cell > this.frame.scrollTop + this.frame.clientHeight)
      this.frame.scrollTop = top - this.frame.clientHeight / 2;
  }

  pick(flat) {
    if (flat === this.current) return;
    this.current = flat;
    if (this.onPick) this.onPick(flat);
  }

  cellSize() {
    const fit = Math.max(1, Math.min(28, Math.floor((this.frame.clientWidth - 2) / this.columns)));
    return Math.min(this.zoom || fit, Math.max(1, Math.floor(8000 / Math.max(this.rows, this.columns))));
  }

  draw() {
    this.width = this.frame.clientWidth;
    if (!this.width || !this.colorOf) return;
    const cell = this.cell = this.cellSize(), scale = Math.min(devicePixelRatio || 1, 2);
    this.base = document.createElement("canvas");
    for (const canvas of [this.base, this.canvas]) {
      canvas.width = this.columns * cell * scale;
      canvas.height = this.rows * cell * scale;
    }
    this.canvas.style.width = `${this.columns * cell}px`;
    this.canvas.style.height = `${this.rows * cell}px`;
    const context = this.base.getContext("2d");
    context.scale(scale, scale);
    context.font = `${Math.min(12, cell * 0.5)}px sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const gap = cell > 5 ? 1 : 0, textColor = cssColor("--text");
    for (let flat = 0; flat < this.rows * this.columns; ++flat) {
      const x = flat % this.columns * cell, y = Math.floor(flat / this.columns) * cell;
      context.fillStyle = this.colorOf(flat);
      context.fillRect(x, y, cell - gap, cell - gap);
      if (cell < 17 || !this.labelOf) continue;
      context.fillStyle = textColor;
      context.fillText(this.labelOf(flat), x + cell / 2, y + cell / 2);
    }
    this.scale = scale;
    this.mark(this.marked);
  }

  /** Frames around elements. */
  mark(flats) {
    this.marked = flats;
    if (!this.base) return;
    const context = this.canvas.getContext("2d"), cell = this.cell;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.base, 0, 0);
    context.scale(this.scale, this.scale);
    context.strokeStyle = context.fillStyle = cssColor("--text");
    context.lineWidth = 2;
    for (const flat of flats) {
      if (flat >= this.rows * this.columns) continue;
      const x = flat % this.columns * cell, y = Math.floor(flat / this.columns) * cell;
      if (cell < 6) context.fillRect(x, y, Math.max(cell, 2), Math.max(cell, 2));
      else context.strokeRect(x + 0.5, y + 0.5, cell - 2, cell - 2);
    }
  }
}

/** Pixels of an element; 0 is what fits. */
const ZOOMS = [0, 2, 4, 8, 16, 24];
const zoomName = size => size ? `${size} pixels` : "as fits";

function choose(label, options, onchange) {
  const select = el("select", {onchange: () => onchange(select.selectedIndex)}, options.map(option => el("option", {}, option)));
  return {element: el("label", {}, `${label} `, select), select};
}

// ---------------------------------------------------------------------------------------------------------------------
// The view
// ---------------------------------------------------------------------------------------------------------------------

function layoutName(index) {
  const {shape, uses} = data.layouts[index];
  const types = [...new Set(uses.map(use => use[2]))].slice(0, 3).join(", ");
  return `${index}: ${shape.join(" × ")}${types ? ` of ${types}` : ""}, ${plural(uses.length, "value")}`;
}

const COLOURS = [
  ["lane", (map, parts) => fillOf(hueOf(parts.lane, map.sizes[1])), parts => parts.lane],
  ["warp", (map, parts) => fillOf(hueOf(parts.block * map.sizes[2] + parts.warp, map.sizes[2] * map.sizes[3])), parts => parts.warp],
  ["register", (map, parts) => fillOf(215, Math.round(34 * parts.reg / map.sizes[0])), parts => parts.reg],
];

/** What each bit of a hardware dimension adds to an element's coordinates. */
function basesTable(index) {
  const layout = data.layouts[index], map = layoutMap(index);
  const rows = DIMS.map(dim => [dim === "block" ? "CTA" : dim, String(1 << layout[dim].length),
    el("span", {class: "mono"}, layout[dim].map(image => map.coordinates(image)).join(" ") || "–")]);
  return table(["", "how many", "what each bit of its number adds to an element's coordinates, by exclusive or"], rows, [1]);
}

function showLayout(place, index, colour, zoom) {
  const map = layoutMap(index);
  const status = el("p", {class: "status", "aria-live": "polite"}, "Point at an element, or walk with the arrow keys.");
  const picture = new TilePicture(map, `Tile of ${map.shape.join(" × ")}, coloured by ${COLOURS[colour][0]}`);
  const {first} = map.owners(), [, colorOf, labelOf] = COLOURS[colour];
  picture.zoom = zoom;
  picture.colorOf = flat => colorOf(map, map.parts(first[flat]));
  picture.labelOf = flat => String(labelOf(map.parts(first[flat])));
  picture.onPick = flat => {
    const parts = map.parts(first[flat]), own = [];
    for (let reg = 0; reg < map.sizes[0]; ++reg) own.push(map.flatOf(map.pointOf(reg, parts.lane, parts.warp, parts.block)));
    picture.mark([...new Set(own)]);
    status.textContent = `Element ${map.coordinates(flat)}: ${map.describe(flat)}. The thread's ${plural(new Set(own).size, "element")} ` +
      `in ${plural(map.sizes[0], "register")} are framed.`;
  };
  const uses = data.layouts[index].uses.filter(use => chainKeys[use[0]].length);
  const places = [...new Map(uses.map(use => [chainKeys[use[0]][0], use[0]])).values()].slice(0, 16);
  place.replaceChildren(status, picture.element, el("h3", {}, "The map"), basesTable(index),
    el("h3", {}, "Where values have it"), el("p", {}, places.map(chain => [lineButton(chain), " "])));
  picture.draw();
}

function makeLayoutView(view) {
  if (!data.layouts.length) {
    view.append(el("p", {class: "note"}, "The kernel has no tiles with a layout."));
    return;
  }
  const place = el("div", {});
  // What most is done in comes first.
  const order = data.layouts.map((_, index) => index).sort((a, b) => {
    const size = index => layoutSize(data.layouts[index]);
    return size(b) - size(a) || data.layouts[b].uses.length - data.layouts[a].uses.length;
  });
  const update = () => showLayout(place, order[which.select.selectedIndex], colour.select.selectedIndex, ZOOMS[zoom.select.selectedIndex]);
  const which = choose("layout", order.map(layoutName), update);
  const colour = choose("colour by", COLOURS.map(([name]) => name), update);
  const zoom = choose("size", ZOOMS.map(zoomName), update);
  view.append(el("div", {class: "controls"}, which.element, colour.element, zoom.element), place);
  pictureTargets.layouts = index => {
    which.select.selectedIndex = order.indexOf(index);
    update();
  };
  update();
}

function layoutSize(layout) {
  return layout.shape.reduce((product, size) => product * size, 1);
}
