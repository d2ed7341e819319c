// @ts-check
/**
 * What is to be seen of a trace: in lanes, rows and microseconds, no pixels. Pure.
 *
 * Shown is what happened up to event `n`, as it looked then: what had not ended is open and reaches
 * to the playhead, what would fail later still looks sound.
 */

import { countBelow, countUpTo } from "./intervals.js";
import { ALL_PRODUCERS, MOST_PRODUCERS } from "./lanes.js";

/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Lane} Lane */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Span} Span */
/** @typedef {import("./trace.js").Store} Store */

/** Boxes that are drawn one by one: those of some 500 messages. */
export const MOST_BOXES = 1500;

/**
 * @typedef {object} View  part of a trace
 * @property {number} from  microseconds
 * @property {number} to
 * @property {number} n     last event that is shown; Infinity: all
 * @property {number} now   where the playhead is, in microseconds
 * @property {boolean} odd  only messages to which something happened
 *
 * @typedef {{id: string, kind: Lane["kind"], name: string, count: number, rows: number, born: number}} LaneBox
 *
 * @typedef {object} Bar  a box as it looks at the playhead
 * @property {Box} box
 * @property {Box["kind"]} kind
 * @property {number} from  since when it is drawn
 * @property {number} to
 * @property {number} work  from here on it is worked on; `to` where it is not
 * @property {boolean} open
 * @property {boolean} ring
 *
 * @typedef {object} Link  goes from lane to lane at one instant
 * @property {"publish"|"deliver"|"redeliver"|"requeue"|"dead"|"return"|"release"} kind
 * @property {string} from
 * @property {string} to
 * @property {number} t
 * @property {number} n
 * @property {Box} box
 * @property {number} row  sub-row at the consumer's end
 *
 * @typedef {{lane: string, kind: "down"|"left"|"quiet"|"blocked", from: number, to: number, n: number, open: boolean}} State
 * @typedef {{box: Box, lane: string, row: number, from: number, to: number}} Late
 * @typedef {{lane: string, from: number, to: number, count: number}} More
 *
 * @typedef {object} Layout
 * @property {LaneBox[]} lanes
 * @property {Bar[]} bars
 * @property {boolean} dense  too many to draw each: only those to which something happened
 * @property {Box[]} faint  boxes left out because nothing happened to them
 * @property {Link[]} links
 * @property {Point[]} points
 * @property {State[]} states
 * @property {Late[]} lates
 * @property {More[]} mores
 * @property {{lane: string, most: number, steps: {t: number, count: number}[]}[]} depths
 */

/**
 * @param {Store} store
 * @param {View} view
 * @returns {Layout}
 */
export function layout(store, view) {
  store.settle();
  const merged = manyProducers(store);
  const seen = store.boxes.within(view.from, view.to).filter((box) => box.n0 <= view.n);
  const dense = seen.length > MOST_BOXES;
  const odd = view.odd || dense;
  const shown = odd ? seen.filter((box) => box.message.odd).slice(-MOST_BOXES) : seen;
  const bars = shown
    .filter((box) => (box.row >= 0 || box.auto) && box.shown <= view.now)
    .map((box) => barOf(box, view));
  return {
    lanes: lanesOf(store, merged),
    bars: bars.filter((bar) => bar.to > bar.from || bar.open || bar.box.auto),
    dense,
    faint: odd ? seen.filter((box) => !box.message.odd) : [],
    links: linksOf(store, shown, view, merged),
    points: pointsOf(store, view, merged, odd),
    states: statesOf(store, view, merged),
    lates: latesOf(bars, view),
    mores: moresOf(store, view),
    depths: depthsOf(store, view),
  };
}

/** @param {Store} store */
function manyProducers(store) {
  return store.lanes.filter((lane) => lane.kind === "producer").length > MOST_PRODUCERS;
}

/**
 * @param {Store} store
 * @param {boolean} merged
 * @returns {LaneBox[]}
 */
export function lanesOf(store, merged = manyProducers(store)) {
  /** @type {LaneBox[]} */
  const found = [];
  for (const { id, kind, name, rows, born } of store.lanes) {
    const box = { id, kind, name, count: 1, rows: Math.max(1, rows.taken.length), born };
    if (kind !== "producer" || !merged) found.push(box);
    else if (found.length) found[0].count += 1;
    else found.push({ ...box, id: ALL_PRODUCERS, name: "" });
  }
  return found;
}

/**
 * Whether an event has happened; one that has not come yet is at infinity, as the end is.
 * @param {number} n
 * @param {View} view
 */
const over = (n, view) => n !== Infinity && n <= view.n;

/**
 * @param {Box} box
 * @param {View} view
 * @returns {Bar}
 */
