/** Traces that tests draw. */

import { createStore } from "../../amqplite/control/page/lab/trace.js";

export const TICK = 400_000;

/** Events from `[ticks, type, rest]`, numbered. */
export function events(rows) {
  return rows.map(([ticks, type, rest = {}], k) => ({ n: k + 1, t: Math.round(ticks * TICK), type, ...rest }));
}

export const header = (rest = {}) => ({ name: "test", mode: "exact", tick_us: TICK, queues: [{ v: "/", q: "q" }], ...rest });

export function storeOf(rows, rest = {}, options = {}) {
  const store = createStore(header(rest), options);
  store.add(events(rows));
  return store;
}

const message = (k, rest = {}) => ({ m: `m${k}`, id: k, q: "q", s: k, ...rest });

export const publish = (ticks, k, p = "p1") => [
  [ticks, "published", { m: `m${k}`, id: k, p }],
  [ticks, "enqueued", message(k, { p })],
];

export const deliver = (ticks, k, c, attempt = 1, rest = {}) => [
  [ticks, "delivered", message(k, { c, conn: c, ch: 1, attempt, ...(attempt > 1 && { redelivered: true }), ...rest })],
];

export const ack = (ticks, k, c, rest = {}) => [[ticks, "acked", message(k, { c, conn: c, ch: 1, ...rest })]];

export const register = (ticks, c) => [[ticks, "consumer_registered", { q: "q", c, conn: c, ch: 1 }]];

export const requeue = (ticks, k, c, cause = "connection_lost", rest = {}) => [
  [ticks, "requeued", message(k, { c, conn: c, ch: 1, cause, ...rest })],
];

/** Figure 11-2: c2 is lost 1.4 ticks into m3. */
export const FIG_11_2 = [
  ...register(0, "c2"), ...register(0, "c1"),
  ...publish(0, 1), ...deliver(0, 1, "c2"),
  ...publish(1, 2), ...deliver(1, 2, "c1"),
  ...ack(1.8, 1, "c2"),
  ...publish(2, 3), ...deliver(2, 3, "c2"),
  ...ack(2.8, 2, "c1"),
  ...publish(3, 4), ...deliver(3, 4, "c1"),
  [3.4, "connection_lost", { conn: "c2", cause: "connection_lost", sub: "eof" }],
  ...requeue(3.4, 3, "c2", "connection_lost", { sub: "eof" }),
  ...publish(4, 5),
  ...ack(4.8, 4, "c1"), ...deliver(4.8, 3, "c1", 2),
  ...ack(6.6, 3, "c1", { order: { inv: 1, ext: 1, late: 1.8 * TICK, disp: 1, over: ["m4"], over_n: 1, cause: "connection_lost" } }),
  ...deliver(6.6, 5, "c1"),
  ...ack(8.4, 5, "c1"),
];

/** Two consumers take twenty messages that are ready, all at once; c2 is lost at 3.5. */
export function blast() {
  const rows = [...register(0, "c2"), ...register(0, "c1")];
  const all = Array.from({ length: 20 }, (_, k) => k + 1);
  for (const k of all) rows.push(...publish(0, k), ...deliver(0, k, k % 2 ? "c2" : "c1"));
  const lost = all.filter((k) => k % 2 && k > 5);
  const later = [
    ...[1, 3, 5].map((k, at) => [at + 1, k, "c2"]),
    ...all.filter((k) => k % 2 === 0).map((k, at) => [at + 1, k, "c1"]),
    ...lost.map((k, at) => [at + 11, k, "c1"]),
  ].sort((a, b) => a[0] - b[0]);
  for (const [t, k, c] of later.filter(([t]) => t < 3.5)) rows.push(...ack(t, k, c));
  rows.push([3.5, "connection_lost", { conn: "c2", cause: "connection_lost", sub: "eof" }]);
  for (const k of lost) rows.push(...requeue(3.5, k, "c2"));
  for (const k of lost) rows.push(...deliver(3.5, k, "c1", 2));
  for (const [t, k, c] of later.filter(([t]) => t > 3.5)) rows.push(...ack(t, k, c));
  return rows;
}

/** `n` messages that one consumer takes at once and has done a tenth of a tick later. */
export function steady(n) {
  const rows = [...register(0, "c1")];
  for (let k = 1; k <= n; k++) rows.push(...publish(k, k), ...deliver(k, k, "c1"), ...ack(k + 0.1, k, "c1"));
  return rows;
}

export const ALL = { from: -Infinity, to: Infinity, n: Infinity, now: Infinity, odd: false };

/** Words that show what was asked for. */
export const say = (key, slots = {}) => [key, ...Object.values(slots)].join(" ");
