// @ts-check
/** A layout in pixels: everything that is drawn of a window of time, as marks. Pure. */

import { answer } from "./asks.js";
import { heldMark, waitMark } from "./bars.js";
import { gridMarks, idleMarks, laneMarks } from "./grounds.js";
import { alongTime } from "./highlight.js";
import { Ground } from "./labels.js";
import { waits } from "./lanes.js";
import { linkMarks } from "./links.js";
import { pointMark, tornMark } from "./points.js";
import { publishMarks } from "./publish.js";
import { depthMarks, faintMarks, lateMarks, moreMarks, stateMarks } from "./states.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./frame.js").Frame} Frame */

/**
 * @typedef {object} Ask  words that want a place
 * @property {string} words
 * @property {string} cls
 * @property {number} size of the font
 * @property {import("./labels.js").Rect} near
 * @property {"side" | "above"} [prefer]
 * @property {number} rank the lowest come first
 * @property {string} mark key of what they belong to
 * @property {string} lane
 * @property {number} t
 * @property {number[]} ns
 * @property {string[]} ms
 * @property {string} c
 *
 * @typedef {object} Context  what marks are made with
 * @property {Frame} frame
 * @property {import("./scale.js").Scale} scale
 * @property {(t: number) => number} px  along, in pixels
 * @property {import("./words.js").Words} words
 * @property {Ground} ground
 * @property {Ask[]} ask
 * @property {Set<string>} changed labels with a rhombus
 * @property {Set<Box>} gaveBack attempts that their consumer ended itself
 * @property {Map<string, number>} crashRows row of what a consumer worked on when it was lost
 * @property {(point: import("./types.js").Point) => Box | null} lastWait
 * @property {Set<string>} works  lanes of consumers who tell what they do with what needs no ack
 * @property {{from: number, to: number}} window along, in pixels
 * @property {number} length of all, along
 * @property {number} now the playhead, in microseconds
 */

/**
 * @param {Layout} layout
 * @param {Pick<Context, "frame" | "scale" | "px" | "words" | "changed" | "window" | "length" | "now">} means
 * @param {{from: number, to: number}} time the window, in microseconds
 * @param {number[]} instants
 * @param {number} unit
 * @returns {Mark[]} what comes first is further down
 */
export function scene(layout, means, time, instants, unit) {
  const cx = contextOf(layout, means);
  const marks = [
    ...laneMarks(layout.lanes, cx),
    ...gridMarks(time, instants, unit, cx),
    ...depthMarks(layout.depths, cx),
    ...faintMarks(layout.faint, cx),
    ...stateMarks(layout.states, cx),
    ...idleMarks(cx),
    ...linkMarks(layout.links, cx),
  ];
  for (const bar of layout.bars) {
    const mark = waits(bar.box) ? waitMark(bar, cx) : heldMark(bar, cx);
    if (mark) marks.push(mark);
  }
  marks.push(...moreMarks(layout.mores, cx), ...pointMarks(layout, cx));
  marks.push(...lateMarks(layout.lates, cx));
  askForCauses(layout, cx);
  const named = alongTime(marks.filter((mark) => mark.name)); // as a screen reader comes by them
  return [...marks.filter((mark) => !mark.name), ...named, ...answer(cx)];
}

/**
 * @param {Layout} layout
 * @param {Pick<Context, "frame" | "scale" | "px" | "words" | "changed" | "window" | "length" | "now">} means
 * @returns {Context}
 */
function contextOf(layout, means) {
  const { frame, window } = means;
  const { head } = frame.sizes;
  const area = frame.rect(window.from, head, window.to - window.from, frame.breadth - head);
  /** @type {Map<string, number>} */
  const crashRows = new Map();
  const ended = new Map();
  for (const { box, open, work, to } of layout.bars) {
    if (open) continue;
    if (waits(box)) ended.set(box.n1, box);
    else if (box.end === "requeued" || box.end === "crashed") {
      const place = `${box.lane} ${box.to}`;
      if (work < to && !crashRows.has(place)) crashRows.set(place, box.row);
    }
  }
  const gaveBack = layout.points.flatMap(({ kind, box }) => (kind === "nacked" && box ? [box] : []));
  return {
    ...means,
    ground: new Ground(area),
    ask: [],
    gaveBack: new Set(gaveBack),
    crashRows,
    works: new Set(layout.bars.flatMap(({ kind, box }) => (kind === "work" ? [box.lane] : []))),
    lastWait: (point) => ended.get(point.n) ?? null,
  };
}

/** @param {Layout} layout @param {Context} cx */
function pointMarks({ points, lanes }, cx) {
  /** @type {Mark[]} */
  const marks = [];
  for (const lane of lanes) {
    const strip = cx.frame.strip(lane.id);
    const here = points.filter(({ kind, lane: on }) => on === lane.id && kind === "published");
    if (strip && here.length) marks.push(...publishMarks(here, strip, cx));
  }
  for (const point of points) {
    const mark = point.kind === "gap" ? tornMark(point, cx) : pointMark(point, cx);
    if (mark) marks.push(mark);
  }
  return marks;
}

/**
 * Says why messages went back, once for all that went together.
 * @param {Layout} layout
 * @param {Context} cx
 */
function askForCauses({ links }, cx) {
  /** @type {Map<string, import("./layout.js").Link[]>} */
  const groups = new Map();
  for (const link of links) {
    if (link.kind !== "requeue") continue;
    const key = `${link.from} ${link.t} ${link.box.cause}`;
    groups.set(key, [...(groups.get(key) ?? []), link]);
  }
  for (const [, group] of groups) {
    const [{ box, from, t, n }] = group;
    const strip = cx.frame.strip(from);
    if (!strip) continue;
    const ms = group.map((link) => link.box.message.m);
    const slots = { cause: cx.words.cause(box.cause, box.sub), m: ms[0], n: group.length };
    const row = cx.crashRows.get(`${from} ${t}`) ?? Math.min(...group.map((link) => link.row));
    const across = cx.frame.row(strip, Math.max(0, row));
    cx.ask.push({
      words: cx.words.text("dia.back", slots),
      cls: "bad bold",
      size: cx.frame.sizes.small,
      rank: 0,
      near: cx.frame.rect(cx.px(t) - 9, across - strip.size / 2, 18, strip.size),
      mark: `cause${n}`,
      lane: from,
      t,
      ns: group.map((link) => link.n),
      ms,
      c: from.slice(2),
    });
  }
}
