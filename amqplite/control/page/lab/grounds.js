// @ts-check
/** What lies under everything: lanes, times, waits that are shorter than they were. */

import { BEFORE, round } from "./frame.js";
import { path, shape, words } from "./glyphs.js";
import { countBelow } from "./intervals.js";
import { textWidth } from "./labels.js";
import { even } from "./scale.js";
import { mark } from "./states.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./scene.js").Context} Context */

/**
 * What lies under everything on a lane.
 * @param {import("./layout.js").LaneBox[]} lanes
 * @param {Context} cx
 * @returns {Mark[]}
 */
export function laneMarks(lanes, cx) {
  const { frame, length } = cx;
  return lanes.flatMap(({ id, kind, born, count }) => {
    const strip = frame.strip(id);
    if (!strip) return [];
    const from = kind === "consumer" && count === 1 ? Math.max(-BEFORE, round(cx.px(born))) : -BEFORE;
    const line = path(
      frame.line([from, strip.mid], [length, strip.mid]),
      strip.lane.rows > 1 ? "line faint" : "line",
    );
    const band = frame.rect(-BEFORE, strip.from + 4, length + BEFORE, strip.to - strip.from - 8);
    const shapes = kind === "queue" ? [shape("rect", "band", { ...band, rx: 6 })] : [line];
    return [mark({ key: `lane${id}`, layer: "grid", cls: `lane ${kind}`, lane: id, shapes })];
  });
}

/**
 * @param {{from: number, to: number}} time
 * @param {number[]} instants
 * @param {number} unit
 * @param {Context} cx
 * @returns {Mark[]}
 */
export function gridMarks(time, instants, unit, cx) {
  const { frame, scale } = cx;
  const { small, head } = frame.sizes;
  const ticks =
    scale.mode === "order"
      ? apartOf(time, instants, cx)
      : even(scale, time.from, time.to, unit, frame.down ? 40 : 52, cx.words.kind === "tick" ? 1 : 0);
  return ticks.map((t) => {
    const along = round(cx.px(t));
    const [x, y] = frame.down ? [head - 9, along] : [along, head - 17];
    return mark({
      key: `t${t}`,
      layer: "grid",
      cls: "time",
      t,
      shapes: [
        path(frame.line([along, head - 6], [along, frame.breadth]), "grid"),
        words(cx.words.tick(t), x, y, small, "tickword"),
      ],
    });
  });
}

/**
 * Instants whose times don't touch each other.
 * @param {{from: number, to: number}} time
 * @param {number[]} instants
 * @param {Context} cx
 */
function apartOf(time, instants, cx) {
  const { small } = cx.frame.sizes;
  /** @type {number[]} */
  const found = [];
  let free = -Infinity;
  for (let k = countBelow(instants, time.from, Number); k < instants.length && instants[k] <= time.to; k++) {
    const along = cx.px(instants[k]);
    const half = cx.frame.down ? small * 0.7 : textWidth(cx.words.tick(instants[k]), small) / 2 + 4;
    if (along - half < free) continue;
    found.push(instants[k]);
    free = along + half;
  }
  return found;
}

/** Waits that are shorter than they were, as zigzags over all lanes. @param {Context} cx @returns {Mark[]} */
export function idleMarks(cx) {
  const { frame, scale, window } = cx;
  const { head, small } = frame.sizes;
  return scale.idle.flatMap(({ from, to }) => {
    const [a, b] = [cx.px(from), cx.px(to)];
    if (b < window.from || a > window.to) return [];
    const mid = (a + b) / 2;
    /** @type {[number, number][]} */
    const points = [];
    for (let across = head - 2, k = 0; across <= frame.breadth; across += 7, k++)
      points.push([round(mid + (k % 2 ? 4 : -4)), across]);
    const text = cx.words.span(to - from);
    const [x, y] = frame.down ? [head - 9, mid] : [mid, head - 17];
    return [
      mark({
        key: `idle${from}`,
        layer: "state",
        cls: "idle",
        t: from,
        shapes: [
          path(frame.line(...points), "casing"),
          path(frame.line(...points), "zigzag"),
          words(text, x, y, small, "tickword"),
        ],
      }),
    ];
  });
}
