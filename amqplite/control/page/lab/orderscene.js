// @ts-check
/** Order lines, or the strip of many, in pixels. Pure. */

import { round } from "./frame.js";
import { circle, path, shape, words } from "./glyphs.js";
import { Ground, shortened, textWidth } from "./labels.js";
import { crossings, displacements } from "./order.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Text} Text */
/** @typedef {import("./order.js").Sequence} Sequence */

const BOX = { width: 72, height: 38 };
const STEP = { most: 140, least: 44, down: 40 };
const TOLD = 6; // crossings up to which each says who overtook whom

/** @param {Partial<Mark> & Pick<Mark, "key" | "layer" | "cls" | "shapes">} rest @returns {Mark} */
const mark = (rest) => ({ name: "", lane: "", t: 0, ns: [], ms: [], c: "", ...rest });

/**
 * @param {Sequence} sequence
 * @param {number} width of what there is room for
 * @param {Text} text
 * @param {[string, string]} rows what the rows are called
 * @param {number} most messages there will be in the end
 * @returns {{marks: Mark[], width: number, height: number, crossed: number}}
 */
export function orderLines(sequence, width, text, rows, most) {
  const { published, arrived } = sequence;
  const n = Math.max(published.length, arrived.length, most, 1);
  const down = width < 560 && n <= 16;
  const size = width < 560 ? 14 : 17;
  const lead = down ? 0 : Math.max(width < 900 ? 0 : 104, ...rows.map((row) => textWidth(row, 14, true))) + 14;
  const step = down ? STEP.down : Math.max(STEP.least, Math.min(STEP.most, (width - lead - 16) / n));
  const box = { width: down ? 72 : Math.min(BOX.width, step - 6), height: down ? 30 : BOX.height };
  const head = down ? 30 : 8;
  const gap = down ? Math.max(70, width - 2 * box.width - 12) : n > 20 ? 150 : 108;
  const first = down ? 4 + box.width / 2 : head + box.height / 2;
  const cross = [first, first + gap + (down ? box.width : box.height)];
  /** @param {number} k @param {number} row @returns {[number, number]} */
  const at = (k, row) => {
    const along = (down ? head : lead) + step * (k + 0.5);
    return down ? [cross[row], along] : [along, cross[row]];
  };
  const half = down ? box.width / 2 : box.height / 2;
  const from = cross[0] + half;
  const to = cross[1] - half;
  const found = crossings(sequence);
  const bad = new Set(found.flatMap(({ a, b }) => [a, b]));
  const badTop = new Set([...bad].map((k) => arrived[k].at));
  const ground = new Ground({ x: 0, y: 0, width: Math.max(width, lead + n * step + 16), height: down ? head + n * step : cross[1] + half });
  const marks = rows.map((row, k) => {
    const [x, y] = down ? [cross[k], head / 2] : [lead - 10, cross[k]];
    return mark({ key: `row${k}`, layer: "grid", cls: down ? "rowname" : "rowname end", shapes: [words(row, x, y, 14, "rowword")] });
  });
  arrived.forEach(({ at: top, again }, k) => {
    const [x1, y1] = at(top, 0);
    const [x2, y2] = at(k, 1);
    const line = down ? `M${from} ${round(y1)}L${to} ${round(y2)}` : `M${round(x1)} ${from}L${round(x2)} ${to}`;
    const label = published[top].label;
    const cls = `strand${bad.has(k) ? " bad" : ""}${again ? " again" : ""}`;
    marks.push(mark({ key: `line${k}`, layer: "link", cls, shapes: [path(line, "line")], ms: [label] }));
    for (let s = 0; s <= 12; s++) {
      const [a, b] = down ? [from + ((to - from) * s) / 12, y1 + ((y2 - y1) * s) / 12] : [x1 + ((x2 - x1) * s) / 12, from + ((to - from) * s) / 12];
      ground.soft.push({ x: a - 5, y: b - 5, width: 10, height: 10 });
    }
  });
  const boxOf = (/** @type {number} */ k, /** @type {number} */ row, /** @type {{label: string, gone: string}} */ { label, gone }, /** @type {string} */ cls) => {
    const [x, y] = at(k, row);
    const hit = { x: round(x - box.width / 2), y: round(y - box.height / 2), ...box };
    ground.hard.push(hit);
    const name = gone ? text("order.gone", { m: label, cause: gone }) : `${rows[row]}: ${label}`;
    const shapes = [shape("rect", "body", { ...hit, rx: 7 }), cardLabel(label, box.width - 6, x, y, size)];
    marks.push(mark({ key: `box${row} ${k}`, layer: "bar", cls: `card ${cls}`, shapes, name, hit, ms: [label], t: row * 1e6 + k }));
  };
  published.forEach((message, k) => boxOf(k, 0, message, message.gone ? "gone" : badTop.has(k) ? "bad" : ""));
  arrived.forEach(({ at: top, again }, k) => boxOf(k, 1, { label: published[top].label, gone: "" }, `${bad.has(k) ? "bad" : ""}${again ? " again" : ""}`));
  const below = down && found.length <= TOLD ? found.length * 22 : 0;
  if (down) ground.area.height += below;
  marks.push(...rings(found, sequence, at, [from, to], down, ground, text));
  return {
    marks, crossed: found.length, width: down ? width : Math.max(width, lead + n * step + 16),
    height: down ? head + n * step + 4 + below : cross[1] + half + 6,
  };
}

