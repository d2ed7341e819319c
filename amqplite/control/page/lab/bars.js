// @ts-check
/** Bars of what waits and what is held, as marks. */

import { failed, heldLabel, isGone, waitLabel } from "./barlabels.js";
import { circle, diamond, path, shape, tickDisc, turnDisc } from "./glyphs.js";
import { waits } from "./lanes.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./layout.js").Bar} Bar */
/** @typedef {import("./frame.js").Strip} Strip */
/** @typedef {import("./scene.js").Context} Context */

/** Bars are no shorter than this, in pixels. */
const LEAST = 3;
const THIN = 6;

/** @param {Bar} bar @param {Strip} strip @param {Context} cx */
function extent(bar, strip, cx) {
  const from = cx.px(bar.from);
  const length = Math.max(LEAST, cx.px(bar.to) - from);
  return { from, length, across: cx.frame.row(strip, bar.box.row) };
}

/**
 * @param {Bar} bar
 * @param {Partial<Mark> & {shapes: Shape[], cls: string}} rest
 * @param {Context} cx
 * @returns {Mark}
 */
function markOf(bar, rest, cx) {
  const { box } = bar;
  return {
    key: box.key,
    layer: "bar",
    name: cx.words.bar(bar),
    lane: box.lane,
    t: box.from,
    ns: [box.n0, box.n1],
    ms: [box.message.m],
    c: waits(box) ? "" : box.lane.slice(2),
    ...rest,
  };
}


/** @param {Bar} bar @param {Context} cx @returns {Mark | null} */
export function waitMark(bar, cx) {
  const strip = cx.frame.strip(bar.box.lane);
  if (!strip) return null;
  const { from, length, across } = extent(bar, strip, cx);
  const { frame } = cx;
  const hit = frame.rect(from, across - strip.size / 2, length, strip.size);
  const gone = isGone(bar);
  const rx = Math.min(5, length / 2);
  const shapes = [shape("rect", "body", { ...hit, rx })];
  shapes.push(...waitLabel(bar, hit, cx));
  cx.ground.hard.push(hit);
  return markOf(
    bar,
    { cls: `wait ${bar.kind}${gone ? " gone" : ""}${bar.open ? " open" : ""}`, shapes, hit },
    cx,
  );
}

/** @param {Bar} bar @param {Context} cx @returns {Mark | null} */
export function heldMark(bar, cx) {
  const strip = cx.frame.strip(bar.box.lane);
  if (!strip) return null;
  if (bar.box.auto && bar.kind !== "work") return dotMark(bar, strip, cx);
  const { from, length, across } = extent(bar, strip, cx);
  const { frame } = cx;
  const to = from + length;
  const work = Math.min(to, Math.max(from, cx.px(bar.work)));
  const thick = to - work < 2 && bar.work >= bar.to ? 0 : Math.max(LEAST, to - work);
  const hit = frame.rect(from, across - strip.size / 2, length, strip.size);
  const body = frame.rect(to - thick, across - strip.size / 2, thick, strip.size);
  /** @type {Shape[]} */
  const shapes = [];
  if (work - from > 1) {
    const thin = frame.rect(from, across - THIN / 2, work - from + (thick ? 3 : 0), THIN);
    shapes.push(shape("rect", "thin", { ...thin, rx: 3, ...fillOf(bar) }));
  }
  if (thick) {
    if (bar.ring) shapes.push(ringOf(body));
    shapes.push(shape("rect", "body", { ...body, rx: Math.min(7, thick / 2), ...fillOf(bar) }));
  }
  if (!bar.open && cx.changed.has(bar.box.message.m) && bar.box.end === "acked") {
    const [x, y] = frame.at(to - 10, across - strip.size / 2);
    shapes.push(path(diamond(x, y, 6), "changed"));
  }
  const end = thick ? endOf(bar, strip, to, thick, across, cx) : { shapes: [], room: 0, lift: 0 };
  const label = { ...(thick ? body : hit) };
  if (frame.down) label.height -= end.room;
  else label.width -= end.room;
  label.height -= end.lift ?? 0;
  const inside = heldLabel(bar, label, !thick, cx);
  const beside =
    thick && !inside.length
      ? heldLabel(bar, frame.rect(from, across - strip.size / 2, work - from, strip.size), true, cx)
      : [];
  shapes.push(...inside, ...beside, ...end.shapes);
  if (thick) cx.ground.hard.push(body);
  if (work - from > 1) cx.ground.hard.push(frame.rect(from, across - THIN, work - from, 2 * THIN));
  const cls = `${failed(bar) ? "failed" : bar.kind}${bar.open ? " open" : ""}${bar.ring ? " ringed" : ""}`;
  return markOf(bar, { cls, shapes, hit }, cx);
}


