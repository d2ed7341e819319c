// @ts-check
/** Finds a place near what they belong to for words that want one. */

import { round } from "./frame.js";
import { shape } from "./glyphs.js";
import { lines, textWidth } from "./labels.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./labels.js").Rect} Rect */
/** @typedef {import("./scene.js").Ask} Ask */
/** @typedef {import("./scene.js").Context} Context */

const LEADING = 1.22;
const APART = 5;
/** Widest lines that are tried, in pixels, one after the other. */
const ROOMS = { right: [Infinity, 190, 130], down: [Infinity, 130, 92, 66] };

/** @param {Context} cx @returns {Mark[]} words that found a place; those that did not are left out */
export function answer(cx) {
  return cx.ask.sort((a, b) => a.rank - b.rank || a.t - b.t).flatMap((ask) => placed(ask, cx) ?? []);
}

/** @param {Ask} ask @param {Context} cx @returns {Mark | null} */
function placed(ask, cx) {
  const bold = ask.cls.includes("bold");
  let before = 0;
  for (const room of ROOMS[cx.frame.axes]) {
    const text = lines(ask.words, room, ask.size, bold);
    if (text.length === before) continue;
    before = text.length;
    const width = Math.max(...text.map((line) => textWidth(line, ask.size, bold)));
    const height = text.length * ask.size * LEADING;
    const places = around(ask.near, width, height, ask.prefer ?? "side", cx.frame.down);
    const chosen = cx.ground.put(places);
    if (chosen >= 0) return markOf(ask, text, places[chosen]);
  }
  return cx.frame.down ? upright(ask, bold, cx) : null;
}

/**
 * Where lanes are narrow, words may go down with time.
 * @param {Ask} ask
 * @param {boolean} bold
 * @param {Context} cx
 * @returns {Mark | null}
 */
function upright(ask, bold, cx) {
  const width = ask.size * LEADING;
  const height = textWidth(ask.words, ask.size, bold);
  const { near } = ask;
  const below = near.y + near.height + APART;
  const xs = [
    near.x + near.width / 2 + 3,
    near.x + near.width / 2 - width - 3,
    near.x + near.width + 2,
    near.x - width - 2,
  ];
  const places = [below, near.y].flatMap((y) => xs.map((x) => ({ x, y, width, height })));
  const chosen = cx.ground.put(places);
  if (chosen < 0) return null;
  const mark = markOf(ask, [ask.words], places[chosen]);
  const [x, y] = [round(places[chosen].x + ask.size * 0.3), round(places[chosen].y)];
  mark.shapes[0].at = { x, y, "font-size": ask.size, transform: `rotate(90 ${x} ${y})` };
  return mark;
}

/**
 * @param {Rect} near
 * @param {number} width
 * @param {number} height
 * @param {"side" | "above"} prefer
 * @param {boolean} down
 * @returns {Rect[]} the best first
 */
function around(near, width, height, prefer, down) {
  const right = near.x + near.width + APART;
  const left = near.x - width - APART;
  const middle = near.x + (near.width - width) / 2;
  const above = near.y - height - 3;
  const below = near.y + near.height + 3;
  const level = near.y + (near.height - height) / 2;
  /** @type {[number, number][]} */
  const beside = [
    [right, above],
    [right, below],
    [right, level],
    [left, above],
    [left, below],
    [left, level],
  ];
  /** @type {[number, number][]} */
  const over = [
    [middle, above],
    [middle, below],
  ];
  const near2 = down
    ? [[middle, below], ...beside, [middle, above]]
    : prefer === "above"
      ? [...over, ...beside]
      : [...beside, ...over];
  const far = near2.flatMap(([x, y]) => [
    [x, y - height - 4],
    [x, y + height + 4],
  ]);
  return [...near2, ...far].map(([x, y]) => ({ x, y, width, height }));
}

/** @param {Ask} ask @param {string[]} text @param {Rect} place @returns {Mark} */
function markOf(ask, text, place) {
  const shapes = text.map((line, k) =>
    shape(
      "text",
      ask.cls,
      { x: round(place.x), y: round(place.y + ask.size * (0.95 + k * LEADING)), "font-size": ask.size },
      line,
    ),
  );
  const { lane, t, ns, ms, c } = ask;
  return { key: `ask${ask.mark}`, layer: "label", cls: "words", shapes, name: "", lane, t, ns, ms, c };
}
