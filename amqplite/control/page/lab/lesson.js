// @ts-check
/** A scenario in four steps: predict, run, why, fix it. */

import { scenarios, ApiError } from "./api.js";
import { el, put } from "./dom.js";
import { createFaults, knobs } from "./controls.js";
import { pairOf, reference, showFixes } from "./fixes.js";
import { pick, text } from "./i18n.js";
import { isPlayed, play, wish } from "./loaded.js";
import { headline, showMetrics } from "./metrics.js";
import { showOutcome, showPredict } from "./predict.js";
import { keepSeen } from "./prefs.js";
import { note, problem } from "./problem.js";
import { format, scenarioParams } from "./route.js";
import { consumersOf, known, publishedIn, settings } from "./scenario_facts.js";
import { formatOrder } from "./score.js";
import { createStage } from "./stage.js";
import { masthead, modeSwitch } from "./masthead.js";
import { showOwn } from "./own.js";
import { showWhy } from "./why.js";

const FOLLOW_TICKS = 16;

export const STEPS = ["predict", "run", "why", "fix"];

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  const [id] = context.route.path;
  const catalogue = await scenarios();
  const scenario = catalogue.find((one) => one.id === id);
  if (!scenario) throw new ApiError(404, id);
  return new Lesson(main, context, scenario, catalogue).begin();
}

class Lesson {
  constructor(main, context, scenario, catalogue) {
    Object.assign(this, { main, context, scenario, catalogue, params: context.route.params });
    this.head = el("header", { class: "masthead" });
    this.links = STEPS.map((one, at) =>
      el("a", {}, el("span", { class: "digit", "aria-hidden": "true" }, at + 1), text(`step.${one}`)));
    this.steps = el("nav", { class: "steps", "aria-label": text("step.title") },
      el("ol", {}, this.links.map((link) => el("li", {}, link))));
    this.above = el("div", { class: "above" });
    this.stageHost = el("div", { class: "stage", hidden: true });
    this.below = el("div", { class: "below" });
    this.stage = null;
    this.loaded = null;
    this.asked = "";
  }

  begin() {
    const { context, main, scenario } = this;
    context.title(pick(scenario.title));
    put(main, this.head, this.steps, this.above, this.stageHost, this.below);
    this.draw();
    return {
      update: (route) => {
        this.params = route.params;
        this.draw();
      },
      key: (event) => this.key(event),
      destroy: () => this.leave(),
    };
  }

  get step() {
    return STEPS.includes(this.params.step) ? this.params.step : this.params.sel || this.params.t ? "run" : "predict";
  }

  get wish() {
    const own = known(this.scenario, scenarioParams(this.params));
    return wish(this.scenario.id, own, { ...this.params, mode: this.mode });
  }

  /** Exact, unless people bring consumers of their own, or wish for real ones. */
  get mode() {
    return this.params.mode ?? (this.scenario.own ? "real" : "exact");
  }

  /** The address in another step or setting, with what was predicted. */
  address(change) {
    const { sel, t, ...rest } = this.params;
    return format({ page: "scenario", path: [this.scenario.id], params: { ...rest, ...change } });
  }

  change(params) {
    this.context.update(params);
    Object.assign(this.params, params);
    this.drawSteps();
  }