function barOf(box, view) {
  const open = !over(box.n1, view);
  const to = open ? Math.max(view.now, box.from) : box.to;
  const kind = open && box.kind === "failed" ? (box.again ? "redelivered" : "held") : box.kind;
  const from = Math.max(box.from, box.shown);
  return {
    box,
    kind,
    from,
    to,
    open,
    work: Math.min(to, Math.max(box.work, from)),
    ring: over(box.ring, view),
  };
}

/**
 * @param {Store} store
 * @param {Box[]} boxes
 * @param {View} view
 * @param {boolean} merged
 */
function linksOf(store, boxes, view, merged) {
  /** @type {Link[]} */
  const links = [];
  const exchange = store.lanes.find((lane) => lane.kind === "exchange")?.id ?? "";
  for (const box of boxes) {
    const { message, from: t, n0: n, row, lane, queue } = box;
    if (box.kind === "requeued" || box.kind === "work") continue; // has no arrow of its own
    if (box.kind === "buffered") {
      const done = store.laneById.get(queue)?.places.get(box.s)?.done;
      if (done) links.push({ kind: "release", from: done.lane, to: lane, t, n, box: done, row: done.row });
    } else if (lane !== queue) {
      links.push({ kind: box.again ? "redeliver" : "deliver", from: queue, to: lane, t, n, box, row });
      if (box.end === "requeued" && over(box.n1, view)) {
        links.push({ kind: "requeue", from: lane, to: queue, t: box.to, n: box.n1, box, row });
      }
    } else if (box.cause && exchange) {
      links.push({ kind: "return", from: exchange, to: queue, t, n, box, row });
    } else if (Number.isFinite(message.t)) {
      const from = merged ? ALL_PRODUCERS : `p:${message.p}`;
      links.push({ kind: "publish", from, to: queue, t, n, box, row });
    }
    if (box.end === "dead_lettered" && box.n1 <= view.n && exchange) {
      links.push({ kind: "dead", from: lane, to: exchange, t: box.to, n: box.n1, box, row });
    }
  }
  return links.filter((link) => link.t >= view.from && link.t <= view.to);
}

/** @param {Store} store @param {View} view @param {boolean} merged @param {boolean} odd */
function pointsOf(store, view, merged, odd) {
  const first = countBelow(store.points, view.from, (point) => point.t);
  const last = countUpTo(store.points, view.to, (point) => point.t);
  return store.points
    .slice(first, last)
    .filter(({ n, message }) => n <= view.n && (!odd || !message || message.odd))
    .map((point) => (merged && point.lane.startsWith("p:") ? { ...point, lane: ALL_PRODUCERS } : point));
}

/** @type {Record<string, State["kind"]>} */
const STATES = { crashed: "down", lost: "down", cancelled: "left", closed: "left", blocked: "blocked" };

/** @param {Store} store @param {View} view @param {boolean} merged */
function statesOf(store, view, merged) {
  /** @type {State[]} */
  const states = [];
  for (const lane of store.lanes) {
    for (const { from, to, n0, n1, why } of [...lane.downs, ...lane.quiet]) {
      if (n0 > view.n || from > view.to || to < view.from) continue;
      const open = !over(n1, view);
      const end = open ? Infinity : to;
      const on = merged && lane.kind === "producer" ? ALL_PRODUCERS : lane.id;
      states.push({ lane: on, kind: STATES[why] ?? "quiet", from, to: end, n: n0, open });
    }
  }
  return states;
}

/** @param {Bar[]} bars @param {View} view @returns {Late[]} the latest first */
function latesOf(bars, view) {
  return bars
    .filter(({ box }) => box.order?.late && over(box.n1, view))
    .map(({ box }) => ({
      box,
      lane: box.lane,
      row: box.row,
      from: box.to - (box.order?.late ?? 0),
      to: box.to,
    }))
    .sort((a, b) => b.to - b.from - (a.to - a.from));
}

/** @param {Store} store @param {View} view @returns {More[]} */
function moresOf(store, view) {
  /** @type {More[]} */
  const mores = [];
  for (const lane of store.lanes) {
    const { over } = lane.rows;
    /** @type {More | null} */
    let more = null;
    for (const { t, count } of over) {
      if (t > view.now) break;
      if (count && !more) more = { lane: lane.id, from: t, to: Infinity, count: 0 };
      if (more) more.count = Math.max(more.count, count);
      if (!count && more) {
        mores.push({ ...more, to: t });
        more = null;
      }
    }
    if (more) mores.push({ ...more, to: view.now });
  }
  return mores.filter(({ from, to }) => to > from && from <= view.to && to >= view.from);
}

/** @param {Store} store @param {View} view */
function depthsOf(store, view) {
  return store.lanes
    .filter((lane) => lane.kind === "queue" && lane.depthMax > 1)
    .map(({ id, depth, depthMax }) => {
      const first = Math.max(0, countUpTo(depth, view.from, (step) => step.t) - 1);
      const last = countUpTo(depth, Math.min(view.to, view.now), (step) => step.t);
      return { lane: id, most: depthMax, steps: depth.slice(first, last) };
    });
}
