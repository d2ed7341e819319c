// @ts-check
/** Times, names and sentences of what a trace shows. All words come from `text`. */

import { waits } from "./lanes.js";

/** @typedef {import("./types.js").TraceEvent} TraceEvent */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./types.js").Text} Text */

const SECOND = 1e6;

/**
 * A number with one decimal at least and two at most.
 * @param {number} value
 */
export function decimal(value) {
  const fixed = value.toFixed(2);
  return fixed.endsWith("0") ? fixed.slice(0, -1) : fixed;
}

export class Words {
  /**
   * @param {Text} text
   * @param {number} unit microseconds
   * @param {boolean} live of clients that don't tell when they start to work
   */
  constructor(text, unit, live) {
    this.text = text;
    this.unit = unit;
    this.live = live;
    this.kind = unit === SECOND ? "second" : "tick";
  }

  /** An instant: "t=3.4". @param {number} t */
  clock(t) {
    return this.text(`dia.${this.kind}`, { t: decimal(t / this.unit) });
  }

  /** An instant on the axis, as short as can be: "3". @param {number} t */
  tick(t) {
    return String(Number((t / this.unit).toFixed(2)));
  }

  /** A duration: "1.4". @param {number} t */
  span(t) {
    return this.text(`dia.span.${this.kind}`, { t: decimal(t / this.unit) });
  }

  /** A cause, the closer one if there are words for it. @param {string} [cause] @param {string} [sub] */
  cause(cause = "", sub = "") {
    for (const name of sub === "heartbeat_timeout" ? [sub, cause] : [cause]) {
      const key = `cause.${name}`;
      const words = this.text(key);
      if (words !== key) return words;
    }
    return cause.replaceAll("_", " ");
  }

  /** How an attempt or a wait ended. @param {Box} box */
  end(box) {
    if (box.end !== "requeued") return this.text(`end.${box.end}`);
    const back = ["nack_requeue", "reject_requeue", "recover"].includes(box.cause);
    return this.text(back ? "end.back" : "end.lost");
  }

  /**
   * A bar, in a sentence: "c2 works on m3, attempt 1, t=2.0 to 3.4, lost".
   * @param {import("./layout.js").Bar} bar
   */
  bar({ box, open, ring }) {
    const a = this.clock(box.from);
    const b = this.kind === "tick" ? decimal(box.to / this.unit) : this.clock(box.to);
    const slots = { m: box.message.m, a, b, end: open ? "" : this.end(box) };
    const still = open ? ".open" : "";
    if (waits(box)) {
      const key = box.kind === "requeued" ? "name.again" : "name.waits";
      return this.text(key + still, { ...slots, q: box.lane.slice(2) });
    }
    const c = box.lane.slice(2);
    if (box.auto) return this.text("name.auto", { ...slots, c });
    const key = this.live ? "name.holds" : "name.works";
    const name = this.text(key + still, { ...slots, c, k: box.attempt });
    if (!ring || !box.order?.inv) return name;
    const over = (box.order.over ?? []).join(", ");
    const late = this.span(box.order.late ?? 0);
    return this.text("name.late", { name, n: box.order.inv, over, d: late });
  }

  /** What an event means, in a sentence. @param {TraceEvent} e */
  say(e) {
    const slots = {
      m: e.m ?? "",
      q: e.q ?? "",
      c: e.c || "basic.get",
      p: e.p || this.text("lane.producer"),
      s: e.s ?? 0,
      k: e.attempt ?? 1,
      cause: this.cause(e.cause, e.sub),
      a: e.lost_from ?? 0,
      b: e.lost_to ?? 0,
      what: this.fault(e),
      over: (e.order?.over ?? []).join(", "),
      d: this.span(e.order?.late ?? 0),
    };
    if (e.type === "connection_lost") slots.cause = this.sub(e.sub);
    return this.text(sayKey(e), slots);
  }

  /** How a connection was lost. @param {string} [sub] */
  sub(sub = "") {
    const key = `sub.${sub || "eof"}`;
    const words = this.text(key);
    return words === key ? sub.replaceAll("_", " ") : words;
  }

  /** What somebody did to it. @param {TraceEvent} e */
  fault(e) {
    const key = `fault.${e.cause}`;
    const words = e.cause ? this.text(key) : key;
    return words === key ? e.text || (e.cause ?? "").replaceAll("_", " ") : words;
  }
}

/** @param {TraceEvent} e */
function sayKey(e) {
  if (e.type === "enqueued" && e.cause) return "say.enqueued.again";
  if (e.type === "delivered" && e.redelivered) return "say.redelivered";
  if (e.type === "acked" && e.order?.inv) return "say.acked.late";
  if (e.type === "acked" && e.auto) return "say.acked.auto";
  return `say.${e.type}`;
}
