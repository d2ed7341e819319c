// @ts-check
/** How far each of many messages is from its place, as a strip. Pure. */

import { round } from "./frame.js";
import { path, words } from "./glyphs.js";
import { displacements } from "./order.js";
import { mark } from "./states.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./order.js").Sequence} Sequence */

const HEIGHT = 120;
const LEAD = 64;
const AFTER = 8;
const SMALL = 14;

/**
 * Late ones go up, early ones down, in the order in which they came.
 *
 * @param {Sequence} sequence
 * @param {number} width
 * @param {import("./types.js").Text} text
 * @returns {{marks: Mark[], width: number, height: number}}
 */
export function heatStrip(sequence, width, text) {
  const moved = displacements(sequence);
  const room = width - LEAD - AFTER;
  const bins = Math.min(moved.length, Math.floor(room / 2));
  const most = moved.reduce((worst, one) => Math.max(worst, Math.abs(one)), 1);
  const zero = HEIGHT / 2;
  const column = room / Math.max(1, bins);
  const wide = round(Math.max(1, column - (column > 3 ? 1 : 0)));
  const drawn = { late: "", early: "" };
  for (let bin = 0; bin < bins; bin++) {
    const first = Math.floor((bin * moved.length) / bins);
    const part = moved.slice(first, Math.floor(((bin + 1) * moved.length) / bins));
    const x = round(LEAD + bin * column);
    const up = round((Math.max(0, ...part) / most) * (zero - 8));
    const down = round((-Math.min(0, ...part) / most) * (zero - 8));
    if (up) drawn.late += `M${x} ${zero}v${-up}h${wide}v${up}z`;
    if (down) drawn.early += `M${x} ${zero}v${down}h${wide}v${-down}z`;
  }
  const half = (/** @type {"late" | "early"} */ key, /** @type {number} */ y) => {
    const shapes = [
      path(drawn[key], "body"),
      words(text(`order.${key}`), LEAD - 10, y, SMALL, "rowword end"),
    ];
    return mark({ key, layer: "bar", cls: `heat ${key}`, shapes });
  };
  const line = path(`M${LEAD} ${zero}H${width - AFTER}`, "line");
  const marks = [
    half("late", zero - 22),
    half("early", zero + 22),
    mark({ key: "zero", layer: "grid", cls: "zero", shapes: [line] }),
  ];
  return { marks, width, height: HEIGHT };
}

/**
 * Which arrival of the strip is at `x`; −1: none.
 * @param {number} x
 * @param {number} width
 * @param {number} count
 */
export function atStrip(x, width, count) {
  const place = Math.floor(((x - LEAD) / (width - LEAD - AFTER)) * count);
  return place >= 0 && place < count ? place : -1;
}
