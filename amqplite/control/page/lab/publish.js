// @ts-check
/** Published messages, as marks. */

import { round } from "./frame.js";
import { circle, shape, words } from "./glyphs.js";
import { shortened, textWidth } from "./labels.js";
import { around, markOf } from "./points.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Strip} Strip */
/** @typedef {import("./scene.js").Context} Context */

/** Messages closer than this, in pixels, are one crowd. */
const CROWD = 11;

/**
 * Published messages: discs with a label, dots where there is no room, a pill for a crowd.
 * @param {Point[]} points of one lane @param {Strip} strip @param {Context} cx @returns {Mark[]}
 */
export function publishMarks(points, strip, cx) {
  const { frame, words: say } = cx;
  const r = frame.sizes.disc;
  /** @type {Point[][]} */
  const groups = [];
  let [start, last] = [-Infinity, -Infinity];
  for (const point of points) {
    const along = cx.px(point.t);
    if (along < last + CROWD && along < start + 3 * r) /** @type {Point[]} */ (groups.at(-1)).push(point);
    else {
      groups.push([point]);
      start = along;
    }
    last = along;
  }
  for (let k = groups.length - 1; k > 0; k--) {
    const [before, crowd] = [groups[k - 1], groups[k]];
    if (crowd.length > 1 && before.length === 1 && cx.px(crowd[0].t) - cx.px(before[0].t) < 2 * r)
      groups.splice(k - 1, 2, [...before, ...crowd]);
  }
  const starts = groups.map(([first]) => cx.px(first.t));
  const gap = (/** @type {number} */ k) => (starts[k] ?? Infinity) - starts[k - 1];
  const wide = (/** @type {Point[]} */ group) =>
    Math.max(2 * r, textWidth(labelsOf(group), frame.sizes.small - 1, true) + 8);
  const tight = groups.filter(
    (group, k) => group.length === 1 && !frame.down && gap(k + 1) < wide(group),
  ).length;
  const dots = tight > groups.length / 4 || (frame.down && groups.some((_, k) => gap(k + 1) < 2 * r));
  return groups.map((group, k) => {
    const after = gap(k + 1);
    const mark =
      group.length === 1 && dots
        ? dotMark(group[0], strip, cx)
        : publishMark(group, strip, frame.down ? strip.to - strip.from - 4 : after - 4, cx);
    const p = group[0].event.p || say.text("lane.producer");
    const slots = { p, m: labelsOf(group), a: say.clock(group[0].t), n: group.length };
    mark.name = say.text(group.length > 1 ? "name.publishes.many" : "name.publishes", slots);
    return mark;
  });
}

/** @param {Point} point @param {Strip} strip @param {Context} cx @returns {Mark} */
function dotMark(point, strip, cx) {
  const [x, y] = cx.frame.at(cx.px(point.t), strip.mid);
  const hit = around(x, y, 6);
  cx.ground.hard.push(hit);
  const label = point.message?.m ?? "";
  cx.ask.push({
    words: label,
    cls: "small",
    size: cx.frame.sizes.small - 1,
    near: hit,
    prefer: "above",
    rank: 6,
    mark: point.key,
    lane: point.lane,
    t: point.t,
    ns: [point.n],
    ms: [label],
    c: "",
  });
  return markOf(point, { layer: "bar", cls: "publish", shapes: [circle(x, y, 5.5, "body")], hit }, cx);
}

/** @param {Point[]} group */
function labelsOf(group) {
  const [first, last] = [group[0].message?.m ?? "", group.at(-1)?.message?.m ?? ""];
  return group.length > 1 ? `${first}…${last}` : first;
}

/** @param {Point[]} group @param {Strip} strip @param {number} room @param {Context} cx @returns {Mark} */
function publishMark(group, strip, room, cx) {
  const { frame } = cx;
  const r = frame.sizes.disc;
  const size = frame.sizes.small - (frame.down ? 0 : 1);
  const along = cx.px(group[0].t);
  const [x, y] = frame.at(along, strip.mid);
  let label = labelsOf(group);
  const most = Math.max(2 * r, Math.min(room, 120));
  if (group.length > 1 && textWidth(label, size, true) + 12 > most) label = `×${group.length}`;
  const text = shortened(label, most - 8, size, true);
  const width = Math.max(2 * r, textWidth(text, size, true) + 12);
  const left = frame.down ? x - width / 2 : x - r;
  const hit = { x: round(left), y: y - r, width: round(width), height: 2 * r };
  cx.ground.hard.push(hit);
  const shapes = [
    shape("rect", "body", { ...hit, rx: r }),
    words(text, left + width / 2, y, size, "inside bold"),
  ];
  const ms = group.flatMap((point) => (point.message ? [point.message.m] : []));
  const ns = group.map((point) => point.n);
  return markOf(group[0], { layer: "bar", cls: "publish", shapes, hit, ms, ns }, cx);
}
