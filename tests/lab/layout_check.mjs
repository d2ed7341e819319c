/** Prints what the page's own layout says of a trace that comes in on the standard input. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const [{ createStore }, { layout }] = await Promise.all([load("trace.js"), load("layout.js")]);

const [header, ...events] = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const store = createStore(header);
store.add(events);
const view = { from: -1, to: Infinity, n: Infinity, now: store.end, odd: false };
const { lanes, points, states, lates } = layout(store, view);

const finite = (value) => (Number.isFinite(value) ? value : null);
const boxes = store.boxes.list.filter((box) => box.lane !== box.queue || box.to !== box.from);
process.stdout.write(JSON.stringify({
  lanes: lanes.map(({ id, kind, name, rows }) => ({ id, kind, name, rows })),
  boxes: boxes.map((box) => ({
    kind: box.kind, lane: box.lane, queue: box.queue, m: box.message.m, s: box.s, attempt: box.attempt,
    row: box.to === box.from ? 0 : box.row, shown: box.shown, work: finite(box.work), from: box.from,
    to: finite(box.to), n0: box.n0, n1: finite(box.n1), end: box.end, cause: box.cause, sub: box.sub,
    ring: box.order?.inv ? "late" : Number.isFinite(box.ring) ? "early" : "",
  })),
  points: points.map(({ kind, lane, t, n, message }) => ({ kind, lane, t, n, m: message?.m ?? "" })),
  spans: states.map(({ kind, lane, from, to }) => ({ kind, lane, from, to: finite(to) })),
  lates: lates.map(({ from, to, box }) => ({ m: box.message.m, from, to })),
}));
