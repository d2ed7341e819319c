import assert from "node:assert/strict";
import { test } from "node:test";

import { crossed } from "../../amqplite/control/page/lab/threads.js";

test("what crosses are both, the late and its overtakers", () => {
  assert.deepEqual(crossed([1, 2, 4, 3, 5]), new Set([4, 3]));
  assert.deepEqual(crossed([1, 2, 3]), new Set());
  assert.deepEqual(crossed([2, 3, 1]), new Set([2, 1, 3]));
});
