// @ts-check
/** What takes no time, as marks: crashes, what is gone, flags. */

import { round } from "./frame.js";
import {
  arrowHead,
  circle,
  cross,
  diamond,
  flag,
  hourglass,
  key,
  path,
  warning,
} from "./glyphs.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./frame.js").Strip} Strip */
/** @typedef {import("./scene.js").Context} Context */

/**
 * @param {Point} point
 * @param {Partial<Mark> & {shapes: Shape[], cls: string}} rest
 * @param {Context} cx
 * @returns {Mark}
 */
export function markOf(point, rest, cx) {
  return {
    key: point.key,
    layer: "fault",
    name: cx.words.say(point.event),
    lane: point.lane,
    t: point.t,
    ns: [point.n],
    ms: point.message ? [point.message.m] : [],
    c: point.c,
    ...rest,
  };
}

/** @param {Point} point @param {Context} cx @returns {Mark | null} */
export function pointMark(point, cx) {
  const draw = DRAW[point.kind];
  if (!draw) return null;
  const strip = cx.frame.strip(point.lane);
  if (!strip) return point.kind === "fault" ? flagMark(point, null, cx) : null;
  return draw(point, strip, cx);
}

/**
 * Where on the lane it is: in the row of what it happened to.
 * @param {Point} point
 * @param {Strip} strip
 * @param {Context} cx
 */
function middle(point, strip, cx) {
  return point.box && point.box.row >= 0 ? cx.frame.row(strip, point.box.row) : strip.mid;
}

/**
 * @param {Point} point
 * @param {string} words
 * @param {import("./labels.js").Rect} near
 * @param {number} rank
 * @param {Context} cx
 * @param {string} [cls]
 */
function ask(point, words, near, rank, cx, cls = "bad") {
  cx.ask.push({
    words,
    cls,
    size: cx.frame.sizes.small,
    near,
    mark: point.key,
    rank,
    lane: point.lane,
    t: point.t,
    ns: [point.n],
    ms: point.message ? [point.message.m] : [],
    c: point.c,
  });
}

/** @param {number} x @param {number} y @param {number} r */
export const around = (x, y, r) => ({ x: round(x - r), y: round(y - r), width: 2 * r, height: 2 * r });

/** @param {Point} point @param {Strip} strip @param {Context} cx */
function crashMark(point, strip, cx) {
  const row = cx.crashRows.get(`${point.lane} ${point.t}`);
  const [x, y] = cx.frame.at(cx.px(point.t), row === undefined ? strip.mid : cx.frame.row(strip, row));
  const r = Math.max(9, Math.min(13, strip.size * 0.32));
  const hit = around(x, y, r + 3);
  cx.ground.hard.push(hit);
  return markOf(point, { cls: "crash", shapes: cross(x, y, Math.round(r)), hit }, cx);
}

/** @param {Point} point @param {Strip} strip @param {Context} cx */
function goneMark(point, strip, cx) {
  const wait = strip.lane.kind === "queue" ? cx.lastWait(point) : null;
  const across = wait && wait.row >= 0 ? cx.frame.row(strip, wait.row) : strip.first;
  const [x, y] = cx.frame.at(cx.px(point.t), across);
  const hit = around(x, y, 10);
  cx.ground.hard.push(hit);
  const shapes = point.kind === "expired" ? hourglass(x, y, 5) : cross(x, y, 7);
  if (!wait || wait.row < 0)
    ask(point, `${point.message?.m ?? ""} ${cx.words.text(`end.${point.kind}`)}`, hit, 2, cx);
  return markOf(point, { cls: `gone ${point.kind}`, shapes, hit }, cx);
}

/** Does not get in, and bounces. @param {Point} point @param {Strip} strip @param {Context} cx */
function bounceMark(point, strip, cx) {
  const { frame } = cx;
  const along = cx.px(point.t);
  const start = strip.lane.kind === "producer" ? strip.mid + frame.sizes.disc : strip.from - 30;
  const wall = strip.lane.kind === "producer" ? strip.to + 4 : strip.from + 2;
  const [x1, y1] = frame.at(along + 5, wall);
  const [x2, y2] = frame.at(along + 15, start);
  const d = frame.line([along, start], [along + 5, wall], [along + 13, start + 8]);
  const shapes = [path(d, "shaft"), path(arrowHead(x1, y1, x2, y2, 9), "head"), ...cross(x1, y1, 5)];
  const hit = around(x1, y1, 10);
  cx.ground.hard.push(hit);
  const cause = cx.words.cause(point.event.cause);
  ask(point, cause || cx.words.text("end.discarded"), hit, 2, cx);
  return markOf(point, { cls: "bounce", shapes, hit }, cx);
}

/**
 * Told by who did it; what is acknowledged at the same instant needs no mark.
 * @param {Point} point
 * @param {Strip} strip
 * @param {Context} cx
 */
function diamondMark(point, strip, cx) {
  const { box, kind } = point;
  if (kind === "applied" && box?.end === "acked" && cx.px(box.to) - cx.px(point.t) < 4) return null;
  const size = strip.size / 2;
  const free = strip.lane.kind === "after";
  const [x, y] = cx.frame.at(cx.px(point.t), free ? strip.mid : middle(point, strip, cx) + size);
  const hit = around(x, y, 8);
  cx.ground.hard.push(hit);
  const shapes = [path(diamond(x, y, 6), "body")];
  if (free) ask(point, point.message?.m ?? "", hit, 4, cx, "small");
  if (kind === "skipped_duplicate") shapes.push(path(`M${round(x - 7)} ${round(y + 7)}l14 -14`, "slash"));
  return markOf(point, { cls: kind, shapes, hit }, cx);
}

