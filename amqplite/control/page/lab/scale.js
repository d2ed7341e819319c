// @ts-check
/**
 * Where an instant lies along the axis. Three ways, one shape: pieces between which time runs evenly.
 *
 *     time      as long as it took
 *     order     the same step from one instant at which something happened to the next
 *     collapse  as long as it took, but waits that are over five times the median are a zigzag
 */

import { countUpTo, itself } from "./intervals.js";

/** @typedef {"time" | "order" | "collapse"} Mode */

/** Pixels of a collapsed wait. */
export const ZIGZAG = 24;
const LONG = 5;

export class Scale {
  /**
   * @param {number[]} times  rising, at least one
   * @param {number[]} places pixels of each
   * @param {number} slope    pixels of a microsecond before the first and after the last
   * @param {Mode} mode
   */
  constructor(times, places, slope, mode) {
    this.mode = mode;
    this.times = times;
    this.places = places;
    this.slope = slope;
    /** @type {{from: number, to: number}[]} waits that are a zigzag, in microseconds */
    this.idle = [];
  }

  get length() {
    return /** @type {number} */ (this.places.at(-1)) - this.places[0];
  }

  /** @param {number} t microseconds @returns {number} pixels */
  px(t) {
    return through(this.times, this.places, t, this.slope);
  }

  /** @param {number} px @returns {number} microseconds */
  time(px) {
    return through(this.places, this.times, px, 1 / this.slope);
  }
}

/**
 * @param {number[]} from
 * @param {number[]} to
 * @param {number} value
 * @param {number} slope beyond the ends
 */
function through(from, to, value, slope) {
  const last = from.length - 1;
  if (value <= from[0]) return to[0] + (value - from[0]) * slope;
  if (value >= from[last]) return to[last] + (value - from[last]) * slope;
  const k = countUpTo(from, value, itself);
  const share = (value - from[k - 1]) / (from[k] - from[k - 1]);
  return to[k - 1] + share * (to[k] - to[k - 1]);
}

/**
 * @param {number} start
 * @param {number} end
 * @param {number} pxPerUnit
 * @param {number} unit microseconds
 */
export function timeScale(start, end, pxPerUnit, unit) {
  const slope = pxPerUnit / unit;
  if (end <= start) return new Scale([start], [0], slope, "time");
  return new Scale([start, end], [0, (end - start) * slope], slope, "time");
}

/**
 * @param {readonly number[]} instants
 * @param {number} step pixels
 * @param {number} unit
 */
export function orderScale(instants, step, unit) {
  const times = instants.length ? [...instants] : [0];
  return new Scale(
    times,
    times.map((_, k) => k * step),
    step / unit,
    "order",
  );
}

/** @param {readonly number[]} instants @returns {number} microseconds over which a wait is long */
export function longWait(instants) {
  const waits = new Float64Array(Math.max(0, instants.length - 1));
  for (let k = 0; k < waits.length; k++) waits[k] = instants[k + 1] - instants[k];
  waits.sort();
  return waits.length < 2 ? Infinity : LONG * waits[(waits.length - 1) >> 1];
}

/**
 * @param {readonly number[]} instants
 * @param {number} end
 * @param {number} pxPerUnit
 * @param {number} unit
 */
export function collapsedScale(instants, end, pxPerUnit, unit) {
  const slope = pxPerUnit / unit;
  const long = longWait(instants);
  const times = [instants[0] ?? 0];
  const places = [0];
  /** @type {Scale["idle"]} */
  const idle = [];
  let since = 0;
  for (let k = 1; k < instants.length; k++) {
    const [from, to] = [instants[k - 1], instants[k]];
    if (to - from <= long || (to - from) * slope <= ZIGZAG) continue;
    push(times, places, from, /** @type {number} */ (places.at(-1)) + (from - times[since]) * slope);
    push(times, places, to, /** @type {number} */ (places.at(-1)) + ZIGZAG);
    since = times.length - 1;
    idle.push({ from, to });
  }
  const last = Math.max(end, instants.at(-1) ?? end);
  push(times, places, last, /** @type {number} */ (places.at(-1)) + (last - times[since]) * slope);
  const scale = new Scale(times, places, slope, "collapse");
  scale.idle = idle;
  return scale;
}

/** @param {number[]} times @param {number[]} places @param {number} t @param {number} px */
function push(times, places, t, px) {
  if (t === times.at(-1)) return;
  times.push(t);
  places.push(px);
}

/**
 * Returns labelled instants, at least `apart` pixels from each other.
 *
 * @param {Scale} scale
 * @param {number} from microseconds
 * @param {number} to
 * @param {number} unit
 * @param {number} apart
 * @param {number} least units from one to the next, at least
 */
export function even(scale, from, to, unit, apart, least = 0) {
  const pxPerUnit = scale.slope * unit;
  const step = roundStep(Math.max(least, apart / pxPerUnit)) * unit;
  /** @type {number[]} */
  const ticks = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) {
    const t = k * step;
    if (!scale.idle.some((wait) => t > wait.from && t < wait.to)) ticks.push(t);
  }
  return ticks;
}

/** @param {number} least @returns {number} the next of …, 0.1, 0.2, 0.5, 1, 2, 5, … */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least * 0.999999) ?? 10);
}