/**
 * @param {import("./order.js").Crossing[]} found @param {Sequence} sequence
 * @param {(k: number, row: number) => [number, number]} at @param {[number, number]} ends @param {boolean} down
 * @param {Ground} ground @param {Text} text
 */
function rings(found, { published, arrived }, at, [from, to], down, ground, text) {
  const r = found.length > 40 ? 4 : found.length > TOLD ? 6 : 8;
  /** @type {Mark[]} */
  const marks = [];
  /** @type {{x: number, y: number, label: string, ms: string[], key: string}[]} */
  const told = [];
  for (const { a, b, share, place } of found) {
    const over = published[arrived[a].at].label;
    const late = published[arrived[b].at].label;
    const middle = from + (to - from) * share;
    const along = at(place, 0)[down ? 1 : 0];
    const [x, y] = down ? [middle, along] : [along, middle];
    const hit = { x: round(x - 11), y: round(y - 11), width: 22, height: 22 };
    const label = text("order.cross", { y: over, x: late });
    const key = `cross${a} ${b}`;
    marks.push(mark({
      key, layer: "fault", cls: "crossing", shapes: [circle(x, y, r, "body")], name: label, hit,
      ms: [over, late], t: 5e5 + place,
    }));
    ground.hard.push(hit);
    if (found.length <= TOLD) told.push({ x, y, label, ms: [over, late], key });
  }
  for (const [k, { x, y, label, ms, key }] of told.entries()) {
    const width = textWidth(label, 14);
    const { height } = ground.area;
    const places = down ? [{ x: x - width / 2, y: height - (told.length - k) * 22, width, height: 18 }] : [[x + 14, y - 9], [x - 14 - width, y - 9], [x - width / 2, y - 30], [x - width / 2, y + 13], [x + 14, y - 28], [x + 14, y + 10]]
      .map(([left, top]) => ({ x: left, y: top, width, height: 18 }));
    const chosen = ground.put(places);
    if (chosen < 0) continue;
    const { x: left, y: top } = places[chosen];
    marks.push(mark({ key: `told${key}`, layer: "label", cls: "words", shapes: [words(label, left, top + 9, 14, "bad start")], ms }));
  }
  return marks;
}

/** @param {string} label @param {number} room @param {number} x @param {number} y @param {number} size */
function cardLabel(label, room, x, y, size) {
  const fit = [size, size * 0.86, 12].find((one) => textWidth(label, one, true) <= room) ?? 12;
  return words(shortened(label, room, fit, true), x, y, fit, "inside bold");
}

const STRIP = { height: 120, lead: 64 };

/**
 * How far each of many messages is from its place: late ones up, early ones down.
 * @param {Sequence} sequence @param {number} width @param {Text} text
 * @returns {{marks: Mark[], width: number, height: number}}
 */
export function heatStrip(sequence, width, text) {
  const moved = displacements(sequence);
  const room = width - STRIP.lead - 8;
  const bins = Math.min(moved.length, Math.floor(room / 2));
  const most = Math.max(1, ...moved.map(Math.abs));
  const zero = STRIP.height / 2;
  const column = room / Math.max(1, bins);
  const drawn = { late: "", early: "" };
  for (let bin = 0; bin < bins; bin++) {
    const part = moved.slice(Math.floor((bin * moved.length) / bins), Math.floor(((bin + 1) * moved.length) / bins));
    const x = round(STRIP.lead + bin * column);
    const wide = round(Math.max(1, column - (column > 3 ? 1 : 0)));
    const up = round((Math.max(0, ...part) / most) * (zero - 8));
    const down = round((Math.max(0, ...part.map((value) => -value)) / most) * (zero - 8));
    if (up) drawn.late += `M${x} ${zero}v${-up}h${wide}v${up}z`;
    if (down) drawn.early += `M${x} ${zero}v${down}h${wide}v${-down}z`;
  }
  const marks = [
    mark({ key: "late", layer: "bar", cls: "heat late", shapes: [path(drawn.late, "body"), words(text("order.late"), STRIP.lead - 10, zero - 22, 14, "rowword end")] }),
    mark({ key: "early", layer: "bar", cls: "heat early", shapes: [path(drawn.early, "body"), words(text("order.early"), STRIP.lead - 10, zero + 22, 14, "rowword end")] }),
    mark({ key: "zero", layer: "grid", cls: "zero", shapes: [path(`M${STRIP.lead} ${zero}H${width - 8}`, "line")] }),
  ];
  return { marks, width, height: STRIP.height };
}

/** Which arrival of the strip is at `x`. @param {number} x @param {number} width @param {number} count */
export function atStrip(x, width, count) {
  const place = Math.floor(((x - STRIP.lead) / (width - STRIP.lead - 8)) * count);
  return place >= 0 && place < count ? place : -1;
}
