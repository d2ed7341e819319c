// @ts-check
/** What events come to: boxes, points and spans, one handler for each type of event. */

import { queueLane } from "./lanes.js";
import {
  close,
  consumerOf,
  lane,
  messageOf,
  open,
  placeOf,
  point,
  producerOf,
  queueOf,
  wait,
  waited,
} from "./parts.js";

/** @typedef {import("./types.js").TraceEvent} TraceEvent */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Lane} Lane */
/** @typedef {import("./trace.js").Store} Store */

/** The consumer has settled a message: what it holds longest is what it works on now.
 * @param {Lane} consumer @param {number} t */
function nextWork(consumer, t) {
  consumer.lastAck = t;
  if (consumer.marked) return;
  const [head] = consumer.holding;
  if (head && head.work === Infinity) head.work = t;
}

/** @param {Store} store @param {TraceEvent} e */
function delivered(store, e) {
  const place = placeOf(store, e);
  const consumer = consumerOf(store, e);
  place.attempts = e.attempt || place.attempts + 1;
  const { wait: before } = place;
  waited(store, e, place, "delivered");
  const again = place.attempts > 1 || (e.redelivered ?? false);
  if (again) place.message.odd = true;
  const box = open(store, consumer.id, place, e, again ? "redelivered" : "held");
  if (!consumer.marked && consumer.holding.size === 0) box.work = e.t;
  box.before = before;
  consumer.holding.add(box);
  place.held = box;
}

/** @param {Store} store @param {TraceEvent} e */
function acked(store, e) {
  const place = placeOf(store, e);
  const box = place.held;
  place.held = null;
  if (!box) return;
  const consumer = consumerOf(store, e.c ? e : { ...e, c: box.lane.slice(2) });
  if (box.work === Infinity && !consumer.marked) box.work = Math.max(box.from, consumer.lastAck);
  close(store, box, e, "acked");
  place.done = box;
  if (store.after) place.kept = open(store, store.after, place, e, "buffered");
  if (place.free) close(store, place.kept, e, "delivered");
  nextWork(consumer, e.t);
  if (e.order?.inv) outOfOrder(store, e, box);
}

/** @param {Store} store @param {TraceEvent} e @param {Box} box */
function outOfOrder(store, e, box) {
  box.order = e.order ?? null;
  box.ring = e.n;
  box.message.odd = true;
  store.anomaly(e);
  const { labels } = queueOf(store, e);
  for (const label of e.order?.over ?? []) {
    const done = labels.get(label)?.done;
    if (!done || done.s <= box.s) continue;
    done.ring = Math.min(done.ring, e.n);
    done.message.odd = true;
  }
}

/** @param {Store} store @param {TraceEvent} e */
function settled(store, e) {
  const place = placeOf(store, e);
  if (!place.held) return;
  point(store, e, place.held.lane, "nacked", place.held);
  nextWork(/** @type {Lane} */ (store.laneById.get(place.held.lane)), e.t);
}

/** @param {Store} store @param {TraceEvent} e */
function requeued(store, e) {
  const place = placeOf(store, e);
  place.message.odd = true;
  store.anomaly(e);
  const box = place.held;
  if (box) {
    box.kind = "failed";
    [box.cause, box.sub] = [e.cause ?? "", e.sub ?? ""];
    if (e.sub === "heartbeat_timeout") quiet(store, box.lane, e);
    close(store, box, e, "requeued");
    place.held = null;
  }
  if (!place.wait) wait(store, e, place, "requeued");
  if (box) box.next = place.wait;
}

/** @param {Store} store @param {string} on @param {TraceEvent} e */
function quiet(store, on, e) {
  const found = store.laneById.get(on);
  if (!found) return;
  const away = found.downs.at(-1);
  const crashed = away && away.to === Infinity && away.from < e.t ? away.from : NaN;
  const silent = e.sub === "heartbeat_timeout" ? e.t - (e.idle ?? 0) : e.t;
  const from = Number.isNaN(crashed) ? silent : crashed;
  if (from >= e.t || (found.quiet.at(-1)?.to ?? -1) >= e.t) return;
  found.quiet.push({ from, to: e.t, n0: e.n, n1: e.n, why: "quiet" });
}

/** @param {Store} store @param {TraceEvent} e @param {Box["end"]} end */
function left(store, e, end) {
  const place = placeOf(store, e);
  const box = place.held;
  place.gone = e.cause || end;
  if (end !== "purged") {
    place.message.odd = true;
    store.anomaly(e);
  }
  if (box) {
    if (end !== "purged") box.kind = "failed";
    [box.cause, box.sub] = [e.cause ?? "", e.sub ?? ""];
    close(store, box, e, end);
    place.held = null;
  }
  waited(store, e, place, end);
  point(store, e, queueLane(e), end, box);
  if (end === "dead_lettered") lane(store, `x:${e.exchange ?? ""}`, "exchange", e.exchange || "DLX");
}

/** @param {Lane} consumer @param {TraceEvent} e @param {string} why @returns {boolean} whether it was up */
function down(consumer, e, why) {
  const last = consumer.downs.at(-1);
  if (last && last.to === Infinity) {
    if (why === "crashed" && last.from === e.t) last.why = why;
    return false;
  }
  consumer.downs.push({ from: e.t, to: Infinity, n0: e.n, n1: Infinity, why });
  return true;
}

