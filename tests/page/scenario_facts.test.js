import assert from "node:assert/strict";
import { test } from "node:test";

import {
  consumersOf,
  isAboutOrder,
  known,
  publishedIn,
  settings,
} from "../../amqplite/control/page/lab/scenario_facts.js";

const SCENARIO = {
  id: "x",
  group: "order",
  own: false,
  params: [
    { name: "prefetch", default: 1 },
    { name: "crash", default: true },
  ],
  consumers: [{ tag: "c2" }, { tag: "c1", on: false }, { tag: "c3", on: true }],
  producers: [
    { series: { count: 3, every: 2 } },
    {
      plan: [
        { at: 1, m: "a" },
        { at: 5, m: "m3" },
      ],
    },
  ],
};

test("messages come in order of time, each once", () => {
  assert.deepEqual(publishedIn(SCENARIO), ["m1", "a", "m2", "m3"]);
  assert.deepEqual(publishedIn({ producers: [] }), []);
});

test("consumers that take no part are none", () => {
  assert.deepEqual(consumersOf(SCENARIO), ["c2", "c3"]);
});

test("an order is predicted where it is the question, and can be", () => {
  assert.equal(isAboutOrder(SCENARIO), true);
  assert.equal(isAboutOrder({ ...SCENARIO, group: "loss" }), false);
  assert.equal(isAboutOrder({ ...SCENARIO, own: true }), false);
  assert.equal(isAboutOrder({ ...SCENARIO, producers: [{ series: { count: 20 } }] }), false);
});

test("settings are the defaults, but for what is said", () => {
  assert.deepEqual(settings(SCENARIO, { prefetch: 5 }), { prefetch: 5, crash: true });
  const variants = [{ name: "calm", set: { crash: false } }];
  assert.deepEqual(settings({ ...SCENARIO, variants }, { prefetch: 5 }, "calm"), {
    prefetch: 5,
    crash: false,
  });
  assert.deepEqual(known(SCENARIO, { prefetch: 5, colour: 1 }), { prefetch: 5 });
});
