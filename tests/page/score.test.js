import assert from "node:assert/strict";
import { test } from "node:test";

import {
  formatOrder,
  inversions,
  moved,
  parseOrder,
} from "../../amqplite/control/page/lab/score.js";

const FIVE = ["m1", "m2", "m3", "m4", "m5"];
const FIGURE = ["m1", "m2", "m4", "m3", "m5"];

test("a right prediction is off by nothing", () => {
  assert.equal(inversions(FIGURE, FIGURE), 0);
});

test("it is off by a pair for each two that stand the other way round", () => {
  assert.equal(inversions(FIVE, FIGURE), 1);
  assert.equal(inversions(["m1", "m2", "m4", "m5", "m3"], FIGURE), 1);
  assert.equal(inversions([...FIGURE].reverse(), FIGURE), 10);
});

test("what never completed is left out", () => {
  assert.equal(inversions(FIVE, ["m5", "m1"]), 1);
  assert.equal(inversions(FIVE, []), 0);
});

test("an item is moved within the list, and the list is a new one", () => {
  assert.deepEqual(moved(FIVE, 2, 3), FIGURE);
  assert.deepEqual(moved(FIVE, 0, -3), FIVE);
  assert.deepEqual(moved(FIVE, 0, 99), ["m2", "m3", "m4", "m5", "m1"]);
  assert.deepEqual(FIVE, ["m1", "m2", "m3", "m4", "m5"]);
});

test("an order is written as places, and read again", () => {
  assert.equal(formatOrder(FIGURE, FIVE), "1.2.4.3.5");
  assert.deepEqual(parseOrder("1.2.4.3.5", FIVE), FIGURE);
});

test("what isn't an order of these items is none", () => {
  for (const word of [
    undefined,
    "",
    "1.2.3.4",
    "1.2.3.4.4",
    "1.2.3.4.6",
    "0.1.2.3.4",
    "a.b.c.d.e",
  ]) {
    assert.equal(parseOrder(word, FIVE), null, word);
  }
});