/** @param {Lane} consumer @param {TraceEvent} e */
function up(consumer, e) {
  const last = consumer.downs.at(-1);
  if (!last || last.to !== Infinity) return;
  last.to = e.t;
  last.n1 = e.n;
}

/** @param {Store} store @param {TraceEvent} e @param {string} why @param {boolean} crash */
function allDown(store, e, why, crash) {
  for (const found of store.laneById.values()) {
    if (found.kind !== "consumer" || found.conn !== (e.conn ?? "") || !found.conn) continue;
    if (e.type === "channel_closed" && found.ch !== (e.ch ?? 0)) continue;
    const wasUp = down(found, e, why);
    if (wasUp && crash) point(store, e, found.id, "crash");
    if (!wasUp && crash) quiet(store, found.id, e);
  }
}

/** @param {Store} store @param {TraceEvent} e */
function crashed(store, e) {
  store.anomaly(e);
  if (!e.c) return;
  const found = consumerOf(store, e);
  if (down(found, e, "crashed")) point(store, e, found.id, "crash");
  for (const box of found.holding) if (box.kind === "work") close(store, box, e, "crashed");
}

/** @param {Store} store @param {TraceEvent} e */
function mark(store, e) {
  const box = heldBy(store, e);
  point(store, e, consumerOf(store, e).id, e.type, box);
  if (box?.kind === "work") close(store, box, e, "applied");
}

/** @param {Store} store @param {TraceEvent} e */
function heldBy(store, e) {
  for (const box of consumerOf(store, e).holding) if (box.message.m === e.m) return box;
  return null;
}

/**
 * Somebody downstream puts messages in order, and lets this one go.
 * @param {Store} store
 * @param {TraceEvent} e
 */
function released(store, e) {
  const name = e.by || e.c || "";
  store.after = lane(store, `r:${name}`, "after", name).id;
  const place = placeOf(store, e);
  close(store, place.kept, e, "delivered");
  place.free = true;
  point(store, e, store.after);
}

/** @param {Store} store @param {TraceEvent} e */
function started(store, e) {
  const consumer = consumerOf(store, e);
  consumer.marked = true;
  const box = heldBy(store, e) ?? open(store, consumer.id, placeOf(store, e), e, "work");
  consumer.holding.add(box);
  box.work = e.t;
}

/** @param {Store} store @param {TraceEvent} e */
function published(store, e) {
  const message = messageOf(store, e);
  const { id } = producerOf(store, e);
  store.started = true;
  if (message) Object.assign(message, { p: e.p ?? "", t: e.t });
  point(store, e, id);
}

/** @param {Store} store @param {TraceEvent} e */
function blocked(store, e) {
  for (const found of store.laneById.values()) {
    if (found.kind !== "producer" || !e.conn || found.conn !== e.conn) continue;
    if (e.type === "blocked") down(found, e, "blocked");
    else up(found, e);
  }
}

/** @param {Store} store @param {TraceEvent} e */
function trouble(store, e) {
  store.anomaly(e);
  const on = e.c ? consumerOf(store, e) : e.p !== undefined ? producerOf(store, e) : queueOf(store, e);
  point(store, e, on.id);
  const message = messageOf(store, e);
  if (message) message.odd = true;
}

/** @type {Record<string, (store: Store, e: TraceEvent) => void>} */
export const DERIVE = {
  published,
  enqueued: (store, e) => wait(store, e, placeOf(store, e), "waiting"),
  delivered,
  acked,
  nacked: settled,
  rejected: settled,
  requeued,
  expired: (store, e) => left(store, e, "expired"),
  dropped: (store, e) => left(store, e, "dropped"),
  dead_lettered: (store, e) => left(store, e, "dead_lettered"),
  discarded: (store, e) => left(store, e, "discarded"),
  purged: (store, e) => left(store, e, "purged"),
  unroutable: trouble,
  refused: trouble,
  publish_nacked: trouble,
  bad_ack: trouble,
  late_ack_ignored: trouble,
  ack_lost: (store, e) => (store.anomaly(e), mark(store, e)),
  consumer_registered(store, e) {
    const found = consumerOf(store, e);
    up(found, e);
  },
  recovered: (store, e) => up(consumerOf(store, e), e),
  consumer_cancelled: (store, e) => void down(consumerOf(store, e), e, "cancelled"),
  consumer_active(store, e) {
    const queue = queueOf(store, e);
    const { id } = consumerOf(store, e);
    point(store, e, id);
    /** @type {import("./types.js").Point} */ (store.points.at(-1)).before = queue.active;
    queue.active = id;
  },
  channel_closed: (store, e) => allDown(store, e, "closed", e.sub === "protocol_error"),
  connection_closed: (store, e) => allDown(store, e, "closed", false),
  connection_lost: (store, e) => (store.anomaly(e), allDown(store, e, "lost", true)),
  blocked,
  unblocked: blocked,
  started,
  applied: mark,
  skipped_duplicate: mark,
  released,
  crashed,
  fault(store, e) {
    store.anomaly(e);
    point(store, e, e.c ? consumerOf(store, e).id : e.q ? queueOf(store, e).id : "");
  },
  gap(store, e) {
    store.anomaly(e);
    point(store, e, "");
  },
};
