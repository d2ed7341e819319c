// @ts-check
/** What keys do. */

import { alongTime } from "./highlight.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @type {Record<string, (viewer: Viewer) => void>} */
const ANYWHERE = {
  " ": (viewer) => viewer.player.toggle(),
  ArrowRight: (viewer) => viewer.player.step(1),
  ArrowLeft: (viewer) => viewer.player.step(-1),
  "shift ArrowRight": (viewer) => viewer.player.stepMessage(1),
  "shift ArrowLeft": (viewer) => viewer.player.stepMessage(-1),
  Home: (viewer) => viewer.player.start(),
  End: (viewer) => viewer.player.end(),
};

/** @type {Record<string, (viewer: Viewer) => void>} */
const LETTERS = {
  n: (viewer) => viewer.player.stepAnomaly(1),
  p: (viewer) => viewer.player.stepAnomaly(-1),
  "+": (viewer) => viewer.zoom(1),
  "=": (viewer) => viewer.zoom(1),
  "-": (viewer) => viewer.zoom(-1),
  0: (viewer) => viewer.zoom(0),
  a: (viewer) => viewer.pan(-1),
  d: (viewer) => viewer.pan(1),
  v: (viewer) => viewer.flip(),
  s: (viewer) => viewer.nextScale(),
};

/**
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 * @returns {boolean} whether the key means something here
 */
export function steer(viewer, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (event.key === "Escape") return release(viewer);
  const inside = viewer.painter.drawing.root.contains(document.activeElement);
  if (inside && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    return changeLane(viewer, event.key === "ArrowDown" ? 1 : -1);
  }
  const name = event.shiftKey && event.key.startsWith("Arrow") ? `shift ${event.key}` : event.key;
  const act = ANYWHERE[name] ?? (viewer.letters ? LETTERS[name] : undefined);
  act?.(viewer);
  return act !== undefined;
}

/** @param {Viewer} viewer */
function release(viewer) {
  if (!viewer.pinned && !viewer.hovered) return false;
  viewer.hovered = null;
  viewer.select(null, true);
  return true;
}

/**
 * To what is nearest in time on the next lane, or the one before.
 * @param {Viewer} viewer
 * @param {1 | -1} by
 */
function changeLane(viewer, by) {
  const { drawing, frame } = viewer.painter;
  const here = drawing.marks.get(viewer.pointing.current);
  if (!here || !frame) return false;
  const lanes = [...frame.strips.keys()];
  const marks = alongTime([...drawing.marks.values()].filter((mark) => mark.name));
  for (let k = lanes.indexOf(here.lane) + by; k >= 0 && k < lanes.length; k += by) {
    const there = marks.filter((mark) => mark.lane === lanes[k]);
    if (!there.length) continue;
    const apart = (/** @type {import("./types.js").Mark} */ mark) => Math.abs(mark.t - here.t);
    viewer.pointing.focus(there.reduce((best, mark) => (apart(mark) < apart(best) ? mark : best)).key);
    return true;
  }
  return true;
}
