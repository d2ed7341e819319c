import assert from "node:assert/strict";
import test from "node:test";

import { crossings, displacements, sequence, viewsOf } from "../../amqplite/control/page/lab/order.js";
import { heatStrip } from "../../amqplite/control/page/lab/heatstrip.js";
import { orderLines } from "../../amqplite/control/page/lab/orderscene.js";
import { ack, blast, deliver, FIG_11_2, publish, requeue, say, storeOf } from "./traces.js";

const all = (store, view) => sequence(store, view, store.events.length);
const labels = ({ published, arrived }) => arrived.map(({ at }) => published[at].label).join(" ");
const COMPLETION = { what: "completion", on: "q:q" };

/** An order as if that had come in. */
const arrivedAs = (...order) => ({
  published: order.map((_, k) => ({ label: `m${k + 1}`, s: k + 1, key: String(k), gone: "" })),
  arrived: order.map((s) => ({ at: s - 1, again: false })),
});

test("figure 11-2: m4 overtook m3, and nobody else anybody", () => {
  const done = all(storeOf(FIG_11_2), COMPLETION);
  assert.equal(labels(done), "m1 m2 m4 m3 m5");
  assert.deepEqual(crossings(done), [{ a: 2, b: 3, share: 0.5, place: 2.5 }]);
});

test("figure 11-2: everything was handed out in order", () => {
  const first = all(storeOf(FIG_11_2), { what: "first", on: "q:q" });
  assert.equal(labels(first), "m1 m2 m3 m4 m5");
  assert.deepEqual(crossings(first), []);
});

test("figure 11-2: what each consumer sees", () => {
  const store = storeOf(FIG_11_2);
  assert.equal(labels(all(store, { what: "view", on: "c:c1" })), "m2 m4 m3 m5");
  assert.equal(labels(all(store, { what: "view", on: "c:c2" })), "m1 m3");
});

test("the views a trace offers", () => {
  assert.deepEqual(viewsOf(storeOf(FIG_11_2)).map(({ what, on }) => `${what} ${on}`), [
    "completion q:q", "first q:q", "view c:c1", "view c:c2",
  ]);
});

test("the blast of prefetch without a limit: 28 inversions", () => {
  const done = all(storeOf(blast()), COMPLETION);
  assert.equal(crossings(done).length, 28);
});

test("only as much as the playhead has passed", () => {
  const store = storeOf(FIG_11_2);
  assert.equal(labels(sequence(store, COMPLETION, 12)), "m1");
  assert.deepEqual(sequence(store, COMPLETION, 0), { published: [], arrived: [] });
});

test("a consumer that gets a message again sees it twice", () => {
  const rows = [1, 2, 3].flatMap((k) => [...publish(0, k), ...deliver(0, k, "c1")]);
  const store = storeOf([...rows, ...requeue(1, 1, "c1", "nack_requeue"), ...deliver(1, 1, "c1", 2)]);
  const seen = all(store, { what: "view", on: "c:c1" });
  assert.equal(labels(seen), "m1 m2 m3 m1");
  assert.deepEqual(seen.arrived.map(({ again }) => again), [false, false, false, true]);
  assert.equal(crossings(seen).length, 2);
});

test("what is gone is no inversion", () => {
  const store = storeOf([
    ...publish(0, 1), ...publish(0, 2), [1, "dropped", { q: "q", m: "m1", id: 1, s: 1, cause: "maxlen" }],
    ...deliver(1, 2, "c1"), ...ack(2, 2, "c1"),
  ]);
  const done = all(store, COMPLETION);
  assert.deepEqual(done.published.map(({ label, gone }) => [label, gone]), [["m1", "maxlen"], ["m2", ""]]);
  assert.deepEqual(crossings(done), []);
});

test("as many crossings as pairs the wrong way round", () => {
  assert.equal(crossings(arrivedAs(5, 4, 3, 2, 1)).length, 10);
  assert.equal(crossings(arrivedAs(1, 10, 2, 3, 4, 5, 6, 7, 8, 9)).length, 8);
  assert.equal(crossings(arrivedAs(4, 5, 1, 2, 3)).length, 6);
});

test("a crossing is where the lines meet", () => {
  const [{ a, b, share, place }] = crossings(arrivedAs(3, 1, 2).published.length ? arrivedAs(2, 1) : {});
  assert.deepEqual([a, b, share, place], [0, 1, 0.5, 0.5]);
  const [first, second] = crossings(arrivedAs(3, 1, 2));
  assert.deepEqual([first.share, first.place], [2 / 3, 2 - 4 / 3]);
  assert.ok(Math.abs(second.share - 1 / 3) < 1e-9 && Math.abs(second.place - (2 - 2 / 3)) < 1e-9);
});

test("how far each came from where it belongs", () => {
  assert.deepEqual(displacements(arrivedAs(1, 2, 4, 3, 5)), [0, 0, -1, 1, 0]);
  assert.deepEqual(displacements(arrivedAs(2, 3, 4, 5, 1)), [-1, -1, -1, -1, 4]);
});

test("figure 11-2 as lines: one ring, two vermilion strands, told in words", () => {
  const { marks, crossed } = orderLines(all(storeOf(FIG_11_2), COMPLETION), 900, say, ["published", "completed"], 5);
  assert.equal(crossed, 1);
  const rings = marks.filter(({ cls }) => cls === "crossing");
  assert.deepEqual(rings.map(({ ms, name }) => [ms, name]), [[["m4", "m3"], "order.cross m4 m3"]]);
  assert.deepEqual(marks.filter(({ cls }) => cls === "strand bad").map(({ ms }) => ms[0]), ["m4", "m3"]);
  assert.deepEqual(marks.filter(({ cls }) => cls.startsWith("card bad")).map(({ ms }) => ms[0]), ["m3", "m4", "m4", "m3"]);
  assert.deepEqual(marks.filter(({ cls }) => cls === "words").map(({ shapes }) => shapes[0].text), ["order.cross m4 m3"]);
});

test("lines lie across on a phone, and fit", () => {
  const { marks, width } = orderLines(all(storeOf(FIG_11_2), COMPLETION), 260, say, ["published", "completed"], 5);
  assert.equal(width, 260);
  for (const { hit } of marks) if (hit) assert.ok(hit.x >= 0 && hit.x + hit.width <= 260);
});

test("the place of a card doesn't change while more come", () => {
  const store = storeOf(FIG_11_2);
  const places = (shown) => orderLines(sequence(store, COMPLETION, shown), 900, say, ["a", "b"], 5).marks
    .filter(({ key }) => key === "box0 0").map(({ hit }) => hit.x);
  assert.deepEqual(places(8), places(store.events.length));
});

test("many are a strip: late ones up, early ones down", () => {
  const order = Array.from({ length: 200 }, (_, k) => k + 1);
  order.splice(150, 0, ...order.splice(20, 1));
  const { marks } = heatStrip(arrivedAs(...order), 800, say);
  const path = (key) => marks.find((mark) => mark.key === key).shapes[0].at.d;
  assert.equal(path("late").match(/M/g).length, 1); // one came 130 places too late
  assert.equal(path("early").match(/M/g).length, 130);
});
