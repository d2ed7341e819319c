// @ts-check
/** Searching in what is sorted by time: numbers, events, and spans that may still be open. */

/**
 * Returns how many of `list` come before or at `value`; `list` rises by `pick`.
 * @template T
 * @param {ArrayLike<T>} list
 * @param {number} value
 * @param {(item: T) => number} pick
 */
export function countUpTo(list, value, pick) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pick(list[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns how many of `list` come before `value`.
 * @template T
 * @param {ArrayLike<T>} list
 * @param {number} value
 * @param {(item: T) => number} pick
 */
export function countBelow(list, value, pick) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pick(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {number} value */
export const itself = (value) => value;

/** @param {{from: number}} span */
const start = (span) => span.from;

const BLOCK = 128;

/**
 * Spans in order of their start, found by the window they touch.
 *
 * A span's `to` may grow or end later; `touched` tells that it did. Blocks keep their latest end,
 * so that one span that never ends costs its own block and not the search.
 *
 * @template {{from: number, to: number, at?: number}} S
 */
export class Intervals {
  constructor() {
    /** @type {S[]} */
    this.list = [];
    /** @type {number[]} */
    this.latest = [];
    /** Spans looked at so far, of all searches. */
    this.looked = 0;
  }

  /** @param {S} span starts no earlier than those before it */
  push(span) {
    const place = this.list.push(span) - 1;
    span.at = place;
    const block = Math.floor(place / BLOCK);
    if (block === this.latest.length) this.latest.push(span.to);
    else if (span.to > this.latest[block]) this.latest[block] = span.to;
  }

  /** @param {S} span whose end changed */
  touched(span) {
    const block = Math.floor(/** @type {number} */ (span.at) / BLOCK);
    if (span.to > this.latest[block]) this.latest[block] = span.to;
    else if (this.latest[block] === Infinity) this.latest[block] = NaN; // counted when asked
  }

  /** @param {number} block */
  latestOf(block) {
    if (Number.isNaN(this.latest[block])) {
      let latest = -Infinity;
      const stop = Math.min(this.list.length, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < stop; k++) latest = Math.max(latest, this.list[k].to);
      this.looked += BLOCK;
      this.latest[block] = latest;
    }
    return this.latest[block];
  }

  /**
   * Returns those that touch from…to, both included, in order of their start.
   * @param {number} from
   * @param {number} to
   */
  within(from, to) {
    /** @type {S[]} */
    const found = [];
    const stop = countUpTo(this.list, to, start);
    for (let block = 0; block * BLOCK < stop; block++) {
      if (this.latestOf(block) < from) continue;
      const last = Math.min(stop, (block + 1) * BLOCK);
      for (let k = block * BLOCK; k < last; k++) {
        this.looked += 1;
        if (this.list[k].to >= from) found.push(this.list[k]);
      }
    }
    return found;
  }

  /**
   * Forgets those that ended before `t`.
   * @param {number} t
   */
  forget(t) {
    const kept = this.list.filter((span) => span.to >= t);
    this.list = [];
    this.latest = [];
    for (const span of kept) this.push(span);
  }
}
