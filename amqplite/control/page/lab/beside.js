// @ts-check
/** What goes with each drawing of the diagram: the focus, the minimap, names, notices, the narrator. */

import { alongTime } from "./highlight.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./core.js").Core} Core */

/** What has the focus may go, but the focus stays in the diagram. @param {any} root @param {Mark[]} marks */
export function keepFocus(root, marks) {
  const focused = document.activeElement;
  if (!focused || focused === root || !root.contains(focused)) return;
  const key = focused.getAttribute("data-key");
  if (!marks.some((mark) => mark.key === key)) root.focus({ preventScroll: true });
}

/** The focus goes where the playhead went. @param {Core} core @param {Mark[]} marks */
export function takeFocus(core, marks) {
  const { event } = core.player;
  if (!core.refocus || !event) return;
  core.refocus = false;
  const named = marks.filter((mark) => mark.name);
  const about = named.filter((mark) => mark.ns.includes(event.n));
  const same = named.filter((mark) => event.m && mark.ms.includes(event.m) && mark.t <= event.t);
  const next = about.at(-1) ?? alongTime(same).at(-1);
  if (next) core.pointing.focus(next.key);
}

/** @param {Core} core @param {Mark[]} marks */
export function drawBeside({ painter, store, words, options, minimap }, marks) {
  const { viewport, frame, drawing, notice } = painter;
  if (!viewport || !frame) return;
  const { text } = options;
  const { scroll, length, lead, view } = viewport;
  const all = length <= view - lead + 1;
  const seen = all
    ? { from: 0, to: 1 }
    : { from: scroll / length, to: Math.min(1, (scroll + view - lead) / length) };
  minimap?.draw(store, viewport.scale, seen, text("ctl.overview"));
  const lanes = [...frame.strips.values()]
    .map(({ lane }) => lane.name || text(`lane.${lane.kind}`))
    .join(", ");
  drawing.root.setAttribute("aria-label", text("dia.label", { lanes }));
  drawing.root.setAttribute("aria-description", text("dia.hint"));
  drawing.root.classList.toggle("empty", marks.length === 0);
  const notices = [
    store.left && !store.live ? words.text("cap.run", { n: store.left, cap: store.cap }) : "",
    painter.dense ? words.text("cap.dense") : "",
  ];
  notice.textContent = notices.join(" ").trim();
  notice.hidden = !notice.textContent;
}

/** @param {Core} core */
export function narrate({ player, words, narrator, store }) {
  if (!narrator) return;
  const { event } = player;
  if (player.atEnd) narrator.say("", words.text("dia.hint"), false, false);
  else if (!event) narrator.say("", words.text("say.start"), true, false);
  else {
    const bad = store.anomalies.some(({ n }) => n === event.n);
    narrator.say(words.clock(event.t), words.say(event), true, bad);
  }
}