  /** Links that lead on with all that is said by now; they stay, and so does the focus. */
  drawSteps() {
    this.links.forEach((link, at) => {
      link.href = this.address({ step: STEPS[at] });
      if (STEPS[at] === this.step) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
  }

  draw() {
    const { step } = this;
    this.drawHead();
    this.drawSteps();
    if (step === "predict") this.drawPredict();
    else void this.drawRun();
  }

  drawHead() {
    const { scenario, step, loaded } = this;
    masthead(this.head, {
      crumb: { href: "#/", label: text("nav.scenarios") },
      title: pick(scenario.title), lede: pick(scenario.teaches),
      mode: this.mode, run: step === "predict" ? null : loaded?.run,
      small: step !== "predict",
    });
  }

  drawPredict() {
    this.stageHost.hidden = true;
    put(this.above);
    showPredict(this.below, this.scenario, {
      params: this.params,
      update: (params) => this.change(params),
      run: () => {
        this.context.go(this.address({ step: "run" }));
        this.links[1].focus({ preventScroll: true });
      },
    });
  }

  async drawRun(anew = false) {
    const key = JSON.stringify(this.wish);
    const first = !isPlayed(this.wish);
    if (anew || key !== this.asked) {
      this.asked = key;
      const focused = document.activeElement?.id;
      this.wait();
      try {
        const loaded = await play(this.wish, anew);
        if (this.asked !== key || this.gone) return;
        this.clear();
        this.enter(loaded, anew || first);
        this.refocus = focused;
      } catch (error) {
        if (this.asked !== key || this.gone) return;
        this.clear();
        put(this.below, problem(error, () => void this.drawRun(true)));
        this.asked = "";
        return;
      } finally {
        if (this.asked === key || !this.asked) this.main.removeAttribute("aria-busy");
      }
    }
    if (this.loaded && this.step !== "predict") this.drawStep();
    if (this.refocus) document.getElementById(this.refocus)?.focus();
    this.refocus = "";
  }

  /** A run is on its way; another that is shown stays until it is there. */
  wait() {
    this.main.setAttribute("aria-busy", "true");
    if (!this.stage) put(this.below, el("p", { class: "quiet waiting", role: "status" }, text("run.starting")));
  }

  /** @param {any} loaded @param {boolean} fresh it has just been made: show it from its start */
  enter(loaded, fresh) {
    this.loaded = loaded;
    this.stageHost.hidden = false;
    this.stage = createStage(this.stageHost, {
      store: loaded.store, params: this.params,
      update: (params) => this.change(params),
      why: () => this.context.go(this.address({ step: "why" })),
      tools: [this.shareHost ??= el("div", { class: "share" })],
    });
    this.metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
    this.stage.aside.append(this.metrics);
    this.listener = (what) => this.came(what);
    loaded.listeners.add(this.listener);
    this.unlisten = loaded.store.listen(() => this.stage?.draw());
    this.came("run");
    if (loaded.run.state === "running" && this.scenario.own) this.keepUp();
    if (fresh && !this.params.t && this.step === "run" && loaded.run.state !== "running") this.replay();
  }

  /** From its start, at the pace that people can follow. */
  replay() {
    const { player } = this.stage.viewer;
    player.start();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  }

  /** It goes on for long: what is newest stays in sight. */
  keepUp() {
    if (!this.params.x) this.stage.setScale("time");
    this.stage.viewer.setFollow(true, FOLLOW_TICKS * this.loaded.store.unit);
  }

  came(what) {
    const { run } = this.loaded;
    if (what === "stream") return;
    this.drawHead();
    showMetrics(this.metrics, run);
    if (run.state !== "running") this.remember(run);
    if (this.step !== "predict") this.drawStep();
  }

  remember(run) {
    const { completion, inversions } = headline(run);
    const order = formatOrder(completion, publishedIn(this.scenario));
    keepSeen(this.scenario.id, { order, inv: inversions });
  }

  drawStep() {
    const { loaded, step, stage, scenario } = this;
    this.stageHost.hidden = false;
    import("./export.js").then(({ shareMenu }) => put(this.shareHost, shareMenu({
      run: () => this.loaded.run, viewer: stage.viewer, link: () => location.href,
    })));
    this.faults = null;
    const done = loaded.run.state !== "running";
    if (step === "run") this.drawControls();
    if (step === "why") {
      const outcome = done && showOutcome(scenario, this.params, headline(loaded.run).completion);
      const whys = el("section", { class: "whys prose" });
      showWhy(whys, loaded.run, stage.hub);
      put(this.below, el("div", { class: "columns" }, whys, outcome || null));
    }
    if (step === "fix") {
      showFixes(this.below, {
        scenario, catalogue: this.catalogue, params: this.params,
        turn: (name, value) => this.turn(name, value),
        address: (change) => this.address(change),
      });
    }
    put(this.above, loaded.run.state === "failed" && note(text("run.failed", { reason: loaded.run.reason ?? "" })), !done && el("p", { class: "running", role: "status" }, text(scenario.own ? "run.open" : "run.running")));
  }

  drawControls() {
    const { scenario } = this;
    const faults = el("div", { class: "faults" });
    put(
      this.below,
      scenario.own && showOwn(scenario),
      el("div", { class: "columns" }, el("section", { class: "panel" },
        el("h2", {}, text("run.how")),
        modeSwitch(this.mode, (mode) => this.context.go(this.address({ mode, step: "run" })), () => void this.drawRun(true)),
        scenario.params.length > 0 && knobs(scenario, settings(scenario, this.wish.params), (name, value) => this.turn(name, value))),
      el("section", { class: "panel" }, el("h2", {}, text("fault.title")), faults,
        this.mode !== "real" && el("p", { class: "quiet" }, text("fault.exact")))),
    );
    this.faults = createFaults(faults, {
      consumers: () => consumersOf(scenario), focused: () => this.stage.viewer.consumer(), hub: this.stage.hub,
      at: () => (this.loaded?.run.state === "running" ? { run: this.loaded.run.id } : null),
    });
  }

  /** A knob was turned: another run. */
  turn(name, value) {
    const param = this.scenario.params.find((one) => one.name === name);
    const said = value === param.default ? undefined : value;
    this.context.go(this.address({ [name]: said, variant: undefined }));
  }

  key(event) {
    if (this.step === "predict" || !this.stage) return false;
    if (this.stage.key(event)) return true;
    if (event.key === "c") {
      const pair = this.scenario.compare_with;
      this.context.go(pair ? pairOf(reference(this.scenario, this.params), { id: pair }) : this.address({ step: "fix" }));
      return true;
    }
    if (event.key === "y") {
      this.shareHost?.querySelector("button")?.click();
      return true;
    }
    return this.faults?.key(event) ?? false;
  }

  clear() {
    this.unlisten?.();
    this.loaded?.listeners.delete(this.listener);
    this.stage?.destroy();
    this.stage = this.loaded = this.faults = null;
    put(this.stageHost);
    this.stageHost.hidden = true;
  }

  leave() {
    this.gone = true;
    this.clear();
  }
}
