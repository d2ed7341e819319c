// @ts-check
/**
 * What is kept of a live stream: the last seconds of everything, and every message that something
 * befell, from its first event on.
 *
 * Events come as fast as they like; what is kept is bounded by number.
 */

/** @typedef {import("./types.js").TraceEvent} TraceEvent */

const SPAN_US = 30_000_000;
const EVENTS_MAX = 20_000;
const ODD_MAX = 300;
/** Messages a second above which only anomalies are drawn. */
export const CALM = 50;
const SLOT_US = 500_000;
const SLOTS = 60;

/** Types that make a message worth to be seen whole. */
const ODD = new Set([
  ...["requeued", "nacked", "rejected", "dropped", "expired", "dead_lettered", "discarded"],
  ...["refused", "unroutable", "publish_nacked", "bad_ack", "ack_lost", "late_ack_ignored"],
]);

/** Whether an event makes its message one. @param {TraceEvent} event */
export const isOdd = (event) =>
  ODD.has(event.type) ||
  Boolean(event.order?.inv) ||
  (event.type === "delivered" && event.redelivered === true);

const keyOf = (event) => event.id || event.m || 0;

export class LiveWindow {
  constructor({ most = EVENTS_MAX, odd = ODD_MAX } = {}) {
    this.most = most;
    this.oddMost = odd;
    /** @type {Map<any, TraceEvent[]>} messages nothing befell, by key, oldest first */
    this.even = new Map();
    /** @type {Map<any, TraceEvent[]>} the others */
    this.odd = new Map();
    /** @type {Map<string, any>} keys by label, to find those that overtook */
    this.labels = new Map();
    /** @type {TraceEvent[]} what is about no message: who came, who went */
    this.others = [];
    /** @type {TraceEvent[] | null} what came since it was drained; `null`: too much */
    this.news = [];
    this.count = 0;
    this.end = 0;
    this.last = 0;
    /** Messages that turned out odd, those that are forgotten by now included. */
    this.oddities = 0;
    this.published = 0;
    this.completed = 0;
    this.reordered = 0;
    /** @type {Record<string, number>} */
    this.causes = {};
    /** @type {{at: number, all: number, odd: number}[]} messages by half seconds, newest last */
    this.slots = [];
  }

  /** @param {TraceEvent} event */
  take(event) {
    if (event.n <= this.last) return;
    this.last = event.n;
    this.end = Math.max(this.end, event.t);
    const key = keyOf(event);
    this.tally(event);
    if (this.news && this.news.push(event) > this.most) this.news = null;
    if (!key) {
      this.others.push(event);
      if (this.others.length > 1000) this.others.splice(0, 500);
      return;
    }
    const odd = this.odd.get(key);
    if (odd) odd.push(event);
    else this.keep(key, event);
    if (isOdd(event)) this.mark(key, event);
  }

  keep(key, event) {
    const events = this.even.get(key);
    if (events) events.push(event);
    else {
      this.even.set(key, [event]);
      if (event.m) this.labels.set(event.m, key);
    }
    this.count += 1;
    if (this.count > this.most) this.forget();
  }

  /** @param {any} key @param {TraceEvent} event */
  mark(key, event) {
    this.move(key);
    for (const label of event.order?.over ?? []) {
      if (this.labels.has(label)) this.move(this.labels.get(label));
    }
    this.slot(event.t).odd += 1;
  }

  move(key) {
    const events = this.even.get(key);
    if (!events) return;
    this.even.delete(key);
    this.count -= events.length;
    this.odd.set(key, events);
    this.oddities += 1;
    if (this.odd.size > this.oddMost) this.odd.delete(this.odd.keys().next().value);
  }

  forget() {
    for (const [key, events] of this.even) {
      if (this.count <= this.most * 0.9) return;
      this.even.delete(key);
      this.count -= events.length;
      if (events[0].m) this.labels.delete(events[0].m);
    }
  }

  tally(event) {
    if (event.type === "enqueued") {
      this.published += 1;
      this.slot(event.t).all += 1;
    }
    if (event.type !== "acked") return;
    this.completed += 1;
    if (!event.order?.inv) return;
    this.reordered += 1;
    const cause = event.order.cause ?? "";
    this.causes[cause] = (this.causes[cause] ?? 0) + 1;
  }

  slot(t) {
    const at = Math.floor(t / SLOT_US);
    let found = this.slots.at(-1);
    if (!found || found.at < at) {
      found = { at, all: 0, odd: 0 };
      this.slots.push(found);
      if (this.slots.length > SLOTS) this.slots.shift();
    }
    return found;
  }

  /** Messages a second, over the last two seconds. @param {number} now µs */
  rate(now) {
    const newest = Math.floor(now / SLOT_US); // which isn't over
    const recent = this.slots.filter(({ at }) => at >= newest - 4 && at < newest);
    return recent.reduce((sum, { all }) => sum + all, 0) / 2;
  }

  /**
   * What came since the last time, in order; `null` where that was too much to be kept apart.
   *
   * @param {boolean} oddOnly
   */
  drain(oddOnly) {
    const news = this.news;
    this.news = [];
    const kept = (event) => !keyOf(event) || this.odd.has(keyOf(event));
    return oddOnly && news ? news.filter(kept) : news;
  }

  /**
   * What is to be drawn, in order.
   *
   * @param {boolean} oddOnly
   * @returns {TraceEvent[]}
   */
  events(oddOnly) {
    const since = this.end - SPAN_US;
    const all = [...this.others, ...[...this.odd.values()].flat()];
    if (!oddOnly) all.push(...[...this.even.values()].flat());
    const ends = (event) => event.t >= since || event.type === "consumer_registered";
    return all.filter(ends).sort((a, b) => a.n - b.n);
  }

  /** Bars of the last half minute: `{all, odd}` for each half second, oldest first. */
  density(now) {
    const newest = Math.floor(now / SLOT_US);
    const by = new Map(this.slots.map((slot) => [slot.at, slot]));
    return Array.from(
      { length: SLOTS },
      (_, at) => by.get(newest - SLOTS + 1 + at) ?? { all: 0, odd: 0 },
    );
  }
}
