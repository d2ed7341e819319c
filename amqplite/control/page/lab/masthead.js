// @ts-check
/** What stands above a run: what it is, and what kind of truth it has. */

import { button, el, put } from "./dom.js";
import { text } from "./i18n.js";

/** Words by a trace's mode. */
const BADGES = { exact: "scen", real: "scen", live: "live", imported: "rec", simulated: "sim" };

/** What kind of run it is, in a word and a line. @param {string} mode */
export const badge = (mode) => {
  const kind = BADGES[mode] ?? "rec";
  return el(
    "span",
    { class: `badge badge-${kind}`, title: text(`badge.${kind}.note`) },
    text(`badge.${kind}`),
  );
};

/** The kind of a run that is kept: what was live then is a recording now. */
export const keptMode = ({ header }) => (header.mode === "live" ? "imported" : header.mode);

/**
 * @param {any} host
 * @param {{
 *   crumb: {href: string, label: string}, title: any, lede?: string, mode?: string, run?: any,
 *   facts?: any[], small?: boolean,
 * }} options small: what follows is what matters
 */
export function masthead(host, { crumb, title, lede, mode, run, facts = [], small = false }) {
  const seed = run?.header.seed;
  host.classList.toggle("small", small);
  put(
    host,
    el("p", { class: "crumb" }, el("a", { href: crumb.href }, "← ", crumb.label)),
    el("h1", {}, title),
    lede && !small && el("p", { class: "lede" }, lede),
    el(
      "p",
      { class: "row facts-line" },
      mode && badge(mode),
      seed !== undefined &&
        mode !== "live" &&
        el("span", { class: "quiet number" }, text("run.seed", { n: seed })),
      facts,
    ),
  );
}

/** Exact or real. @param {string} mode @param {(mode: string) => void} set @param {() => void} again */
export function modeSwitch(mode, set, again) {
  const one = (name) =>
    button(text(`mode.${name}`), () => set(name), { "aria-pressed": String(mode === name) });
  return el(
    "div",
    { class: "mode" },
    el(
      "div",
      { class: "row" },
      el(
        "div",
        { class: "segments", role: "group", "aria-label": text("mode.title") },
        one("exact"),
        one("real"),
      ),
      button(text("run.again"), again),
    ),
    el("p", { class: "quiet" }, text(`mode.${mode}.note`)),
  );
}
