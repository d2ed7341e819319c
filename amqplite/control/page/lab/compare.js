// @ts-check
/** Two runs on one axis of time, and what differs. */

import { listRuns, scenarios } from "./api.js";
import { button, el, put } from "./dom.js";
import { pick, text } from "./i18n.js";
import { differences, priceOf, ranksChanged, shiftOf } from "./difference.js";
import { openNamed } from "./loaded.js";
import { badge, keptMode } from "./masthead.js";
import { runName, setWords } from "./scenario_facts.js";
import { createTwins } from "./twins.js";

const DEFAULTS = ["s/fig-11-2", "s/fix-single-active"];

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  context.title(text("nav.compare"));
  const { params } = context.route;
  const catalogue = await scenarios();
  const names = await choices(catalogue);
  const pair = chosen(params, catalogue);
  const strip = el("section", { class: "difference", "aria-live": "polite" });
  const stage = el("div", { class: "twins" });
  const picks = el(
    "div",
    { class: "row picks" },
    pair.map((name, at) => picker(name, at)),
  );
  put(
    main,
    el(
      "header",
      { class: "masthead" },
      el("h1", {}, text("cmp.title")),
      el("p", { class: "lede" }, text("cmp.lede")),
    ),
    picks,
    strip,
    stage,
  );

  function picker(name, at) {
    const id = `pick-${at}`;
    const known = names.some(([one]) => one === name);
    const options = known ? names : [[name, name], ...names];
    const select = el(
      "select",
      { id, on: { change: () => go(at, select.value) } },
      options.map(([value, label]) => el("option", { value, selected: value === name }, label)),
    );
    return el(
      "div",
      { class: "pick" },
      el("label", { for: id, class: "quiet" }, text(at ? "cmp.b" : "cmp.a")),
      select,
    );
  }

  function go(at, name) {
    const next = pair.map((old, place) => (place === at ? name : old));
    context.go({
      page: "compare",
      params: { ...params, a: next[0], b: next[1], t: undefined, sel: undefined },
    });
  }

  const runs = await Promise.all(pair.map(openNamed));
  const twins = createTwins(stage, runs, {
    params,
    update: context.update,
    title: (run) => runName(run, catalogue),
    heading: (run) => heading(run, catalogue),
    changed: ranksChanged(runs[0].run, runs[1].run),
  });

  function draw(align) {
    const shift = align === "fault" ? runs.map(shiftOf) : [0, 0];
    twins.align(shift);
    context.update({ align: align === "fault" ? "fault" : undefined });
    drawStrip(align);
  }

  function drawStrip(align) {
    const [a, b] = runs.map(({ run }) => run);
    const alignments = ["start", "fault"].map((one) =>
      button(text(`cmp.align.${one}`), () => draw(one), { "aria-pressed": String(one === align) }),
    );
    put(
      strip,
      el("p", { class: "verdict" }, priceOf(a, b, scenarioOf(b, catalogue))),
      el(
        "dl",
        { class: "deltas" },
        differences(a, b).map((one) =>
          el(
            "div",
            { class: one.kind },
            el("dt", {}, one.name),
            el(
              "dd",
              { class: "number" },
              one.from,
              el("span", { class: "to", "aria-label": text("cmp.to") }, "→"),
              el("b", {}, one.to),
              one.change && el("span", { class: "quiet" }, one.change),
            ),
          ),
        ),
      ),
      el("div", { class: "segments", role: "group", "aria-label": text("cmp.align") }, alignments),
    );
  }

  draw(params.align === "fault" ? "fault" : "start");
  return {
    key: (event) => twins.key(event),
    destroy() {
      twins.destroy();
    },
  };
}

/** What may be compared: scenarios, and runs that are kept. @returns {Promise<[string, string][]>} */
async function choices(catalogue) {
  const kept = await listRuns().catch(() => []);
  return [
    ...catalogue.filter((one) => !one.own).map((one) => [`s/${one.id}`, pick(one.title)]),
    ...kept.map((run) => [`r/${run.id}`, `${runName(run, catalogue)} · ${text("cmp.kept")}`]),
  ];
}

/** The two that the address names; a fix goes with its fault. */
function chosen(params, catalogue) {
  const { a, b } = params;
  const first = a ?? (b ? partner(b, catalogue) : DEFAULTS[0]);
  return [first, b ?? partner(first, catalogue)];
}

function partner(name, catalogue) {
  const id = name.replace(/^s\//, "").split("?")[0];
  const pair = name.startsWith("s/") && catalogue.find((one) => one.id === id)?.compare_with;
  if (pair) return `s/${pair}`;
  const others = DEFAULTS.filter(
    (one) => one !== name && catalogue.some((known) => `s/${known.id}` === one),
  );
  return others.at(-1) ?? `s/${catalogue[0].id}`;
}

const scenarioOf = (run, catalogue) => catalogue.find((one) => one.id === run.header.scenario);

/** What kind of run it is, and what was set otherwise than usual. */
const heading = (run, catalogue) => [
  badge(keptMode(run)),
  el("span", { class: "quiet" }, setWords(run, catalogue).join(" · ")),
];
