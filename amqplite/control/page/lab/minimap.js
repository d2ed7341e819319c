// @ts-check
/** The whole trace in a strip: how much happened when, where it went wrong, and what is in sight. */

import { el, svg } from "./dom.js";

/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./scale.js").Scale} Scale */

const HEIGHT = 40;
const BIN = 3;

export class Minimap {
  /**
   * @param {Element} host
   * @param {{scrollTo: (share: number) => void}} means share: middle of what is wanted, from 0 to 1
   */
  constructor(host, means) {
    this.means = means;
    this.density = svg("path", { class: "density" });
    this.anomalies = svg("path", { class: "anomalies" });
    this.sight = svg("rect", { class: "sight", y: 1, height: HEIGHT - 2, rx: 4 });
    this.svg = svg(
      "svg",
      { height: HEIGHT, "aria-hidden": "true" },
      this.density,
      this.anomalies,
      this.sight,
    );
    this.root = el("div", { class: "dia dia-minimap", hidden: true }, this.svg);
    host.append(this.root);
    this.drawn = "";
    this.dragging = false;
    this.svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      this.dragging = true;
      this.svg.setPointerCapture(event.pointerId);
      this.go(event);
    });
    this.svg.addEventListener(
      "pointermove",
      (/** @type {PointerEvent} */ event) => this.dragging && this.go(event),
    );
    for (const end of ["pointerup", "pointercancel"])
      this.svg.addEventListener(end, () => (this.dragging = false));
  }

  /** @param {PointerEvent} event */
  go(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    this.means.scrollTo((event.clientX - left) / width);
  }

  /**
   * @param {Store} store
   * @param {Scale} scale
   * @param {{from: number, to: number}} sight shares of the whole, from 0 to 1
   * @param {string} label
   */
  draw(store, scale, sight, label) {
    const needed = sight.to - sight.from < 0.995;
    this.root.hidden = !needed;
    if (!needed) return;
    const width = Math.floor(this.root.clientWidth);
    if (!width) return;
    this.root.setAttribute("title", label);
    const drawn = `${store.version} ${width} ${scale.mode} ${scale.length}`;
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.svg.setAttribute("width", String(width));
      this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      this.density.setAttribute("d", densityPath(store, scale, width));
      this.anomalies.setAttribute("d", anomalyPath(store, scale, width));
    }
    this.sight.setAttribute("x", String(sight.from * width + 1));
    this.sight.setAttribute("width", String(Math.max(6, (sight.to - sight.from) * width - 2)));
  }
}

/** @param {Store} store @param {Scale} scale @param {number} width */
export function densityPath(store, scale, width) {
  const bins = new Uint32Array(Math.ceil(width / BIN));
  const share = bins.length / Math.max(1, scale.length);
  for (const { t } of store.events)
    bins[Math.max(0, Math.min(bins.length - 1, Math.floor(scale.px(t) * share)))] += 1;
  let most = 1;
  for (const count of bins) most = Math.max(most, count);
  let d = `M0 ${HEIGHT}`;
  bins.forEach((count, bin) => {
    const y = HEIGHT - Math.round((count / most) * (HEIGHT - 10));
    d += `L${bin * BIN} ${y}H${(bin + 1) * BIN}`;
  });
  return `${d}V${HEIGHT}z`;
}

/** @param {Store} store @param {Scale} scale @param {number} width */
function anomalyPath(store, scale, width) {
  const places = new Set(
    store.anomalies.map(({ t }) => Math.round((scale.px(t) / Math.max(1, scale.length)) * width)),
  );
  return [...places].map((x) => `M${Math.max(1, Math.min(width - 1, x))} 2v9`).join("");
}
