// @ts-check
/**
 * Finds what an event is about, and opens and closes boxes. An event costs the same whatever came before it.
 */

import { newLane, queueLane } from "./lanes.js";

/** @typedef {import("./types.js").TraceEvent} TraceEvent */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Lane} Lane */
/** @typedef {import("./types.js").Message} Message */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./trace.js").Store} Store */

/**
 * @param {Store} store
 * @param {string} id
 * @param {Lane["kind"]} kind
 * @param {string} name
 */
export function lane(store, id, kind, name) {
  let found = store.laneById.get(id);
  if (!found) {
    found = newLane(id, kind, name, store.end, !store.started);
    store.laneById.set(id, found);
    store.newLanes();
  }
  return found;
}

/** @param {Store} store @param {{v?: string, q?: string}} e */
export const queueOf = (store, e) => lane(store, queueLane(e), "queue", queueLane(e).slice(2));

/** @param {Store} store @param {TraceEvent} e */
export function consumerOf(store, e) {
  const name = e.c || "basic.get";
  const found = lane(store, `c:${name}`, "consumer", name);
  if (e.conn) [found.conn, found.ch] = [e.conn, e.ch ?? 0];
  return found;
}

/** @param {Store} store @param {TraceEvent} e */
export function producerOf(store, e) {
  const found = lane(store, `p:${e.p ?? ""}`, "producer", e.p ?? "");
  if (e.conn) found.conn = e.conn;
  return found;
}

/** @param {Store} store @param {TraceEvent} e @returns {Message | null} null: about none */
export function messageOf(store, e) {
  if (!e.id && !e.m) return null;
  const key = String(e.id || e.m);
  let found = store.messages.get(key);
  if (!found) {
    found = { key, m: e.m ?? key, p: "", t: NaN, last: e.n, odd: false, entered: NaN, copies: 0 };
    store.messages.set(key, found);
  }
  found.last = e.n;
  return found;
}

/** @param {Store} store @param {TraceEvent} e @returns {Place} */
export function placeOf(store, e) {
  const { places, labels } = queueOf(store, e);
  const s = e.s ?? 0;
  const message = messageOf(store, e);
  let found = places.get(s);
  if (!found) {
    const nameless = {
      key: `${e.q}#${s}`,
      m: `#${s}`,
      p: "",
      t: NaN,
      last: e.n,
      odd: false,
      entered: NaN,
      copies: 0,
    };
    found = {
      message: message ?? nameless,
      s,
      wait: null,
      held: null,
      done: null,
      kept: null,
      free: false,
      attempts: 0,
      gone: "",
      copy: 0,
    };
    const { message: of } = found;
    found.copy = of.entered === e.t ? of.copies : 0;
    [of.entered, of.copies] = [e.t, found.copy + 1];
    places.set(s, found);
    labels.set(found.message.m, found);
  }
  return found;
}

/**
 * @param {Store} store
 * @param {string} on the lane's id
 * @param {Place} place
 * @param {TraceEvent} e
 * @param {Box["kind"]} kind
 * @returns {Box}
 */
export function open(store, on, place, e, kind) {
  /** @type {Box} */
  const box = {
    key: `b${e.n}`,
    kind,
    lane: on,
    queue: queueLane(e),
    row: -1,
    shown: e.t,
    message: place.message,
    s: place.s,
    copy: place.copy,
    attempt: place.attempts,
    from: e.t,
    to: Infinity,
    n0: e.n,
    n1: Infinity,
    end: "",
    cause: e.cause ?? "",
    sub: e.sub ?? "",
    auto: e.auto ?? false,
    again: kind === "redelivered",
    work: Infinity,
    order: null,
    ring: Infinity,
    before: null,
    next: null,
  };
  store.boxes.push(box);
  store.laneById.get(on)?.rows.enter(box);
  return box;
}

/**
 * @param {Store} store
 * @param {Box | null} box
 * @param {TraceEvent} e
 * @param {Box["end"]} end
 */
export function close(store, box, e, end) {
  if (!box) return;
  box.to = e.t;
  box.n1 = e.n;
  box.end = end;
  store.boxes.touched(box);
  const on = store.laneById.get(box.lane);
  on?.rows.leave(box);
  on?.holding.delete(box);
}

/** @param {Lane} queue @param {number} t @param {number} more */
function deepen(queue, t, more) {
  queue.depthNow += more;
  const last = queue.depth.at(-1);
  if (last && last.t === t) last.count = queue.depthNow;
  else queue.depth.push({ t, count: queue.depthNow });
  queue.depthMax = Math.max(queue.depthMax, queue.depthNow);
}

/**
 * @param {Store} store
 * @param {TraceEvent} e
 * @param {string} on the lane's id
 * @param {string} [kind]
 * @param {Box | null} [box]
 */
export function point(store, e, on, kind = e.type, box = null) {
  const message = messageOf(store, e);
  store.points.push({
    key: `${kind}${e.n}${on}`,
    kind,
    lane: on,
    t: e.t,
    n: e.n,
    message,
    c: e.c ?? "",
    box,
    event: e,
    before: "",
  });
}

/** @param {Store} store @param {TraceEvent} e @param {Place} place @param {Box["kind"]} kind */
export function wait(store, e, place, kind) {
  const queue = queueOf(store, e);
  place.wait = open(store, queue.id, place, e, kind);
  deepen(queue, e.t, 1);
}

/** @param {Store} store @param {TraceEvent} e @param {Place} place @param {Box["end"]} end */
export function waited(store, e, place, end) {
  if (!place.wait) return;
  close(store, place.wait, e, end);
  place.wait = null;
  deepen(queueOf(store, e), e.t, -1);
}
