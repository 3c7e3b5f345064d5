// What moves in an exchange: from which thread to which, and which banks of shared memory an access uses.

/** [name, hue or none] by how far an element goes. */
const DISTANCES = [
  ["stays in its register", null],
  ["goes to another register of the thread", 130],
  ["goes to another lane of the warp", 215],
  ["goes to another warp", 30],
  ["goes to another CTA", 320],
];

/** How far each element goes: of all copies, the nearest source for the first place that wants it. Also counts for all places. */
function distances(from, to) {
  const result = new Uint8Array(to.elements), counts = new Array(DISTANCES.length).fill(0), {first} = to.owners();
  const perWarp = to.sizes[0] * to.sizes[1], inBlock = new Uint8Array(to.elements);
  for (let block = 0, part = 0; block < to.sizes[3]; ++block) {
    inBlock.fill(0);
    const blockSize = from.points / from.sizes[3];
    for (let i = 0; i < blockSize; ++i) inBlock[from.flatOf(block * blockSize + i)] = 1;
    for (let warp = 0; warp < to.sizes[2]; ++warp, ++part) {
      const inWarp = new Uint8Array(to.elements), size = from.sizes[0] * from.sizes[1];
      for (let i = 0; i < size; ++i) inWarp[from.flatOf(part * size + i)] = 1;
      for (let lane = 0; lane < to.sizes[1]; ++lane) {
        const own = new Map();
        for (let reg = from.sizes[0] - 1; reg >= 0; --reg) own.set(from.flatOf(from.pointOf(reg, lane, warp, block)), reg);
        for (let reg = 0; reg < to.sizes[0]; ++reg) {
          const point = part * perWarp + lane * to.sizes[0] + reg, flat = to.flatOf(point);
          const isSame = reg < from.sizes[0] && from.flatOf(from.pointOf(reg, lane, warp, block)) === flat;
          const distance = isSame ? 0 : own.has(flat) ? 1 : inWarp[flat] ? 2 : inBlock[flat] ? 3 : 4;
          ++counts[distance];
          if (first[flat] === point) result[flat] = distance;
        }
      }
    }
  }
  return {result, counts};
}

function haveSameThreads(from, to) {
  return from.elements === to.elements && [1, 2, 3].every(dim => from.sizes[dim] === to.sizes[dim]);
}

function distanceColor(distance) {
  const hue = DISTANCES[distance][1];
  return hue === null ? cssColor("--line") : fillOf(hue, 12);
}

let moveZoom = 0;

/** Before and after, side by side; the element that is pointed at is framed in both. */
function movePart(fromIndex, toIndex) {
  const from = layoutMap(fromIndex), to = layoutMap(toIndex);
  if (!haveSameThreads(from, to))
    return [el("p", {class: "note"}, "The two sides are not made by the same threads, so there is nothing to compare.")];
  const {result, counts} = distances(from, to);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const status = el("p", {class: "status", "aria-live": "polite"}, "Point at an element, or walk with the arrow keys.");
  const before = new TilePicture(from, "Before, with lanes"), after = new TilePicture(to, "After, with lanes");
  for (const picture of [before, after]) {
    const {first} = picture.map.owners();
    picture.zoom = moveZoom;
    picture.colorOf = flat => distanceColor(result[flat]);
    picture.labelOf = flat => String(picture.map.parts(first[flat]).lane);
    picture.onPick = flat => {
      for (const other of [before, after]) { other.current = flat; other.mark([flat]); }
      status.textContent = `Element ${to.coordinates(flat)} ${DISTANCES[result[flat]][0]}: from ${from.describe(flat, false)} to ${to.describe(flat, false)}.`;
    };
  }
  return [
    el("div", {class: "legend"}, counts.map((count, distance) => count === 0 ? null :
      el("span", {}, el("i", {style: `background: ${distanceColor(distance)}`}), `${DISTANCES[distance][0]}: ${Math.round(100 * count / total)} %`))),
    status, el("div", {class: "pictures"}, before.element, after.element)];
}

// ---------------------------------------------------------------------------------------------------------------------
// Banks
// ---------------------------------------------------------------------------------------------------------------------

const BANKS = 32;

/** The phases of the first access of the first warp: for each bank the words that it must give, with the lanes that want them. */
function bankPhases(buffer, access) {
  const size = access.rowBytes || access.bytes, lanes = access.rows || 1 << access.laneOffsets.length;
  const perPhase = size <= 4 ? 32 : Math.max(1, 128 / size), phases = [];
  for (let lane = 0; lane < lanes; ++lane) {
    if (lane % perPhase === 0) phases.push(Array.from({length: BANKS}, () => new Map()));
    let offset = access.firstOffset;
    access.laneOffsets.forEach((image, bit) => { if (lane >> bit & 1) offset ^= image; });
    const start = offset * buffer.elementBytes;
    for (let word = Math.floor(start / 4); word * 4 < start + size; ++word) {
      const words = phases[phases.length - 1][word % BANKS];
      words.set(word, [...(words.get(word) || []), lane]);
    }
  }
  return phases;
}

