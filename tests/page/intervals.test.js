import assert from "node:assert/strict";
import test from "node:test";

import { countBelow, countUpTo, Intervals } from "../../amqplite/control/page/lab/intervals.js";

const own = (value) => value;

/** Whole numbers that are the same every time. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state;
  }
}

test("counts what comes before a value, and up to it", () => {
  const list = [1, 3, 3, 3, 8];
  assert.deepEqual([0, 1, 3, 5, 8, 9].map((value) => countBelow(list, value, own)), [0, 0, 1, 4, 4, 5]);
  assert.deepEqual([0, 1, 3, 5, 8, 9].map((value) => countUpTo(list, value, own)), [0, 1, 4, 4, 5, 5]);
  assert.equal(countUpTo([], 1, own), 0);
});

test("finds a place by looking at few", () => {
  let looked = 0;
  const list = Array.from({ length: 20_000 }, (_, k) => k);
  countUpTo(list, 12_345, (value) => ((looked += 1), value));
  assert.ok(looked <= 15);
});

function random(count, seed) {
  const next = numbers(seed);
  const spans = [];
  let from = 0;
  for (let k = 0; k < count; k++) {
    from += next.next().value % 4;
    const long = next.next().value % 30;
    spans.push({ k, from, to: long > 27 ? Infinity : from + long });
  }
  return spans;
}

test("finds the spans that touch a window, as looking at each does", () => {
  for (let seed = 1; seed < 40; seed++) {
    const spans = random(400, seed);
    const intervals = new Intervals();
    for (const span of spans) intervals.push(span);
    for (const [from, to] of [[0, 0], [50, 90], [300, 310], [-5, 2000], [590, 590]]) {
      const brute = spans.filter((span) => span.from <= to && span.to >= from).map(({ k }) => k);
      assert.deepEqual(intervals.within(from, to).map(({ k }) => k), brute);
    }
  }
});

test("follows spans that end later", () => {
  const intervals = new Intervals();
  const spans = Array.from({ length: 300 }, (_, k) => ({ from: k, to: Infinity }));
  for (const span of spans) intervals.push(span);
  assert.equal(intervals.within(1000, 1000).length, 300);
  for (const span of spans) {
    span.to = span.from + 1;
    intervals.touched(span);
  }
  assert.equal(intervals.within(1000, 1000).length, 0);
  assert.deepEqual(intervals.within(150, 150).map(({ from }) => from), [149, 150]);
});

test("one span that never ends doesn't make the search look at all others", () => {
  const intervals = new Intervals();
  intervals.push({ from: 0, to: Infinity });
  for (let k = 1; k < 20_000; k++) intervals.push({ from: k, to: k + 1 });
  intervals.looked = 0;
  const found = intervals.within(19_000, 19_010);
  assert.equal(found.length, 13);
  assert.ok(intervals.looked < 400, `${intervals.looked}`);
});

test("forgets what ended", () => {
  const intervals = new Intervals();
  for (let k = 0; k < 300; k++) intervals.push({ from: k, to: k % 100 ? k + 1 : Infinity });
  intervals.forget(200);
  assert.equal(intervals.list.length, 2 + 101); // at 0 and 100 without end; 199 to 299
  assert.deepEqual(intervals.within(0, 150).map(({ from }) => from), [0, 100]);
});
