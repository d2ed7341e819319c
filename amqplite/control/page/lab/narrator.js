// @ts-check
/** Says what happens at the playhead: to be read at once, and spoken no more than once a second. */

import { el } from "./dom.js";

const APART_MS = 1000;

export class Narrator {
  /** @param {Element} host */
  constructor(host) {
    this.line = el("p", { class: "dia-said" });
    this.spoken = el("p", { class: "dia-unseen", role: "status", "aria-live": "polite" });
    this.root = el("div", { class: "dia dia-narrator" }, this.line, this.spoken);
    host.append(this.root);
    this.words = "";
    this.last = -Infinity;
    this.timer = 0;
  }

  /** @param {string} when @param {string} words @param {boolean} aloud @param {boolean} bad */
  say(when, words, aloud, bad) {
    const all = `${when} ${words}`.trim();
    if (all === this.words) return;
    this.words = all;
    this.line.replaceChildren(...(when ? [el("b", {}, when), " "] : []), words);
    this.line.classList.toggle("bad", bad);
    this.line.classList.toggle("hint", !aloud);
    if (aloud) this.speak();
  }

  speak() {
    if (this.timer) return;
    const wait = Math.max(0, this.last + APART_MS - performance.now());
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.last = performance.now();
      this.spoken.textContent = this.words;
    }, wait);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}
