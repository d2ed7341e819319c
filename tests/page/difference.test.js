import assert from "node:assert/strict";
import { test } from "node:test";

import {
  differences,
  priceOf,
  ranksChanged,
  shiftOf,
} from "../../amqplite/control/page/lab/difference.js";
import { speak } from "../../amqplite/control/page/lab/i18n.js";

const TICK = 400_000;
const WORDS = {
  "cmp.order.better": "from {a} to {b}",
  "cmp.order.same": "stay {b}",
  "cmp.time.slower": "{by} later ({percent})",
  "cmp.time.even": "same time",
  "cmp.redel.more.one": "one more",
  "cmp.redel.more.other": "{n} more",
  "cmp.join": "; ",
  "cmp.stop": ".",
  "cmp.space": " ",
  "unit.ticks.one": "{n} tick",
  "unit.ticks.other": "{n} ticks",
};

const run = (completion, { inversions = 0, redeliveries = 0, end = 0, late = 0 } = {}) => ({
  header: { tick_us: TICK },
  metrics: [
    {
      scope: "queue",
      at: "completion",
      n: completion.length,
      completion,
      inversions,
      moved: inversions,
      buffer: inversions,
      late,
    },
    {
      scope: "queue",
      at: "first",
      n: 5,
      completion,
      inversions: 99,
      moved: 99,
      buffer: 99,
      late: 99,
    },
  ],
  counts: { redeliveries, reported_duplicates: 0, lost: [], dropped: 0, wasted: 0, end },
});

const FAULT = run(["m1", "m2", "m4", "m3", "m5"], {
  inversions: 1,
  redeliveries: 1,
  end: 8.4 * TICK,
  late: 1.8 * TICK,
});
const FIX = run(["m1", "m2", "m3", "m4", "m5"], { redeliveries: 3, end: 10.4 * TICK });

test("what differs is shown, and time always", async () => {
  await speak("en", async () => WORDS);
  const found = differences(FAULT, FIX).map(({ key, from, to, kind, change }) => [
    key,
    from,
    to,
    kind,
    change,
  ]);
  assert.deepEqual(found, [
    ["m.inv", "1", "0", "fine", ""],
    ["m.moved", "1", "0", "fine", ""],
    ["m.buf", "1", "0", "fine", ""],
    ["m.late", "1.8 ticks", "0 ticks", "fine", "-100%"],
    ["m.redel", "1", "3", "trouble", ""],
    ["count.end", "8.4 ticks", "10.4 ticks", "trouble", "+24%"],
  ]);
  assert.deepEqual(
    differences(FIX, FIX).map(({ key }) => key),
    ["m.inv", "count.end"],
  );
});

test("the price of a fix is named", async () => {
  await speak("en", async () => WORDS);
  assert.equal(priceOf(FAULT, FIX), "from 1 to 0; 2 ticks later (+24%); 2 more.");
  assert.equal(
    priceOf(FIX, FIX, { price: { en: "Nobody works beside it." } }),
    "stay 0; same time. Nobody works beside it.",
  );
});

test("messages whose place among the completed differs", () => {
  assert.deepEqual(ranksChanged(FAULT, FIX), new Set(["m4", "m3"]));
});

test("runs are laid one on the other at their first fault", () => {
  assert.equal(
    shiftOf({
      store: {
        events: [
          { t: 1, type: "published" },
          { t: 5, type: "crashed" },
          { t: 6, type: "requeued" },
        ],
      },
    }),
    5,
  );
  assert.equal(shiftOf({ store: { events: [] } }), 0);
});
