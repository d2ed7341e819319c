// @ts-check
/** What stands below the diagram of a lesson, in each of its steps. */

import { createFaults, knobs } from "./controls.js";
import { el, put } from "./dom.js";
import { showFixes } from "./fixes.js";
import { text } from "./i18n.js";
import { modeSwitch } from "./masthead.js";
import { headline } from "./metrics.js";
import { showOwn } from "./own.js";
import { showOutcome } from "./predict.js";
import { keepSeen } from "./prefs.js";
import { consumersOf, publishedIn, settings } from "./scenario_facts.js";
import { formatOrder } from "./score.js";
import { createWhatIf, shownAt } from "./whatif.js";
import { showWhy } from "./why.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

const FOLLOW_TICKS = 16;

/**
 * Show a run: one that has just been made from its start, at the pace that people can follow; of one
 * that goes on for long, what is newest.
 *
 * @param {Lesson} lesson
 * @param {boolean} fresh
 */
export function present({ stage, params, step, running, scenario, loaded }, fresh) {
  const { player } = stage.viewer;
  if (running && scenario.own) {
    if (!params.x) stage.setScale("time");
    stage.viewer.setFollow(true, FOLLOW_TICKS * loaded.store.unit);
  } else if (fresh && !running && step === "run" && !params.t) {
    player.start();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  }
}

/** How it is run, and what may befall it. @param {any} host @param {Lesson} lesson */
export function runPanel(host, lesson) {
  const { scenario, params, mode } = lesson;
  const faults = el("div", { class: "faults" });
  const values = settings(scenario, lesson.wish.params, params.variant);
  const turn = (name, value) => lesson.turn(name, value);
  put(
    host,
    scenario.own && showOwn(scenario),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        { class: "panel" },
        el("h2", {}, text("run.how")),
        modeSwitch(
          mode,
          (wanted) => lesson.go({ mode: wanted, step: "run" }),
          () => lesson.again(),
        ),
        scenario.params.length > 0 && knobs(scenario, values, turn),
      ),
      el(
        "section",
        { class: "panel" },
        el("h2", {}, text("fault.title")),
        faults,
        mode !== "real" && el("p", { class: "quiet" }, text("fault.exact")),
      ),
    ),
  );
  return createFaults(faults, {
    consumers: () => consumersOf(scenario),
    focused: () => lesson.stage?.viewer.consumer() ?? "",
    hub: lesson.stage.hub,
    at: () => (lesson.running ? { run: lesson.loaded.run.id } : null),
  });
}

/** Why it came so, and what was predicted. @param {any} host @param {Lesson} lesson */
export function whyPanel(host, { scenario, params, loaded, running, stage }) {
  const truth = headline(loaded.run).completion;
  const outcome = running ? null : showOutcome(scenario, params, truth);
  const whys = el("section", { class: "whys prose" });
  showWhy(whys, loaded.run, stage.hub);
  put(host, el("div", { class: "columns" }, whys, outcome));
}

/** What would change it. @param {any} host @param {Lesson} lesson */
export function fixPanel(host, lesson) {
  const fixes = el("div");
  const others = el("section", { class: "whatif" });
  put(host, fixes, others);
  showFixes(fixes, {
    scenario: lesson.scenario,
    catalogue: lesson.catalogue,
    params: lesson.params,
    turn: (name, value) => lesson.turn(name, value),
    address: (change) => lesson.address(change),
  });
  return createWhatIf(others, {
    run: () => lesson.loaded.run,
    store: lesson.loaded.store,
    at: () => shownAt(lesson.stage.viewer),
    go: lesson.context.go,
  });
}

/** Keep for the gallery what came of it. @param {any} scenario @param {any} run */
export function remember(scenario, run) {
  const { completion, inversions } = headline(run);
  const order = formatOrder(completion, publishedIn(scenario));
  keepSeen(scenario.id, { order, inv: inversions });
}
