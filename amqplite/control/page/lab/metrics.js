// @ts-check
/** What the order came to, in numbers: the four that matter first, the rest for who asks. */

import { el, put } from "./dom.js";
import { number, span, text } from "./i18n.js";

/**
 * The measure of a run as a whole: the completion of its queue, or of all its queues together.
 * Nothing is 0 where the broker doesn't know any more.
 */
export function headline(run) {
  const done = (run.metrics ?? []).filter(
    (one) => one.scope === "queue" && one.at === "completion",
  );
  const sum = (name) => done.reduce((total, one) => total + one[name], 0);
  const most = (name) => done.reduce((max, one) => Math.max(max, one[name]), 0);
  return {
    inversions: sum("inversions"),
    moved: sum("moved"),
    late: most("late"),
    buffer: most("buffer"),
    n: sum("n"),
    approximate: done.some((one) => one.approximate),
    completion: done.length === 1 ? done[0].completion : [],
  };
}

/** @param {any} host @param {any} run without counts: it was too much to be kept */
export function showMetrics(host, run) {
  const { inversions, moved, late, buffer, approximate } = headline(run);
  const unit = run.header.tick_us;
  const about = approximate ? "≥ " : "";
  const { counts } = run;
  if (!counts) return put(host, el("p", { class: "quiet" }, text("metrics.unknown")));
  return put(
    host,
    el(
      "dl",
      { class: "headline" },
      figure("m.inv", about + number(inversions), inversions),
      figure("m.moved", about + number(moved), moved),
      figure("m.late", late ? withUnit(late, unit) : "0", late),
      figure("m.buf", about + number(buffer), buffer),
    ),
    el(
      "dl",
      { class: "counts" },
      count("m.redel", counts.redeliveries),
      count("m.dup?", counts.possible_duplicates),
      count("m.dup", counts.reported_duplicates),
      count("m.lost", counts.lost.length),
      count("m.dropped", counts.dropped),
    ),
    expected(run.expect ?? []),
    el("details", {}, el("summary", {}, text("metrics.all")), table(run.metrics, unit), costs(run)),
  );
}

/** A duration with its unit in small letters. */
function withUnit(us, tick_us) {
  const value = span(us, tick_us, false);
  return [value, el("small", {}, span(us, tick_us).replace(value, ""))];
}

const figure = (key, value, odd) =>
  el(
    "div",
    { class: odd ? "odd" : "" },
    el("dt", {}, text(key)),
    el("dd", { class: "number" }, value),
  );

const count = (key, value) =>
  value
    ? el("div", {}, el("dt", {}, text(key)), el("dd", { class: "number" }, number(value)))
    : null;

const FIELDS = [
  ...["n", "inversions", "moved", "buffer", "reordered", "ratio", "extent", "nreo", "tau"],
  ...["disp_max", "disp_mean", "backward"],
];

function table(metrics, unit) {
  const rows = metrics.map((one) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        text(`scope.${one.scope}`),
        " ",
        el("b", {}, one.name),
        " ",
        el("span", { class: "quiet" }, text(`at.${one.at}`)),
      ),
      FIELDS.map((field) =>
        el("td", { class: "number" }, number(one[field] ?? 0, { maximumFractionDigits: 2 })),
      ),
      el("td", { class: "number" }, span(one.late, unit, false)),
      el(
        "td",
        { class: "order" },
        one.completion.slice(0, 20).join(" "),
        one.completion.length > 20 ? " …" : "",
      ),
    ),
  );
  const heads = [...FIELDS, "late", "order"].map((field) =>
    el("th", { scope: "col" }, text(`metric.${field}`)),
  );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": text("metrics.all") },
    el(
      "table",
      { class: "measures" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, text("metric.scope")), heads)),
      el("tbody", {}, rows),
    ),
  );
}

/** Whether it came as the scenario's file says that it has to. */
function expected(checks) {
  if (!checks.length) return null;
  const wrong = checks.filter(({ ok }) => !ok);
  return [
    el(
      "p",
      { class: wrong.length ? "trouble" : "quiet" },
      text("metrics.held", { n: checks.length - wrong.length, of: checks.length }),
    ),
    wrong.map(({ what, expected: wanted, got }) =>
      el("p", { class: "trouble mono" }, `${what}: ${wanted} ≠ ${got}`),
    ),
  ];
}

const COSTS = ["wasted", "requeue_wait", "rework", "detection_gap", "end"];

/** What the faults cost in time, and what must be nothing. */
function costs({ counts, header }) {
  const times = COSTS.map((name) => [
    text(`count.${name}`),
    span(counts[name] ?? 0, header.tick_us),
  ]);
  const numbers = [
    "published",
    "acked",
    "depth_max",
    "bad_acks",
    "refused",
    "skipped",
    "unexplained",
    "violations",
  ].map((name) => [text(`count.${name}`), number(counts[name] ?? 0)]);
  return el(
    "dl",
    { class: "costs" },
    [...times, ...numbers].map(([name, value]) =>
      el("div", {}, el("dt", {}, name), el("dd", { class: "number" }, value)),
    ),
  );
}
