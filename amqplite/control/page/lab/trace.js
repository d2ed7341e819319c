// @ts-check
/**
 * The store of a trace: its events as they came, and what is derived from them as they come.
 *
 * Events are never changed. `add` takes them in order of `n` and leaves out what it has already, so
 * a stream may repeat itself. A run keeps its first CAP events and counts the rest; a live trace
 * keeps its last.
 */

import { DERIVE } from "./derive.js";
import { countUpTo, Intervals } from "./intervals.js";
import { inOrder } from "./lanes.js";
import { queueOf } from "./parts.js";

/** @typedef {import("./types.js").TraceEvent} TraceEvent */
/** @typedef {import("./types.js").Header} Header */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Lane} Lane */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Point} Point */

export const CAP = 20000;

/** Events closer than this share of a unit happen at one instant, for people. */
const INSTANT = { paced: 1 / 50, live: 1 / 5000 };

/** @param {TraceEvent} event */
const when = (event) => event.t;
/** @param {TraceEvent} event */
const which = (event) => event.n;

export class Store {
  /**
   * @param {Header} header
   * @param {{cap?: number, keep?: "first" | "last"}} [options]
   */
  constructor(header, { cap = CAP, keep = header.mode === "live" ? "last" : "first" } = {}) {
    this.header = header;
    this.unit = header.tick_us || 1e6;
    this.live = header.mode === "live";
    this.cap = cap;
    this.keep = keep;
    /** @type {TraceEvent[]} */
    this.events = [];
    /** Events that came but are not kept. */
    this.left = 0;
    /** Counts what was added; a drawing of an older number is out of date. */
    this.version = 0;
    /** @type {Map<string, Message>} */
    this.messages = new Map();
    /** @type {Map<string, Lane>} */
    this.laneById = new Map();
    /** @type {Intervals<Box>} */
    this.boxes = new Intervals();
    /** @type {Point[]} */
    this.points = [];
    /** @type {TraceEvent[]} events that "next anomaly" stops at */
    this.anomalies = [];
    /** @type {number[]} times at which something happened, each once */
    this.instants = [];
    this.start = 0;
    this.end = 0;
    /** Whether a message was seen. */
    this.started = false;
    this.lastN = 0;
    /** Lane of who puts messages in order downstream, if there is one. */
    this.after = "";
    const paced = !this.live && header.mode !== "imported";
    this.tolerance = this.unit * (paced ? INSTANT.paced : INSTANT.live);
    /** @type {Lane[] | null} */
    this.ordered = null;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    for (const queue of header.queues ?? []) queueOf(this, queue);
  }

  /** @param {readonly TraceEvent[]} events in order of n */
  add(events) {
    const before = this.lastN;
    for (const event of events) {
      if (event.n <= this.lastN) continue;
      this.lastN = event.n;
      if (this.keep === "first" && this.events.length >= this.cap) this.left += 1;
      else this.take(event);
    }
    if (this.events.length > this.cap * 1.1) this.forget();
    if (this.lastN === before) return;
    this.version += 1;
    for (const listener of this.listeners) listener();
  }

  /** @param {TraceEvent} event */
  take(event) {
    if (this.events.length === 0) this.start = event.t;
    if (event.t > this.end) for (const lane of this.laneById.values()) lane.rows.settle();
    this.end = Math.max(this.end, event.t);
    this.events.push(event);
    const last = this.instants.at(-1);
    if (last === undefined || event.t - last > this.tolerance) this.instants.push(event.t);
    DERIVE[event.type]?.(this, event);
  }

  /** Gives rows to what came at the last instant, too: it is about to be drawn. */
  settle() {
    for (const lane of this.laneById.values()) lane.rows.settle();
  }

  newLanes() {
    this.ordered = null;
  }

  /** @param {TraceEvent} event */
  anomaly(event) {
    this.anomalies.push(event);
  }

  /** Lanes from top to bottom. */
  get lanes() {
    this.ordered ??= inOrder(this.laneById.values());
    return this.ordered;
  }

  /**
   * Returns how many events there are up to time `t`, included.
   * @param {number} t
   */
  at(t) {
    return countUpTo(this.events, t, when);
  }

  /**
   * Returns how many events there are up to number `n`, included.
   * @param {number} n
   */
  upTo(n) {
    return countUpTo(this.events, n, which);
  }

  /**
   * Calls `listener` after each `add` that brought something; returns what ends that.
   * @param {() => void} listener
   */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets the oldest events, and what ended before those that are kept. */
  forget() {
    const over = this.events.length - this.cap;
    this.events.splice(0, over);
    this.left += over;
    this.start = this.events[0].t;
    const [{ n, t }] = this.events;
    this.boxes.forget(t);
    this.points = this.points.filter((point) => point.n >= n);
    this.anomalies = this.anomalies.filter((event) => event.n >= n);
    this.instants.splice(0, countUpTo(this.instants, t, Number) - 1);
    for (const lane of this.laneById.values()) forgetIn(lane, t);
    for (const [key, message] of this.messages) if (message.last < n) this.messages.delete(key);
  }
}

/** @param {Lane} lane @param {number} t */
function forgetIn(lane, t) {
  for (const [s, place] of lane.places) {
    if (place.wait || place.held || (place.done ? place.done.to >= t : !place.gone)) continue;
    lane.places.delete(s);
    if (lane.labels.get(place.message.m) === place) lane.labels.delete(place.message.m);
  }
  lane.downs = lane.downs.filter((span) => span.to >= t);
  lane.quiet = lane.quiet.filter((span) => span.to >= t);
  for (const steps of [lane.depth, lane.rows.over]) {
    steps.splice(0, Math.max(0, countUpTo(steps, t, (step) => step.t) - 1));
  }
}

/**
 * @param {Header} header
 * @param {{cap?: number, keep?: "first" | "last"}} [options] cap: events kept, 20,000 by default
 */
export const createStore = (header, options) => new Store(header, options);
