import assert from "node:assert/strict";
import { test } from "node:test";

import { pack, unpack } from "../../amqplite/control/page/lab/packed.js";

const HEADER = JSON.stringify({
  schema: "amqplite.trace/1",
  name: "队列",
  mode: "exact",
  tick_us: 400000,
});
const EVENTS = [
  { n: 1, t: 0, type: "consumer_registered", q: "q", c: "c2", prefetch: 1 },
  { n: 2, t: 0, type: "published", m: "m1", id: 1, p: "p1", key: "q" },
  { n: 3, t: 0, type: "enqueued", q: "q", m: "m1", id: 1, s: 1, depth: 1 },
  {
    n: 7,
    t: 1360000,
    type: "requeued",
    q: "q",
    m: "m1",
    id: 1,
    s: 1,
    c: "c2",
    cause: "connection_lost",
    sub: "eof",
  },
  { n: 8, t: 1360000, type: "gap", lost_from: 4, lost_to: 6 },
];
const JSONL = `${[HEADER, ...EVENTS.map((event) => JSON.stringify(event))].join("\n")}\n`;

test("a run goes through a link and comes out the same", async () => {
  const packed = await pack(JSONL);
  assert.match(packed, /^[A-Za-z0-9_-]+$/);
  const [header, ...lines] = (await unpack(packed)).trimEnd().split("\n");
  assert.equal(header, HEADER);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    EVENTS,
  );
});

test("a trace without events goes through, too", async () => {
  assert.equal(await unpack(await pack(`${HEADER}\n`)), `${HEADER}\n`);
});

test("a damaged link is an error", async () => {
  await assert.rejects(unpack("AAAA"));
  await assert.rejects(unpack("%%%"));
});
