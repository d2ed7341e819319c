// @ts-check
/** Lanes of a trace, and the sub-rows in which what overlaps on a lane lies. */

/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Lane} Lane */
/** @typedef {import("./types.js").TraceEvent} TraceEvent */

/** Rows that are shown; what does not fit is counted. */
export const MOST_ROWS = 6;

/**
 * Hands out rows to boxes as they come: the lowest that is free.
 *
 * A box has its row only once time goes on, so that what waits for no time takes none. Beyond
 * MOST_ROWS a box is hidden (row −1) until one becomes free; `shown` is the time it got it.
 */
export class Rows {
  constructor() {
    /** @type {(Box | null)[]} */
    this.taken = [];
    /** @type {Box[]} */
    this.pending = [];
    /** @type {Box[]} */
    this.hidden = [];
    /** @type {{t: number, count: number}[]} how many are hidden from when on */
    this.over = [];
  }

  /** @param {Box} box */
  enter(box) {
    this.pending.push(box);
  }

  /** Gives their rows to those that are still there as time goes on. */
  settle() {
    for (const box of this.pending) if (box.to === Infinity) this.place(box, box.from);
    this.pending.length = 0;
  }

  /**
   * @param {Box} box
   * @param {number} t
   */
  place(box, t) {
    let row = this.taken.indexOf(null);
    if (row < 0 && this.taken.length < MOST_ROWS) row = this.taken.push(null) - 1;
    box.row = row;
    box.shown = t;
    if (row >= 0) this.taken[row] = box;
    else {
      this.hidden.push(box);
      this.count(t);
    }
  }

  /** @param {number} t */
  count(t) {
    this.over.push({ t, count: this.hidden.length });
  }

  /** @param {Box} box that ended; whoever waits longest gets its row */
  leave(box) {
    if (box.row < 0) {
      const place = this.hidden.indexOf(box);
      if (place >= 0) {
        this.hidden.splice(place, 1);
        this.count(box.to);
      }
    } else if (this.taken[box.row] === box) {
      this.taken[box.row] = null;
      const next = this.hidden.shift();
      if (next) {
        this.place(next, box.to);
        this.count(box.to);
      }
    }
  }
}

/** Whether a message waits there, and nobody works on it. @param {Box} box */
export const waits = ({ kind }) => kind === "waiting" || kind === "requeued" || kind === "buffered";

/** @param {{v?: string, q?: string}} event */
export const queueLane = ({ v = "/", q = "" }) => `q:${v === "/" ? q : `${v}/${q}`}`;

/**
 * @param {string} id
 * @param {Lane["kind"]} kind
 * @param {string} name
 * @param {number} born
 * @param {boolean} early
 * @returns {Lane}
 */
export function newLane(id, kind, name, born, early) {
  return {
    id,
    kind,
    name,
    born,
    early,
    conn: "",
    ch: 0,
    rows: new Rows(),
    places: new Map(),
    labels: new Map(),
    downs: [],
    quiet: [],
    depth: [],
    depthMax: 0,
    depthNow: 0,
    holding: new Set(),
    lastAck: born,
    marked: false,
    active: "",
  };
}

/**
 * Compares names as people sort them: c2 before c10. Same as a Python key of digits and the rest.
 * @param {string} a
 * @param {string} b
 */
export function natural(a, b) {
  const left = a.match(/\d+|\D+/g) ?? [];
  const right = b.match(/\d+|\D+/g) ?? [];
  for (let k = 0; k < left.length && k < right.length; k++) {
    if (left[k] === right[k]) continue;
    const numbers = /^\d/.test(left[k]) && /^\d/.test(right[k]);
    const apart = numbers ? Number(left[k]) - Number(right[k]) : 0;
    return apart || (left[k] < right[k] ? -1 : 1);
  }
  return left.length - right.length;
}

/** Producers that have a lane each; more are drawn on one. */
export const MOST_PRODUCERS = 4;
export const ALL_PRODUCERS = "p:*";

/**
 * Returns the lanes from top to bottom: producers, queues, exchanges, consumers, and who
 * comes after them.
 *
 * Consumers that were there before the first message are in the order of their names, those that
 * came later after them as they came: nobody's lane ever moves.
 *
 * @param {Iterable<Lane>} lanes as they came
 * @returns {Lane[]}
 */
export function inOrder(lanes) {
  /** @type {Record<Lane["kind"], Lane[]>} */
  const by = { producer: [], queue: [], exchange: [], consumer: [], after: [] };
  for (const lane of lanes) by[lane.kind].push(lane);
  const early = by.consumer.filter((lane) => lane.early).sort((a, b) => natural(a.name, b.name));
  const late = by.consumer.filter((lane) => !lane.early);
  return [...by.producer, ...by.queue, ...by.exchange, ...early, ...late, ...by.after];
}
