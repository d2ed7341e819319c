// @ts-check
/** A scenario in four steps: predict, run, why, fix it. */

import { ApiError, scenarios } from "./api.js";
import { el, put } from "./dom.js";
import { shareMenu } from "./export.js";
import { besides, comparison, reference } from "./fixes.js";
import { pick, text } from "./i18n.js";
import { fixPanel, present, remember, runPanel, whyPanel } from "./lesson_panels.js";
import { isPlayed, play, wish } from "./loaded.js";
import { masthead } from "./masthead.js";
import { showMetrics } from "./metrics.js";
import { showPredict } from "./predict.js";
import { note, problem } from "./problem.js";
import { format, scenarioParams } from "./route.js";
import { known } from "./scenario_facts.js";
import { createStage } from "./stage.js";
import { createSteps, stepOf } from "./steps.js";

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  const [id] = context.route.path;
  const catalogue = await scenarios();
  const scenario = catalogue.find((one) => one.id === id);
  if (!scenario) throw new ApiError(404, id);
  const { params } = context.route;
  if (params.cmp) {
    context.replace(besides(scenario, params));
    return {};
  }
  return new Lesson(main, context, scenario, catalogue).begin();
}

export class Lesson {
  /**
   * @param {any} main
   * @param {import("./app.js").Context} context
   * @param {any} scenario
   * @param {any[]} catalogue
   */
  constructor(main, context, scenario, catalogue) {
    this.main = main;
    this.context = context;
    this.scenario = scenario;
    this.catalogue = catalogue;
    this.params = context.route.params;
    this.head = el("header", { class: "masthead" });
    this.steps = createSteps();
    this.above = el("div", { class: "above" });
    this.stageHost = el("div", { class: "stage", hidden: true });
    this.below = el("div", { class: "below" });
    this.share = el("div", { class: "share" });
    this.metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
    /** @type {any} */
    this.stage = null;
    /** @type {any} */
    this.loaded = null;
    /** @type {ReturnType<typeof runPanel> | null} */
    this.faults = null;
    /** @type {ReturnType<typeof fixPanel> | null} */
    this.whatIf = null;
    /** Whether the form for another policy is wanted, once it is there. */
    this.forking = false;
    this.unlisten = () => {};
    /** What was asked for last. */
    this.asked = "";
    /** Step and state that the panels show. */
    this.drawn = "";
    this.refocus = "";
    this.gone = false;
    this.listener = (what) => this.came(what);
  }

  begin() {
    this.context.title(pick(this.scenario.title));
    put(this.main, this.head, this.steps.root, this.above, this.stageHost, this.below);
    this.draw();
    return {
      update: (route) => {
        this.params = route.params;
        this.draw();
      },
      key: (event) => this.key(event),
      destroy: () => {
        this.gone = true;
        this.clear();
      },
    };
  }

  get step() {
    return stepOf(this.params);
  }

  /** Exact, unless people bring consumers of their own, or wish for real ones. */
  get mode() {
    return this.params.mode ?? (this.scenario.own ? "real" : "exact");
  }

  get wish() {
    const own = known(this.scenario, scenarioParams(this.params));
    return wish(this.scenario.id, own, { ...this.params, mode: this.mode });
  }

  get running() {
    return this.loaded?.run.state === "running";
  }

  /** The address with something else in it, and with what was predicted. */
  address(change) {
    const { sel, t, ...rest } = this.params;
    return format({ page: "scenario", path: [this.scenario.id], params: { ...rest, ...change } });
  }

  go(change) {
    this.context.go(this.address(change));
  }

  /** Say more in the address, without a new entry in the history. */
  change(params) {
    this.context.update(params);
    Object.assign(this.params, params);
    this.drawSteps();
  }

  /** A knob was turned: another run. */
  turn(name, value) {
    const param = this.scenario.params.find((one) => one.name === name);
    const variant = this.scenario.variants.find((one) => one.name === this.params.variant);
    const usual = variant?.set[name] ?? param.default;
    this.go({ [name]: value === usual ? undefined : value });
  }

  again() {
    void this.drawRun(true);
  }

  draw() {
    this.drawHead();
    this.drawSteps();
    if (this.step === "predict") this.drawPredict();
    else void this.drawRun();
  }

  drawSteps() {
    this.steps.draw(this.step, (step) => this.address({ step }));
  }

  drawHead() {
    const predicting = this.step === "predict";
    masthead(this.head, {
      crumb: { href: "#/", label: text("nav.scenarios") },
      title: pick(this.scenario.title),
      lede: pick(this.scenario.teaches),
      mode: this.mode,
      run: predicting ? null : this.loaded?.run,
      small: !predicting,
    });
  }

