import assert from "node:assert/strict";
import test from "node:test";

import { createStore } from "../../amqplite/control/page/lab/trace.js";
import { ack, blast, deliver, events, FIG_11_2, header, publish, register, requeue, steady, storeOf, TICK } from "./traces.js";

const ids = (store) => store.lanes.map(({ id }) => id);

test("derives lanes from what is heard of", () => {
  assert.deepEqual(ids(storeOf(FIG_11_2)), ["p:p1", "q:q", "c:c1", "c:c2"]);
});

test("puts consumers in the order of their names, and those that come later after them", () => {
  const rows = [...register(0, "c10"), ...register(0, "c2"), ...publish(1, 1), ...register(2, "c1"), ...register(2, "b")];
  assert.deepEqual(ids(storeOf(rows)), ["p:p1", "q:q", "c:c2", "c:c10", "c:c1", "c:b"]);
});

test("names a queue with its vhost where that isn't the usual one", () => {
  const store = createStore(header({ queues: [{ v: "/", q: "a" }, { v: "shop", q: "a" }] }));
  assert.deepEqual(ids(store), ["q:a", "q:shop/a"]);
});

test("takes each event once, whatever a stream repeats", () => {
  const store = createStore(header());
  const all = events(FIG_11_2);
  store.add(all.slice(0, 20));
  store.add(all.slice(10));
  store.add(all);
  assert.equal(store.events.length, all.length);
  assert.equal(store.version, 2);
});

test("tells those who listen that something came, and no more once they have left", () => {
  const store = createStore(header());
  let told = 0;
  const leave = store.listen(() => (told += 1));
  store.add(events(FIG_11_2).slice(0, 3));
  store.add([]);
  leave();
  store.add(events(FIG_11_2));
  assert.equal(told, 1);
});

test("counts events up to an instant, and up to a number", () => {
  const store = storeOf(FIG_11_2);
  assert.equal(store.at(-1), 0);
  assert.equal(store.at(0), 5);
  assert.equal(store.at(3.4 * TICK), store.events.findIndex(({ type }) => type === "requeued") + 1);
  assert.equal(store.at(Infinity), store.events.length);
  assert.equal(store.upTo(0), 0);
  assert.equal(store.upTo(7), 7);
});

test("knows the instants at which something happened, each once", () => {
  const ticks = storeOf(FIG_11_2).instants.map((t) => t / TICK);
  assert.deepEqual(ticks, [0, 1, 1.8, 2, 2.8, 3, 3.4, 4, 4.8, 6.6, 8.4]);
});

test("takes what is hardly apart for one instant", () => {
  const near = [[0, "published", { m: "m1", id: 1, p: "p" }], [0.019, "enqueued", { m: "m1", id: 1, q: "q", s: 1 }]];
  assert.equal(storeOf(near, { mode: "real" }).instants.length, 1);
  assert.equal(storeOf(near, { mode: "live" }).instants.length, 2);
});

test("stops at what went wrong", () => {
  const types = storeOf(FIG_11_2).anomalies.map(({ type }) => type);
  assert.deepEqual(types, ["connection_lost", "requeued", "acked"]);
});

test("keeps a run's first events and counts the rest", () => {
  const store = storeOf(steady(100), {}, { cap: 50 });
  assert.equal(store.events.length, 50);
  assert.equal(store.left, 401 - 50);
  assert.equal(store.events.at(-1).n, 50);
});

test("keeps a live trace's last events, and forgets what ended before", () => {
  const rows = [...publish(0, 9000), ...deliver(0, 9000, "slow"), ...steady(3000)];
  const store = storeOf(rows, { mode: "live" }, { cap: 500 });
  assert.ok(store.events.length <= 550);
  assert.equal(store.left + store.events.length, rows.length);
  assert.equal(store.events.at(-1).n, rows.length);
  assert.ok(store.messages.size < 150, `${store.messages.size}`);
  assert.ok(store.boxes.list.length < 300);
  assert.ok(store.points.length < 150);
  assert.ok(store.lanes.find(({ id }) => id === "q:q").places.size < 150);
  assert.ok(store.boxes.list.some(({ message, to }) => message.m === "m9000" && to === Infinity));
});

/** Events that count how often somebody looks at them. */
function counted(rows) {
  const count = { reads: 0 };
  const watched = events(rows).map((event) => new Proxy(event, {
    get(target, name) {
      count.reads += 1;
      return target[name];
    },
  }));
  return { watched, count };
}

test("an event costs the same whatever came before it", () => {
  const cost = (n) => {
    const { watched, count } = counted(steady(n));
    createStore(header(), { cap: 1e6 }).add(watched);
    return count.reads / watched.length;
  };
  assert.ok(cost(5000) < cost(500) * 1.02);
  assert.ok(cost(5000) < 60);
});

