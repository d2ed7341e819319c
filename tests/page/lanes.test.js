import assert from "node:assert/strict";
import test from "node:test";

import { natural, Rows } from "../../amqplite/control/page/lab/lanes.js";

const box = (from) => ({ from, to: Infinity, row: -1, shown: from });

function leave(rows, one, t) {
  one.to = t;
  rows.leave(one);
}

test("names are in the order that people put them in", () => {
  assert.deepEqual(["c10", "c2", "c1", "b", "c"].sort(natural), ["b", "c", "c1", "c2", "c10"]);
  assert.deepEqual(["w-10-a", "w-9-b", "w-10-"].sort(natural), ["w-9-b", "w-10-", "w-10-a"]);
  assert.equal(natural("c1", "c1"), 0);
});

test("the lowest row that is free", () => {
  const rows = new Rows();
  const [a, b, c] = [box(0), box(0), box(2)];
  for (const one of [a, b]) rows.enter(one);
  rows.settle();
  leave(rows, a, 1);
  rows.enter(c);
  rows.settle();
  assert.deepEqual([a.row, b.row, c.row], [0, 1, 0]);
});

test("what waits for no time takes no row", () => {
  const rows = new Rows();
  const [passing, staying] = [box(0), box(0)];
  rows.enter(passing);
  leave(rows, passing, 0);
  rows.enter(staying);
  rows.settle();
  assert.deepEqual([passing.row, staying.row, rows.taken.length], [-1, 0, 1]);
});

test("beyond six the rest is hidden and counted; whoever waits longest gets the row that becomes free", () => {
  const rows = new Rows();
  const all = Array.from({ length: 9 }, () => box(0));
  for (const one of all) rows.enter(one);
  rows.settle();
  assert.deepEqual(all.map(({ row }) => row), [0, 1, 2, 3, 4, 5, -1, -1, -1]);
  leave(rows, all[2], 4);
  assert.deepEqual([all[6].row, all[6].shown], [2, 4]);
  leave(rows, all[8], 5);
  assert.equal(all[8].row, -1);
  assert.deepEqual(rows.over.at(-1), { t: 5, count: 1 });
});
