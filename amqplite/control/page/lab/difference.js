// @ts-check
/** What differs between two runs, and what the better one costs. */

import { number, pick, span, text } from "./i18n.js";
import { headline } from "./metrics.js";

/**
 * What is measured of a run: `[key of its name, value, whether it is a time]`; less is better.
 *
 * @type {[string, (run: any) => number, boolean?][]}
 */
const MEASURES = [
  ["m.inv", (run) => headline(run).inversions],
  ["m.moved", (run) => headline(run).moved],
  ["m.buf", (run) => headline(run).buffer],
  ["m.late", (run) => headline(run).late, true],
  ["m.redel", (run) => run.counts.redeliveries],
  ["m.dup", (run) => run.counts.reported_duplicates],
  ["m.lost", (run) => run.counts.lost.length],
  ["m.dropped", (run) => run.counts.dropped],
  ["count.wasted", (run) => run.counts.wasted, true],
  ["count.end", (run) => run.counts.end, true],
];

const ALWAYS = new Set(["m.inv", "count.end"]);

/** The measures that differ, and the two that always matter. */
export function differences(a, b) {
  return MEASURES.map(([key, measure, time]) => {
    const [from, to] = [measure(a), measure(b)];
    const show = (value, run) => (time ? span(value, run.header.tick_us) : number(value));
    const kind = from === to ? "same" : to < from ? "fine" : "trouble";
    return {
      key,
      name: text(key),
      from: show(from, a),
      to: show(to, b),
      kind,
      change: time ? percent(from, to) : "",
    };
  }).filter(({ key, kind }) => kind !== "same" || ALWAYS.has(key));
}

function percent(from, to) {
  if (!from || from === to) return "";
  return number(to / from - 1, {
    style: "percent",
    signDisplay: "always",
    maximumFractionDigits: 0,
  });
}

/**
 * Say what b gives over a, and its price.
 *
 * @param {any} a
 * @param {any} b
 * @param {any} [scenario] of b: what it says about its price is said here
 */
export function priceOf(a, b, scenario) {
  const [before, after] = [headline(a).inversions, headline(b).inversions];
  const [sooner, later] = [a.counts.end, b.counts.end];
  const change = before === after ? "same" : after < before ? "better" : "worse";
  const time = later > sooner ? "slower" : later < sooner ? "faster" : "even";
  const words = [
    text(`cmp.order.${change}`, { a: number(before), b: number(after) }),
    text(`cmp.time.${time}`, {
      by: span(Math.abs(later - sooner), b.header.tick_us),
      percent: percent(sooner, later),
    }),
  ];
  const more = b.counts.redeliveries - a.counts.redeliveries;
  if (more) words.push(text(more > 0 ? "cmp.redel.more" : "cmp.redel.less", { n: Math.abs(more) }));
  const sentence = words.join(text("cmp.join")) + text("cmp.stop");
  return scenario?.price ? [sentence, pick(scenario.price)].join(text("cmp.space")) : sentence;
}

/** Labels of the messages whose place among the completed differs. @returns {Set<string>} */
export function ranksChanged(a, b) {
  const [first, second] = [headline(a).completion, headline(b).completion];
  const place = new Map(second.map((label, at) => [label, at]));
  return new Set(first.filter((label, at) => place.get(label) !== at));
}

const FAULTS = new Set(["crashed", "connection_lost", "ack_lost", "fault", "requeued"]);

/** When the first fault strikes, so that two runs can be laid one on the other there. */
export function shiftOf({ store }) {
  return store.events.find((event) => FAULTS.has(event.type))?.t ?? 0;
}