test("gives each message that is held a row, six at most, and the next one to who waits longest", () => {
  const store = storeOf(blast());
  store.settle();
  const held = store.boxes.list.filter(({ lane, attempt }) => lane === "c:c1" && attempt === 1);
  assert.deepEqual(held.slice(0, 6).map(({ row }) => row), [0, 1, 2, 3, 4, 5]);
  const seventh = held[6];
  assert.equal(seventh.message.m, "m14");
  assert.deepEqual([seventh.row, seventh.shown / TICK], [0, 1]); // m2 is done then
});

test("takes what is held longest for what is worked on", () => {
  const rows = [
    ...register(0, "c1"), ...publish(0, 1), ...publish(0, 2), ...publish(0, 3),
    ...deliver(0, 1, "c1"), ...deliver(0, 2, "c1"), ...deliver(0, 3, "c1"),
    ...ack(1, 1, "c1"), ...requeue(1.5, 2, "c1"), ...requeue(1.5, 3, "c1"),
  ];
  const held = storeOf(rows).boxes.list.filter(({ lane }) => lane === "c:c1");
  assert.deepEqual(held.map(({ work }) => work / TICK), [0, 1, Infinity]);
});

test("believes a consumer that tells when it starts", () => {
  const rows = [
    ...publish(0, 1), ...deliver(0, 1, "c1"), [0.5, "started", { m: "m1", id: 1, q: "q", s: 1, c: "c1" }],
    ...publish(1, 2), ...deliver(1, 2, "c1"), ...ack(2, 1, "c1"),
  ];
  const held = storeOf(rows).boxes.list.filter(({ lane }) => lane === "c:c1");
  assert.deepEqual(held.map(({ work }) => work / TICK), [0.5, Infinity]);
});

test("shows what is done with messages that need no ack", () => {
  const one = { m: "m1", id: 1, q: "q", s: 1, c: "c1" };
  const rows = [
    ...publish(0, 1), ...deliver(0, 1, "c1", 1, { auto: true }), ...ack(0, 1, "c1", { auto: true }),
    [0, "started", one], [1.6, "crashed", { c: "c1" }],
  ];
  const box = storeOf(rows).boxes.list.at(-1);
  assert.deepEqual([box.kind, box.lane, box.to / TICK, box.end], ["work", "c:c1", 1.6, "crashed"]);
});

test("knows since when a consumer is away, and until when nobody knew", () => {
  const rows = [
    ...register(0, "c1"), ...publish(0, 1), ...deliver(0, 1, "c1"),
    [1, "crashed", { c: "c1" }],
    [7, "connection_lost", { conn: "c1", sub: "heartbeat_timeout" }],
    ...requeue(7, 1, "c1", "connection_lost", { sub: "heartbeat_timeout", idle: 6 * TICK }),
    ...register(9, "c1"),
  ];
  const lane = storeOf(rows).laneById.get("c:c1");
  assert.deepEqual(lane.downs.map(({ from, to, why }) => [from / TICK, to / TICK, why]), [[1, 9, "crashed"]]);
  assert.deepEqual(lane.quiet.map(({ from, to }) => [from / TICK, to / TICK]), [[1, 7]]);
});

test("goes by the last octet where nobody tells of a silent death", () => {
  const rows = [
    ...register(0, "c1"), ...publish(0, 1), ...deliver(0, 1, "c1"),
    [7, "connection_lost", { conn: "c1", sub: "heartbeat_timeout" }],
    ...requeue(7, 1, "c1", "connection_lost", { sub: "heartbeat_timeout", idle: 5 * TICK }),
  ];
  const lane = storeOf(rows).laneById.get("c:c1");
  assert.deepEqual(lane.quiet.map(({ from, to }) => [from / TICK, to / TICK]), [[2, 7]]);
  assert.equal(storeOf(FIG_11_2).laneById.get("c:c2").quiet.length, 0);
});

test("keeps what waits downstream for its turn", () => {
  const let_go = (t, k) => [[t, "released", { m: `m${k}`, id: k, q: "q", s: k, by: "sorter" }]];
  const rows = [
    ...publish(0, 1), ...publish(0, 2), ...publish(0, 3), ...deliver(0, 1, "c1"), ...let_go(1, 1), ...ack(1, 1, "c1"),
    ...deliver(1, 2, "c1"), ...deliver(1, 3, "c2"), ...ack(2, 3, "c2"), ...ack(3, 2, "c1"), ...let_go(3, 2), ...let_go(3, 3),
  ];
  const store = storeOf(rows);
  const kept = store.boxes.list.filter(({ kind }) => kind === "buffered");
  assert.equal(store.lanes.at(-1).id, "r:sorter");
  assert.deepEqual(kept.map(({ message, from, to }) => [message.m, from / TICK, to / TICK]), [["m1", 1, 1], ["m3", 2, 3], ["m2", 3, 3]]);
});
