// @ts-check
/** What another policy would have made of a run, worked out by the broker's own code. */

import { whatIf } from "./api.js";
import { button, el, put } from "./dom.js";
import { LANGUAGES, language, number, pick, span, text } from "./i18n.js";
import { format } from "./route.js";
import { causeOf } from "./problem.js";

/** Policies that are worth to be seen side by side. */
const USUAL = [
  { prefetch: 1 },
  { prefetch: 0 },
  { single_active: true },
  { queue_per_consumer: true },
  { partitions: 2 },
  { no_faults: true },
];

/** What was taken for granted for runs that were simulated from here, by their ids. */
const told = new Map();

/**
 * @param {any} host
 * @param {{
 *   run: () => any, store: any, at: () => number | null, go: (route: any) => void,
 * }} options at: the instant that is shown, in microseconds; `null`: the end
 */
export function createWhatIf(host, { run, store, at, go }) {
  const answer = el("div", { class: "answers" });
  const state = el("p", { class: "quiet", role: "status" });
  const own = policyForm((policy, since) => void attempt(() => simulate(policy, since)), at);
  put(
    host,
    el("h2", {}, text("whatif.title")),
    el("p", { class: "quiet" }, text("whatif.lede")),
    el(
      "p",
      { class: "row" },
      button(text("whatif.usual"), () => void attempt(sideBySide)),
    ),
    answer,
    own.root,
    state,
  );

  async function attempt(act) {
    state.textContent = text("exp.working");
    try {
      await act();
      state.textContent = "";
    } catch (error) {
      state.textContent = causeOf(error);
    }
  }

  const ask = (body) => whatIf(run().id, body, LANGUAGES[language()].tag);

  async function sideBySide() {
    const { check, rows, sentence } = await ask({ policies: others(store) });
    put(
      answer,
      el("p", { class: check.differ ? "trouble" : "quiet" }, pick(check.text)),
      el("p", { class: "prose" }, pick(sentence)),
      table(rows, run().header.tick_us, (policy) => void attempt(() => simulate(policy, 0))),
    );
  }

  /** Work it out, keep it as a run, and show the two side by side. */
  async function simulate(policy, since) {
    const {
      check,
      assumptions,
      sentence,
      run: made,
    } = await ask({ policy, at: Math.round(since) });
    told.set(made.id, { check, assumptions, sentence });
    go({ page: "compare", params: { a: `r/${run().id}`, b: `r/${made.id}` } });
  }

  return { focus: own.focus };
}

/** The usual policies, but for a prefetch that all consumers have anyway. */
function others({ events }) {
  const registered = events.filter(({ type }) => type === "consumer_registered");
  const has = new Set(registered.map(({ prefetch = 0 }) => prefetch));
  return USUAL.filter(
    ({ prefetch }) => has.size !== 1 || prefetch === undefined || !has.has(prefetch),
  );
}

const COLUMNS = ["inversions", "moved", "buffer", "redeliveries", "wait_p95", "end", "open"];
const TIMES = new Set(["wait_p95", "end"]);

function table(rows, tick_us, see) {
  const cell = (row, name) =>
    el(
      "td",
      { class: `number${name === "inversions" && row[name] ? " trouble" : ""}` },
      TIMES.has(name) ? span(row[name], tick_us, false) : number(row[name]),
    );
  const line = (row, at) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, pick(row.label)),
      COLUMNS.map((name) => cell(row, name)),
      el(
        "td",
        {},
        at > 0 &&
          button(text("whatif.see"), () => see(row.policy), {
            class: "plain",
            "aria-label": text("whatif.see.name", { name: pick(row.label) }),
          }),
      ),
    );
  const heads = COLUMNS.map((name) =>
    el("th", { scope: "col", class: "number" }, text(`whatif.${name}`)),
  );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": text("whatif.title") },
    el(
      "table",
      { class: "policies" },
      el(
        "thead",
        {},
        el("tr", {}, el("th", { scope: "col" }, text("whatif.policy")), heads, el("td")),
      ),
      el("tbody", {}, rows.map(line)),
    ),
  );
}

/** A policy of one's own. @param {(policy: object, since: number) => void} ask */
function policyForm(ask, at) {
  const count = (name, least) =>
    el("input", { type: "number", id: `whatif-${name}`, min: least, max: 64, placeholder: "–" });
  const prefetch = count("prefetch", 0);
  const partitions = count("partitions", 2);
  const flag = (name) => el("input", { type: "checkbox", id: `whatif-${name}` });
  const [active, each, calm, fork] = [
    "single_active",
    "queue_per_consumer",
    "no_faults",
    "fork",
  ].map(flag);
  const field = (input, key) => el("label", { class: "check", for: input.id }, input, text(key));

  function submit(event) {
    event.preventDefault();
    const policy = {
      ...(prefetch.value !== "" && { prefetch: Number(prefetch.value) }),
      ...(partitions.value !== "" && { partitions: Number(partitions.value) }),
      ...(active.checked && { single_active: true }),
      ...(each.checked && { queue_per_consumer: true }),
      ...(calm.checked && { no_faults: true }),
    };
    ask(policy, fork.checked ? (at() ?? 0) : 0);
  }

  const root = el(
    "form",
    { class: "row policy", on: { submit } },
    field(prefetch, "whatif.prefetch"),
    field(active, "whatif.single_active"),
    field(each, "whatif.queue_per_consumer"),
    field(partitions, "whatif.partitions"),
    field(calm, "whatif.no_faults"),
    field(fork, "whatif.fork"),
    el("button", { type: "submit", class: "button" }, text("whatif.go")),
  );
  return {
    root,
    /** Ready for another policy from the instant on that is shown. */
    focus() {
      fork.checked = at() !== null;
      root.scrollIntoView({ block: "nearest" });
      prefetch.focus();
    },
  };
}

/** The instant that a diagram shows, in microseconds; `null`: the end. @param {any} viewer */
export const shownAt = ({ player, store }) => (player.t < store.end ? player.t : null);

/** What a simulated run takes for granted, where it was made in this page. @param {string} id */
export function assumptionsOf(id) {
  const known = told.get(id);
  if (!known) return null;
  return el(
    "section",
    { class: "assumed" },
    el("h2", {}, text("whatif.assumed")),
    el("p", { class: known.check.differ ? "trouble" : "quiet" }, pick(known.check.text)),
    el(
      "ul",
      {},
      known.assumptions.map((one) => el("li", {}, pick(one.text))),
    ),
  );
}