  drawPredict() {
    this.stageHost.hidden = true;
    this.drawn = "";
    put(this.above);
    showPredict(this.below, this.scenario, {
      params: this.params,
      update: (params) => this.change(params),
      run: () => {
        this.go({ step: "run" });
        this.steps.focus("run");
      },
    });
  }

  async drawRun(anew = false) {
    const key = JSON.stringify(this.wish);
    if (anew || key !== this.asked) {
      this.asked = key;
      if (!(await this.load(key, anew))) return;
    }
    if (this.loaded && this.step !== "predict") this.drawStep();
    if (this.refocus) document.getElementById(this.refocus)?.focus();
    this.refocus = "";
  }

  /** Get a run; tells whether it is there, and still wished for. @returns {Promise<boolean>} */
  async load(key, anew) {
    const fresh = anew || !isPlayed(this.wish);
    this.refocus = document.activeElement?.id ?? "";
    this.main.setAttribute("aria-busy", "true"); // another that is shown stays until this is there
    if (!this.stage) put(this.below, el("p", { class: "quiet waiting" }, text("run.starting")));
    const current = () => this.asked === key && !this.gone;
    try {
      const loaded = await play(this.wish, anew);
      if (!current()) return false;
      this.clear();
      this.enter(loaded, fresh);
    } catch (error) {
      if (!current()) return false;
      this.clear();
      this.asked = "";
      put(
        this.below,
        problem(error, () => this.again()),
      );
    }
    this.main.removeAttribute("aria-busy");
    return this.loaded !== null;
  }

  /** @param {any} loaded @param {boolean} fresh it has just been made: show it from its start */
  enter(loaded, fresh) {
    this.loaded = loaded;
    this.stage = createStage(this.stageHost, {
      store: loaded.store,
      params: this.params,
      update: (params) => this.change(params),
      why: () => this.go({ step: "why" }),
      tools: [this.share],
    });
    const { viewer, aside } = this.stage;
    put(this.share, shareMenu({ run: () => this.loaded.run, viewer, link: () => location.href }));
    aside.append(this.metrics);
    loaded.listeners.add(this.listener);
    this.unlisten = loaded.store.listen(() => this.stage?.draw());
    this.came("run");
    present(this, fresh);
  }

  /** @param {"run"|"events"|"stream"} what */
  came(what) {
    if (what === "stream") return;
    const { run } = this.loaded;
    this.drawHead();
    showMetrics(this.metrics, run);
    if (!this.running) remember(this.scenario, run);
    if (this.step !== "predict") this.drawStep();
  }

  /** Panels with controls are drawn once, so that whoever is at one of them stays there. */
  drawStep() {
    const { step, loaded, running } = this;
    this.stageHost.hidden = false;
    const key = `${loaded.run.id} ${running} ${this.address({ step })}`;
    if (key === this.drawn && step !== "why") return;
    this.drawn = key;
    this.faults = step === "run" ? runPanel(this.below, this) : null;
    if (step === "why") whyPanel(this.below, this);
    this.whatIf = step === "fix" ? fixPanel(this.below, this) : null;
    if (this.whatIf && this.forking) this.fork();
    const failed = loaded.run.state === "failed";
    put(
      this.above,
      failed && note(text("run.failed", { reason: loaded.run.reason ?? "" })),
      running &&
        el(
          "p",
          { class: "running", role: "status" },
          text(this.scenario.own ? "run.open" : "run.running"),
        ),
    );
  }

  key(event) {
    if (this.step === "predict" || !this.stage) return false;
    if (this.stage.key(event)) return true;
    if (event.key === "c") this.compare();
    else if (event.key === "f") this.fork();
    else if (event.key === "y") this.share.querySelector("button")?.click();
    else return this.faults?.key(event) ?? false;
    return true;
  }

  /** Another policy from the instant on that is shown. */
  fork() {
    this.forking = this.whatIf === null;
    if (this.whatIf) this.whatIf.focus();
    else this.go({ step: "fix" });
  }

  compare() {
    const pair = this.scenario.compare_with;
    if (pair) this.context.go(comparison(reference(this.scenario, this.params), { id: pair }));
    else this.go({ step: "fix" });
  }

  clear() {
    this.unlisten();
    this.loaded?.listeners.delete(this.listener);
    this.stage?.destroy();
    this.stage = this.loaded = this.faults = null;
    this.drawn = "";
    put(this.stageHost);
    this.stageHost.hidden = true;
  }
}
