// @ts-check
/** One queue, live: its diagram, how fast it goes, and what the reader may do about it. */

import { keepTrace, liveStream, tracedQueue, traceQueue, untraceQueue } from "./api.js";
import { el, put } from "./dom.js";
import { text } from "./i18n.js";
import { faultsPanel, showBanner, showTools } from "./live_tools.js";
import { CALM, LiveWindow } from "./live_window.js";
import { gapEvent } from "./loaded.js";
import { masthead } from "./masthead.js";
import { showMetrics } from "./metrics.js";
import { problem } from "./problem.js";
import { showPulse } from "./pulse.js";
import { format } from "./route.js";
import { say } from "./said.js";
import { shareStream } from "./shared_stream.js";
import { listen } from "./sse.js";
import { createStage } from "./stage.js";
import { createStore } from "./trace.js";

const DRAW_MS = 250;
/** Of the time at most one in so many parts is spent on drawing. */
const DRAW_SHARE = 6;
const ASK_MS = 5000;
const EVENTS_MAX = 6000;

export class LiveQueue {
  /** @param {any} main @param {import("./app.js").Context} context @param {string} v @param {string} q */
  constructor(main, context, v, q) {
    this.main = main;
    this.context = context;
    this.v = v;
    this.q = q;
    this.params = context.route.params;
    this.window = new LiveWindow();
    this.store = this.newStore();
    this.frozen = false;
    /** Whether there is more to draw. */
    this.fresh = false;
    /** When the next drawing may begin. */
    this.due = 0;
    /** How many messages had come when it was drawn last. */
    this.seen = 0;
    /** Odd messages then, and whether only these were drawn. */
    this.drawn = { odd: 0, only: /** @type {boolean | null} */ (null), tools: "", faults: "" };
    /** @type {boolean | null} what the reader wishes, `null` while they leave it to the pace */
    this.oddOnly = this.params.odd === undefined ? null : this.params.odd === "1";
    this.connection = { open: false, retry: 0, status: 0 };
    /** @type {any} the queue as the broker told last */
    this.state = null;
    /** @type {any} */
    this.stage = null;
    /** @type {ReturnType<typeof shareStream> | null} */
    this.stream = null;
    /** @type {ReturnType<typeof faultsPanel> | null} */
    this.faults = null;
    this.timers = [];
    this.gone = false;
    this.head = el("header", { class: "masthead" });
    this.banner = el("div", { class: "banner", hidden: true, role: "status" });
    this.pulse = el("div", { class: "pulse" });
    this.told = el("p", { class: "trouble", role: "status" });
    this.host = el("div", { class: "stage live" });
    this.tools = el("div", { class: "row" });
    this.metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
    this.faultHost = el("section", { class: "panel live-faults" });
  }

  begin() {
    this.context.title(this.q);
    const below = el("div", { class: "below" }, this.faultHost);
    put(this.main, this.head, this.banner, this.pulse, this.told, this.host, below);
    masthead(this.head, {
      crumb: { href: format({ page: "live" }), label: text("nav.live") },
      title: this.q,
      mode: "live",
      small: true,
      facts: [el("span", { class: "quiet" }, text("live.in", { v: this.v }))],
    });
    void this.trace();
    return {
      key: (event) => (this.stage?.key(event) || this.faults?.key(event)) ?? false,
      destroy: () => {
        this.gone = true;
        this.stop();
      },
    };
  }

  /** Ask for the queue to be traced, and listen. */
  async trace() {
    try {
      this.state = await traceQueue(this.v, this.q);
    } catch (error) {
      put(
        this.host,
        problem(error, () => void this.trace()),
      );
      return;
    }
    if (this.gone) return;
    this.makeStage();
    const url = liveStream(this.v, this.q);
    this.stream = shareStream(url, (listener, after) => listen(url, listener, { after }), {
      take: (messages) => messages.forEach((message) => this.take(message)),
      state: (state) => this.setConnection(state),
    });
    this.timers = [
      setInterval(() => this.draw(), DRAW_MS),
      setInterval(() => void this.askOutcome(), ASK_MS),
    ];
  }

  /** @param {import("./shared_stream.js").Message} message */
  take({ event, data }) {
    const said = JSON.parse(data);
    if (event === "trace") this.window.take(said);
    else if (event === "gap") this.window.take(gapEvent(said, this.window));
    else if (event === "state") this.setState(said);
    this.fresh = true;
  }

  setState(state) {
    this.state = state;
    if (state.on) return;
    this.stream?.close(); // traced no longer, by somebody's wish or for nobody looked
    this.setConnection({ open: false, retry: Infinity, status: 0 });
  }

  setConnection(state) {
    if (state.open && this.connection.retry) say(text("live.back"));
    this.connection = state;
    this.drawBanner();
  }

  async askOutcome() {
    if (document.hidden || this.frozen || this.connection.retry === Infinity) return;
    const nothing = { outcome: null, header: null };
    const { outcome, header } = await tracedQueue(this.v, this.q).catch(() => nothing);
    if (outcome && !this.gone) showMetrics(this.metrics, { ...outcome, header });
  }

