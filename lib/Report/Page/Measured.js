// What launches took that were recorded: times, and how near they came to what the memory can do.

const number = (value, digits = 3) => value.toLocaleString("en", {maximumSignificantDigits: digits});

/** A number with a prefix of thousands: 51.2 M. */
function scaled(value, unit) {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  for (; value >= 999.5 && at < prefixes.length - 1; ++at) value /= 1000;
  return `${number(value)} ${prefixes[at]}${unit}`;
}

function variantName(variant) {
  return variant.constants ? `${variant.kernel} (${variant.constants})` : variant.kernel;
}

const orDash = (value, text) => value ? text(value) : "–";

/** Operations a byte; 0 where it is not known. */
const intensityOf = variant => variant.operations && variant.bytes ? variant.operations / variant.bytes : 0;

function variantRow(variant, index) {
  const device = data.measured.devices[variant.device];
  return [
    [`${index + 1}. `, variantName(variant), variant.isSame ? el("b", {class: "good"}, " this code") : null, variant.isElsewhere ? " for another kind of device" : null,
      el("div", {class: "note mono"}, variant.signature)],
    device.name, variant.launches,
    orDash(variant.fastest, number), orDash(variant.median, number), orDash(variant.total, number),
    orDash(variant.bytes, value => scaled(value, "B")), orDash(variant.bandwidth, number),
    orDash(device.peak && variant.bandwidth, value => `${number(100 * value / device.peak)} %`),
    orDash(variant.rate, number), orDash(variant.registers, String),
    variant.maxWarps ? `${variant.warps} of ${variant.maxWarps}` : "–",
  ];
}

// ---------------------------------------------------------------------------------------------------------------------
// Pictures
// ---------------------------------------------------------------------------------------------------------------------

/** An axis of powers of ten around these values. */
function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)));
  return {low, high: Math.max(high, low + 1)};
}

const powerText = power => power >= 0 && power < 4 ? String(10 ** power) : power < 0 && power > -4 ? (10 ** power).toFixed(-power) : `1e${power}`;

/** Labels beside points, each below the one before it where they would touch. */
function placeLabels(points) {
  const sorted = [...points].sort((a, b) => a.y - b.y);
  let last = -Infinity;
  for (const point of sorted) {
    point.labelY = Math.max(point.y + 4, last + 14);
    last = point.labelY;
  }
  return sorted;
}

