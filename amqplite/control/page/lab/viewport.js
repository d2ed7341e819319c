// @ts-check
/** Which scale, at what zoom, and which part of it is in sight. */

import { AFTER, BEFORE } from "./frame.js";
import { waits } from "./lanes.js";
import { collapsedScale, orderScale, timeScale } from "./scale.js";

/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./scale.js").Scale} Scale */
/** @typedef {import("./scale.js").Mode} Mode */
/** @typedef {import("./frame.js").Frame} Frame */

/** Messages that are shown at once at first; of more, a part. */
export const AT_ONCE = 60;
/** Content is no longer than this, in pixels: browsers place nothing exactly beyond it. */
const LONGEST = 4e6;
/** Multiples of this are taken off positions far along. */
const BASE = 1 << 17;
const STEP = { least: 44, down: 58, most: 132 };
const BAR_LEAST = 46;

/** Median time that messages are worked on, in microseconds, of the first that are. @param {Store} store */
function medianWork(store) {
  const held = [];
  for (const box of store.boxes.list) {
    const from = Math.max(box.from, box.work);
    if (!waits(box) && box.to !== Infinity && box.to > from) held.push(box.to - from);
    if (held.length === AT_ONCE) break;
  }
  held.sort((a, b) => a - b);
  return held[held.length >> 1] ?? store.unit;
}

/**
 * Pixels of a unit of time, or from instant to instant, at which a trace is shown at first.
 * @param {Store} store @param {Mode} mode @param {number} room along, in pixels
 * @param {{start: number, end: number}} ends @param {boolean} down @param {number} unit least pixels of a unit, time going down
 */
export function natural(store, mode, room, ends, down, unit) {
  const many = store.messages.size > AT_ONCE;
  if (mode === "order") {
    const fit = room / Math.max(1, store.instants.length - 1);
    if (down) return STEP.down;
    return many ? STEP.least : Math.min(STEP.most, Math.max(STEP.least, fit));
  }
  const units = Math.max((ends.end - ends.start) / store.unit, 1e-3);
  const legible = (BAR_LEAST * store.unit) / medianWork(store);
  const fit = room / units;
  if (many) return Math.max(fit, (fit * store.messages.size) / AT_ONCE);
  return down
    ? Math.max(legible, Math.min(unit, 4000 / units))
    : Math.max(fit, Math.min(legible, 6000 / units));
}

/**
 * @param {Store} store @param {Mode} mode @param {number} px of a unit, or from instant to instant
 * @param {{start: number, end: number}} ends
 * @returns {Scale}
 */
export function makeScale(store, mode, px, ends) {
  const { unit, instants } = store;
  if (mode === "order")
    return orderScale(instants, Math.min(px, LONGEST / Math.max(1, instants.length)), unit);
  const units = Math.max((ends.end - ends.start) / unit, 1e-9);
  const most = Math.min(px, LONGEST / units);
  if (mode === "collapse") return collapsedScale(instants, ends.end, most, unit);
  return timeScale(ends.start, ends.end, most, unit);
}

export class Viewport {
  /**
   * @param {Scale} scale
   * @param {Frame} frame
   * @param {number} view  length of what is in sight, the lanes' names included
   * @param {number} scroll
   */
  constructor(scale, frame, view, scroll) {
    this.scale = scale;
    this.lead = frame.sizes.lead;
    this.view = view;
    /** Of all there is, in pixels along. */
    this.length = BEFORE + scale.length + AFTER;
    this.scroll = Math.max(0, Math.min(scroll, this.lead + this.length - view));
    this.base = Math.floor(this.scroll / BASE) * BASE;
  }

  /** Where an instant is drawn. @param {number} t */
  px(t) {
    return BEFORE + this.scale.px(t) - this.base;
  }

  /** @param {number} along position in sight, from the container's edge @returns {number} microseconds */
  time(along) {
    return this.scale.time(along - this.lead + this.scroll - BEFORE);
  }

  /** How far positions are moved to come into sight. */
  get shift() {
    return this.lead - this.scroll + this.base;
  }

  /** In positions. */
  get window() {
    const from = this.scroll - this.base;
    return { from, to: from + this.view - this.lead };
  }

  /** What is in sight, in microseconds. */
  get sight() {
    return { from: this.time(this.lead), to: this.time(this.view) };
  }

  /** The same with a margin so that no arrow's head is forgotten. */
  get times() {
    return { from: this.time(this.lead - 40), to: this.time(this.view + 40) };
  }

  /** The scroll position at which `t` is at `share` of the window. @param {number} t @param {number} share */
  scrollTo(t, share) {
    const along = BEFORE + this.scale.px(t);
    return Math.max(0, along - (this.view - this.lead) * share);
  }
}
