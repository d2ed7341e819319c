// @ts-check
/** Order lines, or the strip of many, in pixels. Pure. */

import { round } from "./frame.js";
import { circle, path, shape, words } from "./glyphs.js";
import { Ground, shortened, textWidth } from "./labels.js";
import { crossings } from "./order.js";
import { mark } from "./states.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Text} Text */
/** @typedef {import("./order.js").Sequence} Sequence */
/** @typedef {import("./order.js").Crossing} Crossing */

const BOX = { width: 72, height: 38 };
const STEP = { most: 140, least: 44, down: 40 };
/** Crossings up to which each says who overtook whom. */
const TOLD = 6;
/** Messages up to which, where it is narrow, the rows are columns. */
const COLUMNS = 16;
const NARROW = 560;
const SMALL = 14;
const TELLING = 22;

/** Where the cards of two rows are, and the strands between them. */
class Loom {
  /** @param {number} n messages @param {number} width @param {[string, string]} rows */
  constructor(n, width, rows) {
    this.n = n;
    this.down = width < NARROW && n <= COLUMNS;
    this.size = width < NARROW ? SMALL : 17;
    const named = Math.max(...rows.map((row) => textWidth(row, SMALL, true)));
    this.lead = this.down ? 0 : Math.max(width < 900 ? 0 : 104, named) + 14;
    const step = Math.max(STEP.least, Math.min(STEP.most, (width - this.lead - 16) / n));
    this.step = this.down ? STEP.down : step;
    this.box = this.down
      ? { width: 72, height: 30 }
      : { width: Math.min(BOX.width, step - 6), height: BOX.height };
    this.head = this.down ? 30 : 8;
    const thick = this.down ? this.box.width : this.box.height;
    const gap = this.down ? Math.max(70, width - 2 * thick - 12) : n > 20 ? 150 : 108;
    const first = (this.down ? 4 : this.head) + thick / 2;
    /** Middles of the rows. */
    this.rows = [first, first + gap + thick];
    /** Ends of the strands. */
    this.from = first + thick / 2;
    this.to = this.from + gap;
    this.width = this.down ? width : Math.max(width, this.lead + n * this.step + 16);
    this.height = this.down ? this.head + n * this.step + 4 : this.to + thick + 6;
  }

  /** Of the k-th place. @param {number} k */
  along(k) {
    return (this.down ? this.head : this.lead) + this.step * (k + 0.5);
  }

  /** @param {number} along @param {number} across @returns {[number, number]} x, y */
  at(along, across) {
    return this.down ? [across, along] : [along, across];
  }
}

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
  const loom = new Loom(Math.max(published.length, arrived.length, most, 1), width, rows);
  const found = crossings(sequence);
  const below = loom.down && found.length <= TOLD ? found.length * TELLING : 0;
  const height = loom.height + below;
  const ground = new Ground({ x: 0, y: 0, width: loom.width, height });
  const bad = new Set(found.flatMap(({ a, b }) => [a, b]));
  const marks = [
    ...rowNames(rows, loom),
    ...strands(sequence, bad, loom, ground),
    ...cards(sequence, bad, rows, text, loom, ground),
    ...rings(found, sequence, text, loom, ground),
  ];
  return { marks, crossed: found.length, width: loom.width, height };
}

/** @param {[string, string]} rows @param {Loom} loom */
function rowNames(rows, loom) {
  return rows.map((row, k) => {
    const [x, y] = loom.down ? [loom.rows[k], loom.head / 2] : [loom.lead - 10, loom.rows[k]];
    const shapes = [words(row, x, y, SMALL, "rowword")];
    return mark({ key: `row${k}`, layer: "grid", cls: loom.down ? "rowname" : "rowname end", shapes });
  });
}

/**
 * @param {Sequence} sequence
 * @param {Set<number>} bad arrivals that cross another
 * @param {Loom} loom
 * @param {Ground} ground
 */
function strands({ published, arrived }, bad, loom, ground) {
  return arrived.map(({ at: top, again }, k) => {
    const [start, end] = [loom.along(top), loom.along(k)];
    const points = [loom.at(start, loom.from), loom.at(end, loom.to)];
    for (let part = 0; part <= 12; part++) {
      const share = part / 12;
      const [x, y] = loom.at(start + (end - start) * share, loom.from + (loom.to - loom.from) * share);
      ground.soft.push({ x: x - 5, y: y - 5, width: 10, height: 10 });
    }
    const line = path(`M${points.map((point) => point.map(round).join(" ")).join("L")}`, "line");
    const cls = `strand${bad.has(k) ? " bad" : ""}${again ? " again" : ""}`;
    return mark({ key: `line${k}`, layer: "link", cls, shapes: [line], ms: [published[top].label] });
  });
}