  drawBanner() {
    showBanner(this.banner, this.connection, {
      restart: () => this.restart(),
      retry: () => this.stream?.retry(),
    });
  }

  makeStage() {
    this.stage?.destroy();
    this.store = this.newStore();
    this.stage = createStage(this.host, {
      store: this.store,
      params: this.params,
      update: this.context.update,
      tools: [this.tools],
    });
    this.stage.viewer.setFollow(true);
    this.stage.aside.append(this.metrics);
    this.faults = faultsPanel(this.faultHost, {
      consumers: () => this.consumers(),
      focused: () => this.stage.viewer.consumer(),
      hub: this.stage.hub,
      at: () => (this.mayStrike ? { v: this.v, q: this.q } : null),
    });
    this.drawn = { odd: 0, only: null, tools: "", faults: "" };
    this.drawTools();
  }

  newStore() {
    const queues = [{ v: this.v, q: this.q, arguments: {} }];
    const header = {
      name: this.q,
      mode: /** @type {const} */ ("live"),
      tick_us: 1_000_000,
      queues,
    };
    return createStore(header, { cap: EVENTS_MAX, keep: "last" });
  }

  get mayStrike() {
    return Boolean(this.state?.queue?.faults);
  }

  /** Those that are up. */
  consumers() {
    const up = (lane) => lane.kind === "consumer" && lane.downs.at(-1)?.to !== Infinity;
    return this.store.lanes.filter(up).map((lane) => lane.name);
  }

  get quick() {
    return this.window.rate(this.window.end) > CALM;
  }

  /** Whether only anomalies are drawn: as wished, else while it goes too fast to see more. */
  get only() {
    return this.oddOnly ?? this.quick;
  }

  draw() {
    this.drawBanner();
    const limited = this.quick && this.oddOnly === null;
    showPulse(this.pulse, this.window, { consumers: this.consumers().length, limited });
    if (!this.fresh || !this.stage) return;
    const begin = performance.now();
    if (!this.frozen && begin >= this.due) {
      this.fresh = false;
      this.feed();
      this.rest(begin);
    }
    this.drawTools();
    this.drawFaults();
  }

  /** Once the browser has drawn, let it be for a while: the longer, the longer that took. */
  rest(begin) {
    requestAnimationFrame(() =>
      setTimeout(() => {
        const now = performance.now();
        this.due = now + DRAW_SHARE * (now - begin) - DRAW_MS;
      }),
    );
  }

  /** Give the diagram what is new; where a message turned out odd late, all of it again. */
  feed() {
    const { only, window, drawn } = this;
    const news = window.drain(only);
    const late = only && window.oddities !== drawn.odd;
    if (news && !late && drawn.only === only) {
      this.store.add(news);
    } else {
      this.store = this.newStore();
      this.store.add(window.events(only));
      this.stage.setStore(this.store);
    }
    Object.assign(drawn, { odd: window.oddities, only });
    this.seen = window.published;
    this.stage.draw();
  }

  drawFaults() {
    const key = [this.mayStrike, ...this.consumers()].join("\n");
    if (key === this.drawn.faults) return;
    this.drawn.faults = key;
    this.faults?.draw();
  }

  drawTools() {
    const waiting = this.frozen ? this.window.published - this.seen : 0;
    const key = `${this.frozen} ${waiting} ${this.only}`;
    if (key === this.drawn.tools) return;
    this.drawn.tools = key;
    const how = { frozen: this.frozen, waiting, only: this.only };
    showTools(this.tools, how, {
      freeze: (on) => this.freeze(on),
      only: (on) => this.setOnly(on),
      keep: () => void this.keep(),
      end: () => void this.end(),
    });
  }

  freeze(on) {
    this.frozen = on;
    this.stage.viewer.setFollow(!on);
    if (!on) this.stage.viewer.setFilter("all"); // what isn't wanted is left out before
    this.seen = this.window.published;
    this.fresh = true;
    this.drawTools();
  }

  setOnly(on) {
    this.oddOnly = on;
    this.context.update({ odd: on ? "1" : "0" });
    this.fresh = true;
    if (this.frozen) this.stage.viewer.setFilter(on ? "odd" : "all");
    this.draw();
  }

  /** Keep what was seen so far, as a run that can be named, shared and compared. */
  keep() {
    return this.attempt(async () => {
      const run = await keepTrace(this.v, this.q, this.q);
      this.context.go({ page: "run", path: [run.id] });
    });
  }

  end() {
    return this.attempt(async () => {
      await untraceQueue(this.v, this.q);
      this.context.go({ page: "live" });
    });
  }

  async attempt(act) {
    try {
      await act();
    } catch (error) {
      this.told.textContent = error.reason || text("err.0");
    }
  }

  restart() {
    this.stop();
    this.window = new LiveWindow();
    this.connection = { open: false, retry: 0, status: 0 };
    this.drawBanner();
    void this.trace();
  }

  stop() {
    this.timers.forEach(clearInterval);
    this.stream?.close();
    this.stage?.destroy();
    this.stage = this.stream = null;
  }
}
