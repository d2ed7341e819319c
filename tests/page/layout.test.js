import assert from "node:assert/strict";
import test from "node:test";

import { layout, MOST_BOXES } from "../../amqplite/control/page/lab/layout.js";
import { ALL, ack, blast, deliver, FIG_11_2, publish, register, steady, storeOf, TICK } from "./traces.js";

const ticks = (t) => (t === Infinity ? Infinity : Math.round((t / TICK) * 1000) / 1000);
const barOf = ({ box, kind, from, to, ring }) => [box.lane, box.row, box.message.m, kind, ticks(from), ticks(to), ring];
const linkOf = ({ kind, from, to, t, box }) => [kind, from, to, ticks(t), box.message.m];

/** As it looks after the last event at an instant. */
function asOf(store, t, rest = {}) {
  const count = store.at(t * TICK);
  return layout(store, { ...ALL, n: store.events[count - 1].n, now: t * TICK, ...rest });
}

test("figure 11-2: bars", () => {
  assert.deepEqual(layout(storeOf(FIG_11_2), ALL).bars.map(barOf), [
    ["c:c2", 0, "m1", "held", 0, 1.8, false],
    ["c:c1", 0, "m2", "held", 1, 2.8, false],
    ["c:c2", 0, "m3", "failed", 2, 3.4, false],
    ["c:c1", 0, "m4", "held", 3, 4.8, true],
    ["q:q", 0, "m3", "requeued", 3.4, 4.8, false],
    ["q:q", 1, "m5", "waiting", 4, 6.6, false],
    ["c:c1", 0, "m3", "redelivered", 4.8, 6.6, true],
    ["c:c1", 0, "m5", "held", 6.6, 8.4, false],
  ]);
});

test("figure 11-2: lanes and their rows", () => {
  const lanes = layout(storeOf(FIG_11_2), ALL).lanes.map(({ id, rows }) => [id, rows]);
  assert.deepEqual(lanes, [["p:p1", 1], ["q:q", 2], ["c:c1", 1], ["c:c2", 1]]);
});

test("figure 11-2: arrows", () => {
  const links = layout(storeOf(FIG_11_2), ALL).links.map(linkOf);
  assert.deepEqual(links.filter(([kind]) => kind === "publish").map(([, from, to, t, m]) => [from, to, t, m]), [
    ["p:p1", "q:q", 0, "m1"], ["p:p1", "q:q", 1, "m2"], ["p:p1", "q:q", 2, "m3"], ["p:p1", "q:q", 3, "m4"], ["p:p1", "q:q", 4, "m5"],
  ]);
  assert.deepEqual(links.filter(([kind]) => kind !== "publish"), [
    ["deliver", "q:q", "c:c2", 0, "m1"],
    ["deliver", "q:q", "c:c1", 1, "m2"],
    ["deliver", "q:q", "c:c2", 2, "m3"],
    ["requeue", "c:c2", "q:q", 3.4, "m3"],
    ["deliver", "q:q", "c:c1", 3, "m4"],
    ["redeliver", "q:q", "c:c1", 4.8, "m3"],
    ["deliver", "q:q", "c:c1", 6.6, "m5"],
  ]);
});

test("figure 11-2: late by as much as the bracket is long, c2 away to the end, one crash", () => {
  const { lates, states, points } = layout(storeOf(FIG_11_2), ALL);
  assert.deepEqual(lates.map(({ lane, from, to }) => [lane, ticks(from), ticks(to)]), [["c:c1", 4.8, 6.6]]);
  assert.deepEqual(states.map(({ lane, kind, from, to }) => [lane, kind, ticks(from), ticks(to)]), [["c:c2", "down", 3.4, Infinity]]);
  assert.deepEqual(points.filter(({ kind }) => kind === "crash").map(({ lane, t }) => [lane, ticks(t)]), [["c:c2", 3.4]]);
});

test("what would fail looks sound until it does", () => {
  const store = storeOf(FIG_11_2);
  const before = asOf(store, 3).bars.find(({ box }) => box.message.m === "m3");
  assert.deepEqual([before.kind, before.open, ticks(before.to)], ["held", true, 3]);
  const after = asOf(store, 3.4).bars.find(({ box }) => box.message.m === "m3");
  assert.deepEqual([after.kind, after.open, ticks(after.to)], ["failed", false, 3.4]);
});

