// @ts-check
/** Two orders of the same messages, and where the lines between them cross. Pure. */

import { queueLane } from "./lanes.js";

/** @typedef {import("./trace.js").Store} Store */

/** Messages up to which there are lines; of more there is a strip. */
export const LINES = 60;

/**
 * @typedef {object} OrderView  what is compared with the order of publishing
 * @property {"completion" | "first" | "view"} what
 * @property {string} on  lane of the queue, or of the consumer for `view`
 *
 * @typedef {object} Sequence
 * @property {{label: string, s: number, key: string, gone: string}[]} published  in order
 * @property {{at: number, again: boolean}[]} arrived  indexes of `published`, as they came
 *
 * @typedef {{a: number, b: number, share: number, place: number}} Crossing
 *   lines of arrivals a and b (a came first, and overtook b); how far down, and where across
 */

/** Views a trace offers, the most telling first. @param {Store} store @returns {OrderView[]} */
export function viewsOf(store) {
  /** @type {OrderView[]} */
  const views = [];
  const lanes = store.lanes.filter((lane) => lane.kind === "queue");
  for (const { id: on } of lanes) views.push({ what: "completion", on }, { what: "first", on });
  for (const lane of store.lanes) if (lane.kind === "consumer") views.push({ what: "view", on: lane.id });
  return views;
}

/**
 * @param {Store} store
 * @param {OrderView} view
 * @param {number} shown number of events
 * @returns {Sequence}
 */
export function sequence(store, view, shown) {
  /** @type {Map<string, {label: string, s: number, key: string, gone: string, first: number}>} */
  const known = new Map();
  /** @type {{key: string, again: boolean}[]} */
  const came = [];
  const seen = new Set();
  for (let k = 0; k < shown; k++) {
    const event = store.events[k];
    if (!event.s || !TYPES.has(event.type)) continue;
    const queue = queueLane(event);
    const key = `${queue} ${event.s}`;
    const here =
      view.what === "view" ? event.c === view.on.slice(2) && event.type === "delivered" : queue === view.on;
    if (!here) continue;
    let found = known.get(key);
    if (!found) {
      found = { label: event.m ?? String(event.s), s: event.s, key, gone: "", first: known.size };
      known.set(key, found);
    }
    if (GONE.has(event.type)) found.gone = event.cause || event.type;
    if (!arrives(view.what, event.type)) continue;
    const again = seen.has(key);
    if (again && view.what !== "view") continue;
    seen.add(key);
    came.push({ key, again });
  }
  const published = [...known.values()].sort((a, b) => a.s - b.s);
  const place = new Map(published.map(({ key }, k) => [key, k]));
  return { published, arrived: came.map(({ key, again }) => ({ at: place.get(key) ?? 0, again })) };
}

const GONE = new Set(["expired", "dropped", "dead_lettered", "discarded", "purged"]);
const TYPES = new Set(["enqueued", "delivered", "acked", ...GONE]);

/** @param {OrderView["what"]} what @param {string} type */
const arrives = (what, type) => type === (what === "completion" ? "acked" : "delivered");

/** Where two lines cross. @param {Sequence} sequence @returns {Crossing[]} */
export function crossings({ arrived }) {
  /** @type {Crossing[]} */
  const found = [];
  for (let b = 1; b < arrived.length; b++) {
    for (let a = 0; a < b; a++) {
      const [early, late] = [arrived[a].at, arrived[b].at];
      if (early <= late) continue;
      const share = (early - late) / (early - late + (b - a));
      found.push({ a, b, share, place: early + share * (a - early) });
    }
  }
  return found;
}

/**
 * How far each arrival is from where it belongs among those that arrived: + late, − early.
 * @param {Sequence} sequence
 */
export function displacements({ arrived }) {
  const ranks = arrived.map(({ at }, k) => ({ at, k })).sort((a, b) => a.at - b.at || a.k - b.k);
  const found = new Array(arrived.length).fill(0);
  ranks.forEach(({ k }, rank) => {
    found[k] = k - rank;
  });
  return found;
}
