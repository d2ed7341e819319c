// @ts-check
/** One queue, live: its diagram, how fast it goes, and what the reader may do about it. */

import { keepTrace, liveStream, tracedQueue, traceQueue, untraceQueue } from "./api.js";
import { ask } from "./confirm.js";
import { createFaults } from "./controls.js";
import { button, el, put, svg } from "./dom.js";
import { number, text } from "./i18n.js";
import { CALM, LiveWindow } from "./live_window.js";
import { gapEvent } from "./loaded.js";
import { masthead } from "./masthead.js";
import { showMetrics } from "./metrics.js";
import { note, problem } from "./problem.js";
import { format } from "./route.js";
import { say } from "./said.js";
import { shareStream } from "./shared_stream.js";
import { listen } from "./sse.js";
import { createStage } from "./stage.js";
import { sign } from "./threads.js";
import { causeWords } from "./told.js";
import { createStore } from "./trace.js";

const DRAW_MS = 250;
/** Of the time at most one in so many parts is spent on drawing. */
const DRAW_SHARE = 6;
const ASK_MS = 5000;

export class LiveQueue {
  /** @param {any} main @param {import("./app.js").Context} context @param {string} v @param {string} q */
  constructor(main, context, v, q) {
    Object.assign(this, { main, context, v, q, params: context.route.params });
    this.window = new LiveWindow();
    this.frozen = false;
    this.due = 0;
    this.seen = 0;
    this.oddOnly = this.params.odd === undefined ? null : this.params.odd === "1";
    this.head = el("header", { class: "masthead" });
    this.banner = el("div", { class: "banner", hidden: true, role: "status" });
    this.pulse = el("div", { class: "pulse" });
    this.host = el("div", { class: "stage live" });
    this.faultHost = el("section", { class: "panel live-faults" });
    this.metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
    this.told = el("p", { class: "trouble", role: "status" });
    /** @type {any} */
    this.state = null;
    this.connection = { open: false, retry: 0, status: 0 };
  }

  begin() {
    this.context.title(this.q);
    put(this.main, this.head, this.banner, this.pulse, this.told, this.host, el("div", { class: "below" }, this.faultHost));
    this.drawHead();
    void this.trace();
    return {
      key: (event) => this.key(event),
      destroy: () => this.leave(),
    };
  }

  /** Ask for the queue to be traced, and listen. */
  async trace() {
    try {
      this.state = await traceQueue(this.v, this.q);
    } catch (error) {
      put(this.host, problem(error, () => void this.trace()));
      return;
    }
    if (this.gone) return;
    this.makeStage();
    this.stream = shareStream(`${this.v} ${this.q}`, (listener, after) => listen(liveStream(this.v, this.q), listener, { after }), {
      take: (messages) => messages.forEach((message) => this.take(message)),
      state: (state) => this.setConnection(state),
    });
    this.timer = window.setInterval(() => this.draw(), DRAW_MS);
    this.asker = window.setInterval(() => void this.askOutcome(), ASK_MS);
  }

  /** @param {import("./shared_stream.js").Message} message */
  take({ event, data }) {
    if (event === "gap") {
      this.window.take(gapEvent(JSON.parse(data), { end: this.window.end }));
    } else if (event === "trace") {
      this.window.take(JSON.parse(data));
    } else if (event === "state") {
      this.state = JSON.parse(data);
      if (!this.state.on) this.over();
    }
    this.fresh = true;
  }

  /** It is traced no longer, by somebody's wish or for nobody looked. */
  over() {
    this.stream?.close();
    this.setConnection({ open: false, retry: Infinity, status: 0 });
  }

  async askOutcome() {
    if (document.hidden || this.frozen || retired(this.connection)) return;
    const { outcome, header } = await tracedQueue(this.v, this.q).catch(() => ({ outcome: null, header: null }));
    if (outcome && !this.gone) showMetrics(this.metrics, { ...outcome, header });
  }

  setConnection(state) {
    const back = state.open && !this.connection.open && this.connection.status !== undefined && this.connection.retry;
    this.connection = state;
    if (back) say(text("live.back"));
    this.drawBanner();
  }

  drawBanner() {
    const { open, retry, status } = this.connection;
    this.banner.hidden = open || (!retry && !status);
    if (this.banner.hidden) return;
    if (retry === Infinity) {
      put(this.banner, text("live.over"), " ", button(text("live.trace"), () => this.restart(), { class: "main" }));
      return;
    }
    const left = Math.max(0, Math.ceil((retry - Date.now()) / 1000));
    put(this.banner, text("live.broken", { n: left }), " ", button(text("live.retry"), () => this.stream?.retry()));
  }

  restart() {
    this.stop();
    this.window = new LiveWindow();
    void this.trace();
  }

  makeStage() {
    this.stage?.destroy();
    this.store = this.newStore();
    this.tools = el("div", { class: "row" });
    this.stage = createStage(this.host, {
      store: this.store, params: this.params, update: this.context.update, tools: [this.tools],
    });
    this.stage.viewer.setFollow(true);
    this.stage.aside.append(this.metrics);
    const faults = el("div", { class: "faults" });
    put(this.faultHost, el("h2", {}, text("fault.title")), faults, this.optIn = el("p", { class: "quiet" }));
    this.faults = createFaults(faults, {
      consumers: () => this.consumers(), focused: () => this.stage.viewer.consumer(), hub: this.stage.hub, at: () => (this.state?.queue?.faults ? { v: this.v, q: this.q } : null), ask,
    });
    this.drawTools();
  }