/** @param {Bar} bar @returns {Record<string, string>} */
function fillOf(bar) {
  if (failed(bar)) return { fill: "hatch" };
  return bar.kind === "redelivered" ? { fill: "dots" } : {};
}

/** @param {import("./labels.js").Rect} body */
function ringOf({ x, y, width, height }) {
  return shape("rect", "ring", { x: x - 3.5, y: y - 3.5, width: width + 7, height: height + 7, rx: 10 });
}

/**
 * How it ended, at its end: a disc, if there is room; in the corner, where there is room for little else.
 * @param {Bar} bar @param {Strip} strip @param {number} to @param {number} thick @param {number} across
 * @param {Context} cx
 * @returns {{shapes: Shape[], room: number, lift?: number}} room it takes at the end; lift: from below
 */
function endOf(bar, strip, to, thick, across, cx) {
  const acked = bar.box.end === "acked";
  const back = bar.box.end === "requeued" && cx.gaveBack.has(bar.box);
  if (bar.open) return { shapes: [], room: 0 };
  if (!acked && !back) {
    const crashed = cx.crashRows.get(`${bar.box.lane} ${bar.box.to}`) === bar.box.row;
    return { shapes: [], room: crashed ? 12 : 0 };
  }
  const disc = acked ? tickDisc : turnDisc;
  const r = Math.round(Math.min(11, strip.size * 0.3) * 2) / 2;
  const { frame } = cx;
  if (!frame.down && strip.size >= 32 && thick < 76 && thick >= 22) {
    const [x, y] = frame.at(to - 10, across + strip.size / 2 - 9);
    return { shapes: disc(x, y, 7), room: 0, lift: bar.box.again ? 14 : thick < 56 ? 10 : 4 };
  }
  if (frame.down && thick < 76 && thick >= 40) {
    const [x, y] = frame.at(to - 10, across);
    return { shapes: disc(x, y, 7), room: 17 };
  }
  if (thick < 2 * r + 6) {
    const [x, y] = frame.at(to, across);
    return { shapes: thick > 5 ? [circle(x, y, 3.5, acked ? "dot" : "dot bad")] : [], room: 0 };
  }
  const [x, y] = frame.at(to - r - 5, across);
  return { shapes: disc(x, y, r), room: 2 * r + 6 };
}

/**
 * Above what is done with them, if anybody tells.
 * @param {Strip} strip
 * @param {Pick<Context, "works" | "frame">} cx
 */
export function dotAt(strip, { works, frame }) {
  return works.has(strip.lane.id) ? strip.first - strip.size / 2 - (frame.down ? 9 : 14) : strip.mid;
}

/**
 * Acknowledged by being delivered: a dot.
 * @param {Bar} bar
 * @param {Strip} strip
 * @param {Context} cx
 * @returns {Mark}
 */
function dotMark(bar, strip, cx) {
  const along = cx.px(bar.from);
  const across = dotAt(strip, cx);
  const [x, y] = cx.frame.at(along, across);
  const hit = { x: x - 12, y: y - 12, width: 24, height: 24 };
  cx.ground.hard.push({ x: x - 8, y: y - 8, width: 16, height: 16 });
  cx.ask.push({
    words: bar.box.message.m,
    cls: "small",
    size: cx.frame.sizes.small,
    near: hit,
    mark: bar.box.key,
    ms: [bar.box.message.m],
    c: bar.box.lane.slice(2),
    rank: 3,
    lane: bar.box.lane,
    t: bar.from,
    ns: [],
  });
  const shapes = [circle(x, y, 7, "body"), path(`M${x - 3} ${y}l2.4 2.8 4-5.4`, "tick light")];
  return markOf(bar, { cls: "held auto", shapes, hit }, cx);
}