/** Operations a second over operations a byte; the memory's roof is a line of slope 1. */
function rooflinePicture(variants, width) {
  const peaks = [...new Set(variants.map(variant => data.measured.devices[variant.device].peak).filter(Boolean))];
  const left = 58, right = 16, top = 16, bottom = 46, height = Math.round(Math.max(220, Math.min(360, width * 0.6)));
  const intensities = variants.map(intensityOf);
  const x = decades([...intensities.map(value => value / 2), ...intensities.map(value => value * 2)]);
  const y = decades([...variants.map(variant => variant.rate / 2), ...variants.map(variant => variant.rate * 2),
    ...peaks.flatMap(peak => intensities.map(value => value * peak))]);
  const atX = value => left + (Math.log10(value) - x.low) / (x.high - x.low) * (width - left - right);
  const atY = value => height - bottom - (Math.log10(value) - y.low) / (y.high - y.low) * (height - top - bottom);
  const parts = [];
  for (let power = x.low; power <= x.high; ++power)
    parts.push(svg("line", {class: "grid", x1: atX(10 ** power), x2: atX(10 ** power), y1: top, y2: height - bottom}),
      svg("text", {x: atX(10 ** power), y: height - bottom + 20, "text-anchor": "middle"}, powerText(power)));
  for (let power = y.low; power <= y.high; ++power)
    parts.push(svg("line", {class: "grid", x1: left, x2: width - right, y1: atY(10 ** power), y2: atY(10 ** power)}),
      svg("text", {x: left - 6, y: atY(10 ** power) + 4, "text-anchor": "end"}, powerText(power)));
  parts.push(svg("text", {x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"}, "operations a byte"));
  for (const peak of peaks) {
    // Where the roof enters and leaves the picture.
    const from = Math.max(10 ** x.low, 10 ** y.low / peak), to = Math.min(10 ** x.high, 10 ** y.high / peak);
    if (from < to) parts.push(svg("line", {class: "roof", x1: atX(from), y1: atY(from * peak), x2: atX(to), y2: atY(to * peak)}));
  }
  const points = variants.map((variant, i) => ({variant, x: atX(intensities[i]), y: atY(variant.rate)}));
  for (const point of placeLabels(points)) {
    const text = `${point.variant.number}`, isLeft = point.x > width - right - 40;
    parts.push(svg("circle", {class: point.variant.isSame ? "point same" : "point", cx: point.x, cy: point.y, r: 5}, svg("title", {}, variantName(point.variant))),
      svg("text", {x: point.x + (isLeft ? -9 : 9), y: point.labelY, "text-anchor": isLeft ? "end" : "start"}, text));
  }
  return el("div", {class: "roofline"}, svg("svg", {width, height, role: "img", "aria-label": "Roofline: operations a second over operations a byte"}, parts));
}

/** Bandwidths as bars, of the peak where it is known, else of the largest. */
function bandwidthPicture(variants, width) {
  const rowHeight = 38, most = Math.max(...variants.map(variant => data.measured.devices[variant.device].peak || variant.bandwidth));
  const inner = width - 2, parts = [];
  variants.forEach((variant, i) => {
    const peak = data.measured.devices[variant.device].peak, at = i * rowHeight;
    const share = peak ? `, ${number(100 * variant.bandwidth / peak)} % of ${number(peak)}` : "";
    if (peak) parts.push(svg("rect", {class: "whole", x: 1, y: at + 18, width: inner * peak / most, height: 12}));
    parts.push(svg("rect", {class: variant.isSame ? "bar same" : "bar", x: 1, y: at + 18, width: Math.max(1, inner * Math.min(1, variant.bandwidth / most)), height: 12}),
      svg("text", {x: 1, y: at + 12}, `${variant.number}: ${number(variant.bandwidth)} GB/s${share}`));
  });
  return el("div", {class: "roofline"}, svg("svg", {width, height: variants.length * rowHeight, role: "img", "aria-label": "Bandwidths"}, parts));
}

function makeMeasuredView(view) {
  const {variants, devices, file} = data.measured;
  variants.forEach((variant, i) => { variant.number = i + 1; });
  view.append(el("p", {class: "note"}, `From ${file}. Times are microseconds of a launch; GB/s and operations are medians of what launches were said to move and to compute.`),
    table(["variant", "device", "launches", "fastest µs", "median µs", "total µs", "a launch moves", "GB/s", "of peak", "Gop/s", "registers", "warps"],
      variants.map(variantRow), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
  if (!variants.some(variant => variant.isSame))
    view.append(el("p", {class: "warn"}, variants.some(variant => variant.isElsewhere)
      ? `None of these is the code of this page, which is for ${data.isGPU ? "a GPU" : "a processor"}: the same constants and types were measured on another kind of device.`
      : "None of these is the code of this page: constants or types differ."));
  const moving = variants.filter(variant => variant.bandwidth);
  const computing = moving.filter(variant => variant.rate && intensityOf(variant));
  if (!moving.length) {
    view.append(el("p", {class: "note"}, "What launches move is not known, so there is neither bandwidth nor roofline: tilec-run counts its arrays, programs say it by tilec_profile_describe."));
    return;
  }
  const pictures = el("div", {});
  const draw = () => {
    const width = Math.max(240, Math.min(720, view.clientWidth - 40));
    pictures.replaceChildren(el("h2", {}, "Memory"), bandwidthPicture(moving, width));
    if (computing.length) pictures.append(el("h2", {}, "Roofline"), el("p", {class: "note"}, "Gop/s over operations a byte."), rooflinePicture(computing, width));
  };
  view.append(pictures);
  draw();
  window.addEventListener("resize", () => { if (!view.hidden) draw(); }, {signal});
  for (const device of devices)
    if (device.peak) view.append(el("p", {class: "note"}, `${device.name}: memory up to ${number(device.peak, 4)} GB/s, by ${device.peakFrom || "the profile"}.`));
    else view.append(el("p", {class: "note"}, `${device.name}: what its memory can do at most is not known, so bandwidths have nothing beside them.`));
  // Only drivers of GPUs tell a peak, and so draw a line.
  if (computing.some(variant => devices[variant.device].peak))
    view.append(el("p", {class: "note"}, "The line is what the memory allows. There is none for arithmetic: no driver tells what a GPU can compute."));
  else if (!computing.length)
    view.append(el("p", {class: "note"}, "A roofline needs the operations of a launch: tilec-run --operations, or tilec_profile_describe."));
}