  newStore() {
    const queues = [{ v: this.v, q: this.q, arguments: {} }];
    return createStore({ name: this.q, mode: "live", tick_us: 1_000_000, queues }, { cap: 6000, keep: "last" });
  }

  consumers() {
    const lanes = this.store?.lanes ?? [];
    return lanes.filter((lane) => lane.kind === "consumer" && lane.downs.at(-1)?.to !== Infinity).map((lane) => lane.name);
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
    this.drawPulse();
    if (!this.fresh || !this.stage) return;
    if (this.frozen) {
      this.drawTools();
      return;
    }
    const begin = performance.now();
    if (begin < this.due) return;
    this.fresh = false;
    this.feed();
    requestAnimationFrame(() => setTimeout(() => {
      this.due = performance.now() + DRAW_SHARE * (performance.now() - begin) - DRAW_MS;
    }));
    this.drawTools();
    this.drawFaults();
  }

  /** Give the diagram what is new; where a message turned out odd late, all of it again. */
  feed() {
    const only = this.only;
    const known = this.window.odd.size;
    const again = only && (known !== this.known || this.drawnOnly !== only);
    const events = this.window.events(only);
    [this.known, this.seen] = [known, this.window.published];
    if (again || this.drawnOnly !== only) {
      this.store = this.newStore();
      this.store.add(events);
      this.stage.setStore(this.store);
    } else {
      this.store.add(events.filter(({ n }) => n > this.store.lastN));
    }
    this.drawnOnly = only;
    this.stage.draw();
  }

  drawFaults() {
    const may = Boolean(this.state?.queue?.faults);
    const key = [may, ...this.consumers()].join("\n");
    if (key === this.aimed) return;
    this.aimed = key;
    this.faults.draw();
    this.optIn.textContent = may ? "" : text("fault.optin");
  }

  drawHead() {
    masthead(this.head, {
      crumb: { href: format({ page: "live" }), label: text("nav.live") }, title: this.q, mode: "live", small: true,
      facts: [el("span", { class: "quiet" }, text("live.in", { v: this.v }))],
    });
  }

  drawTools() {
    const waiting = this.window.published - this.seen;
    const label = this.frozen ? text("live.thaw") : text("live.freeze");
    const key = `${label} ${this.frozen && waiting} ${this.only}`;
    if (key === this.toolsDrawn) return;
    this.toolsDrawn = key;
    put(
      this.tools,
      this.frozen && waiting > 0 && button(text("live.new", { n: number(waiting) }), () => this.freeze(false), { class: "chip" }),
      button(label, () => this.freeze(!this.frozen), { "aria-pressed": String(this.frozen) }),
      button(text("live.odd"), () => this.setOnly(!this.only), { "aria-pressed": String(this.only), title: text("live.odd.note") }),
      button(text("live.keep"), () => void this.keep(), { title: text("live.keep.note") }),
      button(text("live.stop"), () => void this.end(), { class: "plain" }),
    );
  }

  freeze(on) {
    this.frozen = on;
    this.stage.viewer.setFollow(!on);
    this.seen = this.window.published;
    this.fresh = true;
    this.drawTools();
  }

  setOnly(on) {
    this.oddOnly = on;
    this.context.update({ odd: on ? "1" : "0" });
    this.fresh = true;
    if (!this.frozen) this.draw();
  }

  /** How fast it goes, and whether all is in order. */
  drawPulse() {
    const { completed, reordered, causes, end } = this.window;
    const worst = Object.entries(causes).sort((a, b) => b[1] - a[1])[0]?.[0];
    const verdict = reordered
      ? text("live.disorder", { n: number(reordered), of: number(completed), cause: causeWords(worst) })
      : completed ? text("live.order", { n: number(completed), of: number(completed) }) : text(this.consumers().length ? "live.waiting" : "empty.noc");
    put(
      this.pulse,
      bars(this.window.density(end)),
      el("p", { class: "number rate" }, el("b", {}, number(Math.round(this.window.rate(end)))), " ", text("live.rate")),
      el("p", { class: reordered ? "trouble" : completed ? "fine" : "quiet" },
        completed > 0 && sign(reordered > 0), verdict,
        completed > 0 && !reordered && el("span", { class: "quiet" }, " ", text("live.order.note"))),
      this.only && this.quick && this.oddOnly === null && note(text("live.quick", { n: CALM })),
    );
  }

  key(event) {
    if (this.stage?.key(event)) return true;
    return this.faults?.key(event) ?? false;
  }

  /** What was seen so far, as a run that can be named, shared and compared. */
  async keep() {
    try {
      const run = await keepTrace(this.v, this.q, this.q);
      this.context.go({ page: "run", path: [run.id] });
    } catch (error) {
      this.told.textContent = error.reason || text("err.0");
    }
  }

  async end() {
    await untraceQueue(this.v, this.q).catch(() => {});
    this.context.go({ page: "live" });
  }

  stop() {
    clearInterval(this.timer);
    clearInterval(this.asker);
    this.stream?.close();
    this.stage?.destroy();
    this.stage = this.stream = null;
  }

  leave() {
    this.gone = true;
    this.stop();
  }
}

const retired = (connection) => connection.retry === Infinity;

/** Messages by half seconds, oldest left; what something befell stands out. */
function bars(density) {
  const most = Math.max(1, ...density.map(({ all }) => all));
  const [step, height] = [4, 36];
  return svg("svg", { class: "bars", viewBox: `0 0 ${density.length * step} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" },
    density.map(({ all, odd }, at) => {
      const h = all ? Math.max(2, (all / most) * height) : 1;
      return svg("rect", { class: odd ? "odd" : all ? "even" : "none", x: at * step, y: height - h, width: step - 1, height: h });
    }));
}