test("nothing is out of order before it is", () => {
  const store = storeOf(FIG_11_2);
  assert.equal(asOf(store, 6.5).bars.filter(({ ring }) => ring).length, 0);
  assert.equal(asOf(store, 6.5).lates.length, 0);
  assert.deepEqual(asOf(store, 6.6).bars.filter(({ ring }) => ring).map(({ box }) => box.message.m), ["m4", "m3"]);
});

test("what comes later isn't there", () => {
  const { bars, links, points } = asOf(storeOf(FIG_11_2), 1);
  assert.deepEqual(bars.map(({ box }) => box.message.m), ["m1", "m2"]);
  assert.deepEqual(links.map(({ box }) => box.message.m), ["m1", "m1", "m2", "m2"]);
  assert.deepEqual(points.map(({ message }) => message.m), ["m1", "m2"]);
});

test("what hasn't ended at the end goes on", () => {
  const store = storeOf([...register(0, "c1"), ...publish(0, 1), ...deliver(0, 1, "c1"), ...publish(1, 2)]);
  const { bars } = layout(store, { ...ALL, now: 5 * TICK });
  assert.deepEqual(bars.map(({ box, open, to }) => [box.message.m, open, ticks(to)]), [["m1", true, 5], ["m2", true, 5]]);
});

test("more than four producers share a lane", () => {
  const rows = [1, 2, 3, 4, 5].flatMap((k) => publish(k, k, `p${k}`));
  const { lanes, links, points } = layout(storeOf(rows), ALL);
  assert.deepEqual(lanes.map(({ id, count }) => [id, count]), [["p:*", 5], ["q:q", 1]]);
  assert.deepEqual([...new Set(links.map(({ from }) => from))], ["p:*"]);
  assert.deepEqual([...new Set(points.map(({ lane }) => lane))], ["p:*"]);
  assert.equal(layout(storeOf(rows.slice(0, 8)), ALL).lanes.length, 5);
});

test("beyond six rows what is hidden is counted", () => {
  const { bars, mores } = layout(storeOf(blast()), ALL);
  assert.ok(bars.every(({ box }) => box.row >= 0 && box.row < 6));
  assert.deepEqual(mores.map(({ lane, from, to, count }) => [lane, ticks(from), ticks(to), count]), [
    ["c:c1", 0, 11, 8], ["c:c2", 0, 3.5, 4],
  ]);
});

test("a thin part shows what is held and not worked on", () => {
  const m4 = layout(storeOf(blast()), ALL).bars.find(({ box }) => box.message.m === "m4");
  assert.deepEqual([ticks(m4.from), ticks(m4.work), ticks(m4.to)], [0, 1, 2]);
});

test("only what something happened to, and the rest as density", () => {
  const { bars, faint, points } = layout(storeOf(FIG_11_2), { ...ALL, odd: true });
  assert.deepEqual([...new Set(bars.map(({ box }) => box.message.m))], ["m3", "m4"]);
  assert.deepEqual([...new Set(faint.map(({ message }) => message.m))], ["m1", "m2", "m5"]);
  assert.deepEqual(points.filter(({ kind }) => kind === "published").map(({ message }) => message.m), ["m3", "m4"]);
});

test("where there is too much, the same by itself", () => {
  const store = storeOf([...steady(2000), ...publish(2001, 2001), ...deliver(2001, 2001, "c1", 2), ...ack(2002, 2001, "c1")]);
  const all = layout(store, ALL);
  assert.equal(all.dense, true);
  assert.deepEqual(all.bars.map(({ box }) => box.message.m), ["m2001"]);
  const part = layout(store, { ...ALL, from: 100 * TICK, to: 110 * TICK });
  assert.equal(part.dense, false);
  assert.ok(part.bars.length < MOST_BOXES);
});

test("a window of twenty thousand events looks at what is in it, and little more", () => {
  const store = storeOf(steady(5000), {}, { cap: 30_000 });
  layout(store, { ...ALL, to: 0 });
  layout(store, { ...ALL, from: 4999 * TICK }); // blocks are gone through once after they changed
  store.boxes.looked = 0;
  const { bars, links, points } = layout(store, { ...ALL, from: 4000 * TICK, to: 4010.5 * TICK });
  assert.equal(bars.length, 11);
  assert.equal(links.length, 22);
  assert.equal(points.length, 11);
  assert.ok(store.boxes.looked < 500, `${store.boxes.looked}`);
});
