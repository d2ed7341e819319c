// @ts-check
/** How fast a live queue goes, and whether all of it is in order. */

import { el, put, svg } from "./dom.js";
import { number, text } from "./i18n.js";
import { CALM } from "./live_window.js";
import { note } from "./problem.js";
import { sign } from "./threads.js";
import { causeWords } from "./told.js";

/**
 * @param {any} host
 * @param {import("./live_window.js").LiveWindow} window
 * @param {{consumers: number, limited: boolean}} how limited: only anomalies are drawn, for the pace
 */
export function showPulse(host, window, { consumers, limited }) {
  put(
    host,
    bars(window.density(window.end)),
    el(
      "p",
      { class: "number rate" },
      el("b", {}, number(Math.round(window.rate(window.end)))),
      " ",
      text("live.rate"),
    ),
    verdict(window, consumers),
    limited && note(text("live.quick", { n: CALM })),
  );
}

function verdict({ completed, reordered, causes }, consumers) {
  const counts = { n: number(completed), of: number(completed) };
  if (!completed)
    return el("p", { class: "quiet" }, text(consumers ? "live.waiting" : "empty.noc"));
  if (!reordered) {
    const hint = el("span", { class: "quiet" }, " ", text("live.order.note"));
    return el("p", { class: "fine" }, sign(false), text("live.order", counts), hint);
  }
  const [worst] = Object.entries(causes).sort(([, a], [, b]) => b - a)[0];
  const slots = { ...counts, n: number(reordered), cause: causeWords(worst) };
  return el("p", { class: "trouble" }, sign(true), text("live.disorder", slots));
}

const [STEP, HEIGHT] = [4, 36];

/** Messages by half seconds, oldest left; what something befell stands out. */
function bars(density) {
  const most = Math.max(1, ...density.map(({ all }) => all));
  const bar = ({ all, odd }, at) => {
    const height = all ? Math.max(2, (all / most) * HEIGHT) : 1;
    const kind = odd ? "odd" : all ? "even" : "none";
    return svg("rect", { class: kind, x: at * STEP, y: HEIGHT - height, width: STEP - 1, height });
  };
  const viewBox = `0 0 ${density.length * STEP} ${HEIGHT}`;
  return svg(
    "svg",
    { class: "bars", viewBox, "aria-hidden": "true", preserveAspectRatio: "none" },
    density.map(bar),
  );
}