/**
 * @param {Sequence} sequence
 * @param {Set<number>} bad
 * @param {[string, string]} rows
 * @param {Text} text
 * @param {Loom} loom
 * @param {Ground} ground
 */
function cards({ published, arrived }, bad, rows, text, loom, ground) {
  const badTop = new Set([...bad].map((k) => arrived[k].at));
  /** @param {number} k @param {number} row @param {string} label @param {string} cls @param {string} name */
  const card = (k, row, label, cls, name) => {
    const [x, y] = loom.at(loom.along(k), loom.rows[row]);
    const { width, height } = loom.box;
    const hit = { x: round(x - width / 2), y: round(y - height / 2), width, height };
    ground.hard.push(hit);
    const shapes = [shape("rect", "body", { ...hit, rx: 7 }), cardLabel(label, width - 6, x, y, loom.size)];
    const t = row * 1e6 + k;
    return mark({
      key: `box${row} ${k}`,
      layer: "bar",
      cls: `card ${cls}`,
      shapes,
      name,
      hit,
      ms: [label],
      t,
    });
  };
  const top = published.map(({ label, gone }, k) => {
    const name = gone ? text("order.gone", { m: label, cause: gone }) : `${rows[0]}: ${label}`;
    return card(k, 0, label, gone ? "gone" : badTop.has(k) ? "bad" : "", name);
  });
  const bottom = arrived.map(({ at, again }, k) => {
    const { label } = published[at];
    return card(k, 1, label, `${bad.has(k) ? "bad" : ""}${again ? " again" : ""}`, `${rows[1]}: ${label}`);
  });
  return [...top, ...bottom];
}

/**
 * @param {string} label
 * @param {number} room
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function cardLabel(label, room, x, y, size) {
  const fit = [size, size * 0.86, 12].find((one) => textWidth(label, one, true) <= room) ?? 12;
  return words(shortened(label, room, fit, true), x, y, fit, "inside bold");
}

/**
 * @param {Crossing[]} found
 * @param {Sequence} sequence
 * @param {Text} text
 * @param {Loom} loom
 * @param {Ground} ground
 */
function rings(found, { published, arrived }, text, loom, ground) {
  const r = found.length > 40 ? 4 : found.length > TOLD ? 6 : 8;
  const marks = found.map(({ a, b, share, place }) => {
    const [over, late] = [a, b].map((k) => published[arrived[k].at].label);
    const [x, y] = loom.at(loom.along(place), loom.from + (loom.to - loom.from) * share);
    const hit = { x: round(x - 11), y: round(y - 11), width: 22, height: 22 };
    ground.hard.push(hit);
    const name = text("order.cross", { y: over, x: late });
    const shapes = [circle(x, y, r, "body")];
    const t = 5e5 + place;
    return mark({
      key: `cross${a} ${b}`,
      layer: "fault",
      cls: "crossing",
      shapes,
      name,
      hit,
      ms: [over, late],
      t,
    });
  });
  return found.length > TOLD ? marks : [...marks, ...tellings(marks, loom, ground)];
}

/** Who overtook whom, beside the rings; below all where there is no room beside. @param {Mark[]} rings @param {Loom} loom @param {Ground} ground */
function tellings(rings, loom, ground) {
  return rings.flatMap(({ key, name, hit, ms }, k) => {
    if (!hit) return [];
    const [x, y] = [hit.x + 11, hit.y + 11];
    const width = textWidth(name, SMALL);
    const line = ground.area.height - (rings.length - k) * TELLING;
    const beside = [
      [x + 14, y - 9],
      [x - 14 - width, y - 9],
      [x - width / 2, y - 30],
      [x - width / 2, y + 13],
      [x + 14, y - 28],
      [x + 14, y + 10],
    ];
    const places = loom.down ? [[x - width / 2, line]] : beside;
    const rects = places.map(([left, top]) => ({ x: left, y: top, width, height: 18 }));
    const chosen = ground.put(rects);
    if (chosen < 0) return [];
    const shapes = [words(name, rects[chosen].x, rects[chosen].y + 9, SMALL, "bad start")];
    return [mark({ key: `told${key}`, layer: "label", cls: "words", shapes, ms })];
  });
}
