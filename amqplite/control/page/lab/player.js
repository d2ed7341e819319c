// @ts-check
/**
 * The playhead: where it is, and how it moves.
 *
 * It is at an instant `t`, and after an event `n`, since several events may share an instant.
 * `n = Infinity` is the end: everything is shown, also what is still to come.
 */

/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./types.js").TraceEvent} TraceEvent */

export const SPEEDS = [0.25, 0.5, 1, 2, 4];
/** Milliseconds of an event where nothing moves smoothly. */
const JUMP_MS = 1000;

export class Player {
  /**
   * @param {{
   *   store: () => Store,
   *   end: () => number,
   *   pace: (t: number, ms: number) => number,
   *   moved: (by: "step" | "play" | "seek") => void,
   *   changed: () => void,
   *   jumps: () => boolean,
   *   frame?: (tick: (ms: number) => void) => number,
   *   stop?: (handle: number) => void,
   * }} means end: how far it plays; pace: where the playhead is `ms` after `t`; jumps: the reader wants no motion
   */
  constructor(means) {
    this.means = means;
    this.playing = false;
    this.speed = 1;
    this.t = 0;
    this.n = Infinity;
    this.handle = 0;
    this.last = NaN;
    this.waited = 0;
  }

  get store() {
    return this.means.store();
  }

  get atEnd() {
    return this.n === Infinity;
  }

  /** Number of events that are shown. */
  get shown() {
    return this.atEnd ? this.store.events.length : this.store.upTo(this.n);
  }

  /** The last event that is shown, if any. @returns {TraceEvent | undefined} */
  get event() {
    return this.store.events[this.shown - 1];
  }

  /** @param {number | null} t microseconds; null: the end */
  seek(t, by = /** @type {"step" | "play" | "seek"} */ ("seek")) {
    if (t === null || t === Infinity) return this.end();
    const { events } = this.store;
    const count = this.store.at(t);
    this.t = t;
    this.n = count ? events[count - 1].n : -1;
    this.means.moved(by);
  }

  /** Shows the first `count` events. @param {number} count */
  showFirst(count) {
    const { events } = this.store;
    const place = Math.max(0, Math.min(count, events.length));
    this.n = place ? events[place - 1].n : -1;
    this.t = place ? events[place - 1].t : this.store.start;
    this.means.moved("step");
  }

  /** @param {number} n */
  seekEvent(n) {
    this.showFirst(this.store.upTo(n));
  }

  start() {
    this.pause();
    this.showFirst(0);
  }

  end() {
    this.pause();
    this.n = Infinity;
    this.t = this.store.end;
    this.means.moved("seek");
  }

  /** @param {1 | -1} by */
  step(by) {
    this.pause();
    this.showFirst(this.shown + by);
  }

  /** To the next message that is published, or the one before. @param {1 | -1} by */
  stepMessage(by) {
    const sent = this.store.events.some((event) => event.type === "published");
    this.stepTo(by, (event) => event.type === (sent ? "published" : "enqueued"));
  }

  /** To the next instant at which something went wrong, or the one before. @param {1 | -1} by */
  stepAnomaly(by) {
    const { anomalies } = this.store;
    const last = anomalies.filter((event, k) => event.t !== anomalies[k + 1]?.t);
    const stops = new Set(last.map((event) => event.n));
    this.stepTo(by, (event) => stops.has(event.n));
  }

  /** @param {1 | -1} by @param {(event: TraceEvent) => boolean} wanted */
  stepTo(by, wanted) {
    this.pause();
    const { events } = this.store;
    for (let k = this.shown - 1 + by; k >= 0 && k < events.length; k += by) {
      if (wanted(events[k])) return this.showFirst(k + 1);
    }
    if (by < 0) this.showFirst(0);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !this.store.events.length) return;
    if (this.atEnd || this.shown === this.store.events.length) this.showFirst(0);
    this.playing = true;
    this.last = NaN;
    this.waited = 0;
    this.means.changed();
    this.ask();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    (this.means.stop ?? cancelAnimationFrame)(this.handle);
    this.means.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.means.changed();
  }

  ask() {
    this.handle = (this.means.frame ?? requestAnimationFrame)((now) => this.tick(now));
  }

  /** @param {number} now milliseconds */
  tick(now) {
    if (!this.playing) return;
    const ms = Number.isNaN(this.last) ? 0 : Math.min(100, now - this.last) * this.speed;
    this.last = now;
    if (this.means.jumps()) this.jump(ms);
    else this.seek(this.means.pace(this.t, ms), "play");
    if (this.shown >= this.store.events.length && this.t >= this.means.end()) this.end();
    else this.ask();
  }

  /** One event a second. @param {number} ms */
  jump(ms) {
    this.waited += ms;
    if (this.waited < JUMP_MS) return;
    this.waited -= JUMP_MS;
    this.showFirst(this.shown + 1);
  }
}
