// @ts-check
/** The play bar: buttons, a slider over the whole trace, speed and zoom. */

import { el, put, svg } from "./dom.js";
import { SPEEDS } from "./player.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./trace.js").Store} Store */

const ICONS = {
  previous: "M5 4v12M16 4.6v10.8L8 10z",
  back: "M13.5 4.6v10.8L5.5 10z",
  play: "M6 3.8v12.4L16 10z",
  pause: "M6 4h3v12H6zM11.5 4h3v12h-3z",
  step: "M6.5 4.6v10.8l8-5.4z",
  next: "M15 4v12M4 4.6v10.8l8-5.4z",
  out: "M4.5 10h11",
  in: "M4.5 10h11M10 4.5v11",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
};

const SIGNS = new Map([
  [0.25, "¼"],
  [0.5, "½"],
]);
/** Steps of the slider. */
const FINE = 2000;

/** @param {keyof typeof ICONS} name */
function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
    svg("path", { d: ICONS[name], class: `icon ${name}` }),
  );
}

export class PlayBar {
  /**
   * @param {Element} host
   * @param {{
   *   text: import("./types.js").Text, player: Player, zoom: (by: -1 | 0 | 1) => void,
   *   place: (t: number) => number, time: (place: number) => number,
   * }} means place: how far along `t` is, from 0 to 1, and back
   */
  constructor(host, means) {
    this.means = means;
    const { player } = means;
    /** @type {Map<Element, string>} */
    this.named = new Map();
    this.toggle = this.button("play", "ctl.play", () => player.toggle(), "main");
    this.slider = el("input", {
      type: "range",
      class: "dia-slider",
      min: 0,
      max: FINE,
      step: 1,
      value: FINE,
      on: { input: () => this.slide() },
    });
    this.named.set(this.slider, "ctl.time");
    this.ticks = svg(
      "svg",
      { class: "dia-anomalies", preserveAspectRatio: "none", viewBox: "0 0 1000 10", "aria-hidden": "true" },
      svg("path", {}),
    );
    this.clock = el("output", { class: "dia-clock" });
    this.speeds = el("div", { class: "dia-speeds", role: "group" });
    this.named.set(this.speeds, "ctl.speed");
    this.root = el(
      "div",
      { class: "dia dia-bar" },
      el(
        "div",
        { class: "dia-buttons" },
        this.button("previous", "ctl.previous", () => player.stepAnomaly(-1)),
        this.button("back", "ctl.back", () => player.step(-1)),
        this.toggle,
        this.button("step", "ctl.step", () => player.step(1)),
        this.button("next", "ctl.next", () => player.stepAnomaly(1)),
      ),
      el("div", { class: "dia-track" }, this.ticks, this.slider),
      this.clock,
      this.speeds,
      el(
        "div",
        { class: "dia-buttons" },
        this.button("out", "ctl.out", () => means.zoom(-1)),
        this.button("fit", "ctl.fit", () => means.zoom(0)),
        this.button("in", "ctl.in", () => means.zoom(1)),
      ),
    );
    for (const speed of SPEEDS) {
      this.speeds.append(
        el(
          "button",
          {
            type: "button",
            class: "dia-button",
            "data-speed": speed,
            on: { click: () => player.setSpeed(speed) },
          },
          SIGNS.get(speed) ?? String(speed),
        ),
      );
    }
    host.append(this.root);
    this.drawn = "";
    this.retell();
  }

  /** @param {keyof typeof ICONS} name @param {string} key @param {() => void} press @param {string} [cls] */
  button(name, key, press, cls = "") {
    const made = el(
      "button",
      { type: "button", class: `dia-button ${cls}`.trim(), on: { click: press } },
      icon(name),
    );
    this.named.set(made, key);
    return made;
  }

  retell() {
    for (const [element, key] of this.named) {
      const words = this.means.text(key);
      element.setAttribute("aria-label", words);
      if (element !== this.speeds && element !== this.slider) element.setAttribute("title", words);
    }
    this.drawn = "";
  }

  slide() {
    const share = Number(this.slider.value) / FINE;
    this.means.player.pause();
    if (share >= 1) this.means.player.end();
    else this.means.player.seek(this.means.time(share));
  }

  /** @param {Store} store @param {import("./words.js").Words} words */
  draw(store, words) {
    const { player, text, place } = this.means;
    const { shown } = player;
    const at = player.atEnd ? 1 : Math.max(0, Math.min(1, place(player.t)));
    const drawn = JSON.stringify([player.playing, player.speed, shown, at, store.version]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const key = player.playing ? "ctl.pause" : "ctl.play";
    this.toggle.setAttribute("aria-label", text(key));
    this.toggle.setAttribute("title", text(key));
    put(this.toggle, icon(player.playing ? "pause" : "play"));
    const clock = words.clock(player.atEnd ? store.end : player.t);
    this.slider.value = String(Math.round(at * FINE));
    this.slider.style.setProperty("--at", `${(at * 100).toFixed(2)}%`);
    this.slider.setAttribute(
      "aria-valuetext",
      `${clock}, ${text("ctl.event", { k: shown, n: store.events.length })}`,
    );
    put(this.clock, clock);
    for (const button of this.speeds.children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.speed) === player.speed));
    }
    const places = new Set(store.anomalies.map((event) => Math.round(place(event.t) * 1000)));
    this.ticks.firstChild.setAttribute("d", [...places].map((x) => `M${x} 0v10`).join(""));
  }
}