function bankPicture(buffer, access) {
  const phases = bankPhases(buffer, access), cell = 30, left = 76;
  const height = phases.reduce((sum, banks) => sum + Math.max(1, ...banks.map(words => words.size)) * 22 + 8, 24);
  const picture = svg("svg", {width: left + BANKS * cell, height, role: "img",
    "aria-label": "Lanes by bank of shared memory, one row for each wavefront"});
  for (let bank = 0; bank < BANKS; ++bank)
    picture.append(svg("text", {x: left + bank * cell + cell / 2, y: 12, "text-anchor": "middle", class: "soft"}, String(bank)));
  picture.append(svg("text", {x: 0, y: 12, class: "soft"}, "bank"));
  let y = 20, wavefronts = 0;
  for (const banks of phases) {
    const depth = Math.max(1, ...banks.map(words => words.size));
    for (let row = 0; row < depth; ++row, ++wavefronts)
      picture.append(svg("text", {x: 0, y: y + row * 22 + 15, class: "soft"}, `wavefront ${wavefronts + 1}`));
    banks.forEach((words, bank) => [...words.values()].forEach((lanes, row) => {
      const name = lanes.length === 1 ? String(lanes[0]) : `${lanes[0]}+`;
      picture.append(svg("rect", {x: left + bank * cell, y: y + row * 22, width: cell - 2, height: 20, rx: 2,
        fill: fillOf(row ? 0 : hueOf(lanes[0], 32), row ? 14 : 0)}, svg("title", {}, `bank ${bank}: lanes ${lanes.join(", ")}`)),
      svg("text", {x: left + bank * cell + (cell - 2) / 2, y: y + row * 22 + 14, "text-anchor": "middle"}, name));
    }));
    y += depth * 22 + 8;
  }
  return {picture, wavefronts};
}

function bankPart(buffer, access) {
  if (!access || !access.laneOffsets) return [];
  const hasCopies = access.kind !== "load" && !access.matrix && data.layouts[access.layout].lane.includes(0);
  const frame = el("div", {class: "picture", tabindex: 0, role: "region", "aria-label": "Banks"});
  const text = el("p", {class: "note"});
  const draw = () => {
    const {picture, wavefronts} = bankPicture(buffer, access);
    frame.replaceChildren(picture);
    const what = access.matrix ? `each lane's row of 16 bytes for ${access.matrix}` : `each lane's ${plural(access.bytes, "byte")}`;
    text.textContent = `The first access of the first warp, ${what}: ${plural(wavefronts, "wavefront")}. Boxes have the number of the lane; ` +
      "lanes that want one word share it (+). More than one row in a group are conflicts." +
      (hasCopies ? " Lanes that hold copies are drawn, though only the first of them stores." : "");
  };
  redraws.push(draw);
  draw();
  return [el("h3", {}, `Banks: ${access.kind} `, lineButton(access.chain)), text, frame];
}

// ---------------------------------------------------------------------------------------------------------------------
// The view
// ---------------------------------------------------------------------------------------------------------------------

/** What the view can show: conversions inside warps, and buffers. */
const moveChoices = [];
if (data.exchanges) {
  for (const fact of data.exchanges.inWarps) if (fact.to !== undefined) moveChoices.push({fact});
  for (const buffer of data.exchanges.buffers) if (buffer.accesses.some(access => access.layout !== undefined)) moveChoices.push({fact: buffer, isBuffer: true});
}

function exchangeChoice(fact, access) {
  const choice = moveChoices.find(known => known.fact === fact);
  return choice && {choice, access};
}

function moveName({fact, isBuffer}) {
  const place = chainKeys[fact.chain].length ? placeText(chainKeys[fact.chain][0]) : "no line";
  return isBuffer ? `${place}: ${bufferText(fact)}` : `${place}: ${fact.how}`;
}

function showBuffer(place, buffer, chosen) {
  const sides = isWriter => buffer.accesses.filter(access => access.layout !== undefined && (access.kind !== "load") === isWriter);
  const writers = sides(true), readers = sides(false);
  const result = el("div", {});
  const name = access => `${access.kind} at ${chainKeys[access.chain].length ? placeText(chainKeys[access.chain][0]) : "no line"}`;
  const update = () => {
    const writer = writers[from.select.selectedIndex], reader = readers[to.select.selectedIndex];
    const parts = writer && reader ? [el("h3", {}, "Elements"), ...movePart(writer.layout, reader.layout)]
      : [el("p", {class: "note"}, writer ? "No thread loads from the buffer: hardware reads it." : "No thread stores into the buffer: hardware fills it.")];
    result.replaceChildren(...parts, ...bankPart(buffer, writer), ...bankPart(buffer, reader));
  };
  const from = choose("written by", writers.map(name), update), to = choose("read by", readers.map(name), update);
  if (chosen !== undefined) {
    const access = buffer.accesses[chosen];
    if (writers.includes(access)) from.select.selectedIndex = writers.indexOf(access);
    if (readers.includes(access)) to.select.selectedIndex = readers.indexOf(access);
  }
  place.replaceChildren(el("p", {}, bufferText(buffer), " ", lineButton(buffer.chain)),
    el("div", {class: "controls"}, writers.length ? from.element : null, readers.length ? to.element : null), result);
  update();
}

function showMove(place, {fact, isBuffer}, chosen) {
  if (isBuffer) showBuffer(place, fact, chosen);
  else
    place.replaceChildren(el("p", {}, `${fact.op} of ${fact.type}: ${fact.how}, ${plural(fact.shuffles, "shuffle")} a thread `,
      lineButton(fact.chain)), reasonOf(fact) || "", ...movePart(fact.from, fact.to));
}

function makeMovesView(view) {
  if (!moveChoices.length) {
    view.append(el("p", {class: "note"}, "No tile changes its layout, and the kernel has no buffers that threads access."));
    return;
  }
  const place = el("div", {});
  const which = choose("exchange", moveChoices.map(moveName), index => showMove(place, moveChoices[index]));
  const zoom = choose("size", ZOOMS.map(zoomName), index => {
    moveZoom = ZOOMS[index];
    showMove(place, moveChoices[which.select.selectedIndex]);
  });
  view.append(el("div", {class: "controls"}, which.element, zoom.element), place);
  pictureTargets.moves = ({choice, access}) => {
    which.select.selectedIndex = moveChoices.indexOf(choice);
    showMove(place, choice, access);
  };
  showMove(place, moveChoices[0]);
}
