import assert from "node:assert/strict";
import test from "node:test";

import { collapsedScale, even, longWait, orderScale, timeScale, ZIGZAG } from "../../amqplite/control/page/lab/scale.js";

const UNIT = 400_000;
const at = (...ticks) => ticks.map((t) => t * UNIT);
const FIG = at(0, 1, 1.8, 2, 2.8, 3, 3.4, 4, 4.8, 6.6, 8.4);

/** Every place is that of its time, also between instants and beyond them. */
function assertInverse(scale, from, to) {
  for (let t = from; t <= to; t += (to - from) / 37) assert.ok(Math.abs(scale.time(scale.px(t)) - t) < 1e-3);
}

test("time: as long as it took", () => {
  const scale = timeScale(0, 8.4 * UNIT, 100, UNIT);
  assert.equal(scale.length, 840);
  assert.equal(scale.px(2.5 * UNIT), 250);
  assert.equal(scale.px(10 * UNIT), 1000);
  assert.equal(scale.px(-UNIT), -100);
  assertInverse(scale, -UNIT, 10 * UNIT);
});

test("time: a trace of one instant has a scale, too", () => {
  const scale = timeScale(0, 0, 100, UNIT);
  assert.deepEqual([scale.length, scale.px(0), scale.px(UNIT)], [0, 0, 100]);
});

test("order: the same step from instant to instant", () => {
  const scale = orderScale(FIG, 60, UNIT);
  assert.deepEqual(FIG.map((t) => scale.px(t)), FIG.map((_, k) => 60 * k));
  assert.equal(scale.px(1.4 * UNIT), 90); // half way from 1 to 1.8
  assertInverse(scale, 0, 9 * UNIT);
});

test("order: nothing happened yet", () => {
  assert.equal(orderScale([], 60, UNIT).px(0), 0);
});

test("a wait is long if it's over five times the median", () => {
  assert.equal(longWait(at(0, 1, 2, 3, 40)), 5 * UNIT);
  assert.equal(longWait(at(0, 100)), Infinity);
  assert.equal(longWait([]), Infinity);
});

test("collapse: long waits are a zigzag, the rest as long as it took", () => {
  const scale = collapsedScale(at(0, 1, 2, 3, 40, 41, 80), 81 * UNIT, 50, UNIT);
  assert.deepEqual(scale.idle, [{ from: 3 * UNIT, to: 40 * UNIT }, { from: 41 * UNIT, to: 80 * UNIT }]);
  assert.equal(scale.px(3 * UNIT), 150);
  assert.equal(scale.px(40 * UNIT), 150 + ZIGZAG);
  assert.equal(scale.px(41 * UNIT), 200 + ZIGZAG);
  assert.equal(scale.px(80 * UNIT), 200 + 2 * ZIGZAG);
  assert.equal(scale.length, 250 + 2 * ZIGZAG);
  assertInverse(scale, 0, 82 * UNIT);
});

test("collapse: without long waits it's time", () => {
  const scale = collapsedScale(FIG, 8.4 * UNIT, 100, UNIT);
  assert.deepEqual(scale.idle, []);
  assert.ok(FIG.every((t) => Math.abs(scale.px(t) - timeScale(0, 8.4 * UNIT, 100, UNIT).px(t)) < 1e-6));
});

test("times on the axis are round, apart, and not in a zigzag", () => {
  const ticks = (scale, apart, least) => even(scale, 0, 8.4 * UNIT, UNIT, apart, least).map((t) => t / UNIT);
  assert.deepEqual(ticks(timeScale(0, 8.4 * UNIT, 100, UNIT), 60, 1), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(ticks(timeScale(0, 8.4 * UNIT, 100, UNIT), 40).slice(0, 3), [0, 0.5, 1]);
  assert.deepEqual(ticks(timeScale(0, 8.4 * UNIT, 20, UNIT), 60), [0, 5]);
  const collapsed = collapsedScale(at(0, 1, 2, 3, 40), 40 * UNIT, 50, UNIT);
  assert.deepEqual(even(collapsed, 0, 40 * UNIT, UNIT, 50).map((t) => t / UNIT), [0, 1, 2, 3, 40]);
});
