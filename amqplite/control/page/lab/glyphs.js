// @ts-check
/** Small signs, as paths around a point. */

import { round } from "./frame.js";

/** @typedef {import("./types.js").Shape} Shape */

/**
 * @param {Shape["tag"]} tag
 * @param {string} cls
 * @param {Shape["at"]} at
 * @param {string} [text]
 * @returns {Shape}
 */
export const shape = (tag, cls, at, text) => ({ tag, cls, at, text });

/** @param {string} d @param {string} cls */
export const path = (d, cls) => shape("path", cls, { d });

/** @param {number} x @param {number} y @param {number} r @param {string} cls */
export const circle = (x, y, r, cls) => shape("circle", cls, { cx: round(x), cy: round(y), r });

/**
 * Words around a point; `size` is the font's.
 * @param {string} text @param {number} x @param {number} y @param {number} size @param {string} cls
 */
export function words(text, x, y, size, cls) {
  return shape("text", cls, { x: round(x), y: round(y + size * 0.36), "font-size": size }, text);
}

/** @param {number} x @param {number} y @param {number} r */
export function tickDisc(x, y, r) {
  const tick = `M${round(x - r * 0.44)} ${round(y + r * 0.04)}l${round(r * 0.34)} ${round(r * 0.38)} ${round(r * 0.58)} ${round(-r * 0.8)}`;
  return [circle(x, y, r, "disc"), path(tick, "tick")];
}

/** A bold ✕ with a casing. @param {number} x @param {number} y @param {number} r */
export function cross(x, y, r) {
  const d = `M${round(x - r)} ${round(y - r)}l${2 * r} ${2 * r}M${round(x + r)} ${round(y - r)}l${-2 * r} ${2 * r}`;
  return [path(d, "casing"), path(d, "cross")];
}

/** Given back: an arrow that turns round, in a disc. @param {number} x @param {number} y @param {number} r */
export function turnDisc(x, y, r) {
  const k = r * 0.5;
  const d = `M${round(x + k)} ${round(y + k * 0.9)}v${round(-k)}a${round(k * 0.8)} ${round(k * 0.8)} 0 0 0 ${round(-k * 0.8)} ${round(-k * 0.8)}h${round(-k)}m${round(k * 0.7)} ${round(-k * 0.7)}l${round(-k * 0.75)} ${round(k * 0.7)} ${round(k * 0.75)} ${round(k * 0.7)}`;
  return [circle(x, y, r, "disc bad"), path(d, "turn")];
}

/** @param {number} x @param {number} y @param {number} r */
export function diamond(x, y, r) {
  return `M${round(x)} ${round(y - r)}l${r} ${r} ${-r} ${r} ${-r} ${-r}z`;
}

/** @param {number} x @param {number} y @param {number} r */
export function hourglass(x, y, r) {
  const d = `M${round(x - r)} ${round(y - r)}h${2 * r}l${-2 * r} ${2 * r}h${2 * r}z`;
  return [circle(x, y, r * 1.7, "disc bad"), path(d, "glass")];
}

/** @param {number} x @param {number} y @param {number} r */
export function key(x, y, r) {
  const d = `M${round(x)} ${round(y)}h${round(r * 1.9)}v${round(r * 0.7)}m${round(-r * 0.6)} ${round(-r * 0.7)}v${round(r * 0.5)}`;
  return [circle(x - r * 0.6, y, round(r * 0.6), "key"), path(d, "key")];
}

/** @param {number} x @param {number} y foot of the pole @param {number} high */
export function flag(x, y, high) {
  const pole = `M${round(x)} ${round(y)}v${-high}`;
  const cloth = `M${round(x)} ${round(y - high)}l13 5 -13 5z`;
  return [path(pole, "pole"), path(cloth, "cloth")];
}

/** Warning: a triangle with a stroke. @param {number} x @param {number} y @param {number} r */
export function warning(x, y, r) {
  const d = `M${round(x)} ${round(y - r)}l${round(r * 1.05)} ${round(r * 1.85)}h${round(-r * 2.1)}z`;
  return [
    path(d, "warning"),
    path(`M${round(x)} ${round(y - r * 0.3)}v${round(r * 0.55)}m0 ${round(r * 0.22)}v1`, "stroke"),
  ];
}

/**
 * The head of an arrow that comes to (x2, y2) from (x1, y1).
 * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {number} long
 */
export function arrowHead(x1, y1, x2, y2, long) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - ux * long, y2 - uy * long];
  const half = long * 0.42;
  return `M${round(x2)} ${round(y2)}L${round(bx - uy * half)} ${round(by + ux * half)}L${round(bx + uy * half)} ${round(by - ux * half)}z`;
}
