import assert from "node:assert/strict";
import { test } from "node:test";

import { isOdd, LiveWindow } from "../../amqplite/control/page/lab/live_window.js";

/** Events of messages that are done at once; `odd` are nacked first. */
function* traffic(count, { every = 1000, odd = new Set() } = {}) {
  let n = 0;
  for (let id = 1; id <= count; id++) {
    const message = { m: `m${id}`, id, q: "q", s: id, t: id * every };
    yield { n: ++n, type: "enqueued", ...message };
    yield { n: ++n, type: "delivered", c: "c1", ...message };
    if (odd.has(id)) yield { n: ++n, type: "requeued", c: "c1", ...message };
    yield { n: ++n, type: "acked", c: "c1", ...message };
  }
}

const filled = (events, options) => {
  const window = new LiveWindow(options);
  for (const event of events) window.take(event);
  return window;
};

test("all is kept while there is little", () => {
  const events = [...traffic(10)];
  assert.deepEqual(filled(events).events(false), events);
});

test("of much the oldest goes, but nothing of a message that something befell", () => {
  const window = filled(traffic(5000, { odd: new Set([3]) }), { most: 300 });
  assert.ok(window.count <= 300);
  assert.deepEqual(
    window.events(true).map(({ type }) => type),
    ["enqueued", "delivered", "requeued", "acked"],
  );
  assert.deepEqual([...window.odd.keys()], [3]);
});

test("those that overtook are kept with it", () => {
  const window = filled([
    { n: 1, t: 0, type: "enqueued", id: 1, m: "m1" },
    { n: 2, t: 1, type: "enqueued", id: 2, m: "m2" },
    { n: 3, t: 2, type: "acked", id: 2, m: "m2" },
    {
      n: 4,
      t: 3,
      type: "acked",
      id: 1,
      m: "m1",
      order: { inv: 1, over: ["m2"], cause: "parallel_consumers" },
    },
  ]);
  assert.deepEqual([...window.odd.keys()].sort(), [1, 2]);
  assert.equal(window.reordered, 1);
  assert.deepEqual(window.causes, { parallel_consumers: 1 });
});

test("what is new is given once, and is given up where it is too much", () => {
  const window = filled(traffic(3, { odd: new Set([2]) }));
  assert.deepEqual(
    window.drain(true).map(({ id }) => id),
    [2, 2, 2, 2],
  );
  assert.deepEqual(window.drain(false), []);
  for (const event of traffic(200)) window.take({ ...event, n: event.n + 100 });
  assert.equal(window.drain(false).length, 600);
  assert.equal(filled(traffic(200), { most: 300 }).drain(false), null);
});

test("the odd are bounded, too", () => {
  const odd = new Set(Array.from({ length: 900 }, (_, at) => at + 1));
  assert.equal(filled(traffic(900, { odd })).odd.size, 300);
});

test("what is older than half a minute is left out, but for who consumes", () => {
  const window = filled([
    { n: 1, t: 0, type: "consumer_registered", c: "c1", q: "q" },
    { n: 2, t: 0, type: "enqueued", id: 1, m: "m1" },
    { n: 3, t: 31_000_000, type: "enqueued", id: 2, m: "m2" },
  ]);
  assert.deepEqual(
    window.events(false).map(({ n }) => n),
    [1, 3],
  );
});

test("what comes again is not counted again", () => {
  const events = [...traffic(4)];
  assert.equal(filled([...events, ...events]).published, 4);
});

test("the rate is that of the last two seconds", () => {
  const window = filled(traffic(4000, { every: 1000 }));
  assert.equal(Math.round(window.rate(window.end) / 100), 10);
  assert.equal(window.rate(window.end + 60_000_000), 0);
});

test("density has a bar for each half second", () => {
  const density = filled(traffic(100, { every: 100_000, odd: new Set([100]) })).density(10_000_000);
  assert.equal(density.length, 60);
  assert.deepEqual(density.at(-1), { at: 20, all: 1, odd: 1 });
  assert.deepEqual(density.at(-2), { at: 19, all: 5, odd: 0 });
  assert.equal(density[0].all, 0);
});

test("a redelivery is odd, an ack in order is not", () => {
  assert.equal(isOdd({ n: 1, t: 0, type: "delivered", redelivered: true }), true);
  assert.equal(isOdd({ n: 1, t: 0, type: "acked", order: { inv: 0 } }), false);
});