/** An ack that goes half of the way. @param {Point} point @param {Strip} strip @param {Context} cx */
function lostAckMark(point, strip, cx) {
  const { frame } = cx;
  const along = cx.px(point.t) - 16;
  const start = middle(point, strip, cx) - strip.size / 2;
  const queue = [...frame.strips.values()].find(({ lane }) => lane.kind === "queue");
  const end = queue ? Math.max(queue.to, start - 70) : start - 60;
  const [a, b] = [start + (end - start) * 0.45, start + (end - start) * 0.6];
  const [x, y] = frame.at(along + 2, (a + b) / 2);
  const shapes = [
    path(frame.line([along, start], [along + 2, a]), "ack"),
    path(frame.line([along + 3, b], [along + SLACK, end]), "ack ghost"),
    ...cross(x, y, 5),
  ];
  const hit = around(x, y, 10);
  cx.ground.hard.push(hit);
  ask(point, cx.words.text("dia.ack_lost"), hit, 1, cx);
  return markOf(point, { cls: "lostack", shapes, hit }, cx);
}

const SLACK = 5;

/** @param {Point} point @param {Strip} strip @param {Context} cx */
function warningMark(point, strip, cx) {
  const [x, y] = cx.frame.at(cx.px(point.t), middle(point, strip, cx) + strip.size / 2 + 4);
  const hit = around(x, y, 12);
  cx.ground.hard.push(hit);
  ask(point, cx.words.text("dia.bad_ack"), hit, 2, cx);
  return markOf(point, { cls: "warn", shapes: warning(x, y, 9), hit }, cx);
}

/**
 * The key that opens the queue moves to another consumer.
 * @param {Point} point
 * @param {Strip} strip
 * @param {Context} cx
 */
function activeMark(point, strip, cx) {
  const { frame } = cx;
  const along = cx.px(point.t);
  const across = strip.first - strip.size / 2 - 13; // clear of the ring of what was overtaken
  const [x, y] = frame.at(along, across);
  /** @type {Shape[]} */
  const shapes = [];
  const before = frame.strip(point.before);
  if (before && before !== strip) {
    const edge = frame.row(before, before.lane.rows - 1) + before.size / 2; // of the lane above or below
    const from = before.from < strip.from ? edge : before.first - before.size / 2;
    const [x0, y0] = frame.at(along, from);
    shapes.push(path(frame.line([along, from], [along, across]), "handover"), circle(x0, y0, 3, "handed"));
  }
  shapes.push(...key(x + 8, y, 8));
  const hit = { ...around(x + 8, y, 12), width: 30 }; // a key is longer than it is high
  cx.ground.hard.push(hit);
  ask(point, cx.words.text("dia.active", { c: point.c }), hit, 4, cx, "quiet");
  return markOf(point, { cls: "active", shapes, hit }, cx);
}

/** @param {Point} point @param {Strip | null} strip @param {Context} cx */
function flagMark(point, strip, cx) {
  const { frame } = cx;
  const foot = strip ? strip.first - strip.size / 2 : frame.sizes.head;
  const [x, y] = frame.at(cx.px(point.t), foot);
  const hit = { x: x - 4, y: y - 24, width: 22, height: 26 };
  cx.ground.hard.push(hit);
  ask(point, cx.words.fault(point.event), hit, 1, cx, "quiet");
  return markOf(point, { cls: "fault", shapes: flag(x, y, 22), hit }, cx);
}

/**
 * Events are missing: a torn band over all lanes.
 * @param {Point} point
 * @param {Context} cx
 * @returns {Mark}
 */
export function tornMark(point, cx) {
  const { frame } = cx;
  const along = cx.px(point.t);
  const [top, bottom, half] = [frame.sizes.head, frame.breadth, 9];
  /** @type {[number, number][]} */
  const left = [];
  for (let across = top, k = 0; across < bottom; across += 8, k++)
    left.push([along - half + (k % 2 ? 4 : 0), across]);
  left.push([along - half, bottom]);
  const right = left.map(([a, b]) => /** @type {[number, number]} */ ([a + 2 * half, b])).reverse();
  const hit = frame.rect(along - 12, top, 24, bottom - top);
  cx.ground.hard.push(hit);
  const { lost_from = 0, lost_to = 0 } = point.event;
  const n = Math.max(0, lost_to - lost_from + 1);
  ask(point, cx.words.text("dia.gap", { n }), frame.rect(along - 12, top, 24, 4), 0, cx);
  const shapes = [path(`${frame.line(...left, ...right)}z`, "torn")];
  return markOf(point, { cls: "gap", shapes, hit }, cx);
}

/** @type {Record<string, (point: Point, strip: Strip, cx: Context) => Mark | null>} */
const DRAW = {
  crash: crashMark,
  expired: goneMark,
  dropped: goneMark,
  discarded: goneMark,
  purged: goneMark,
  refused: bounceMark,
  unroutable: bounceMark,
  publish_nacked: bounceMark,
  applied: diamondMark,
  skipped_duplicate: diamondMark,
  released: diamondMark,
  ack_lost: lostAckMark,
  bad_ack: warningMark,
  late_ack_ignored: warningMark,
  consumer_active: activeMark,
  fault: flagMark,
};
