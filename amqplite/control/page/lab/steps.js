// @ts-check
/** The four steps of a lesson, as links to where one is in it. */

import { el } from "./dom.js";
import { text } from "./i18n.js";

/** @typedef {"predict"|"run"|"why"|"fix"} Step */

/** @type {Step[]} */
export const STEPS = ["predict", "run", "why", "fix"];

/** Which step an address means. @param {Record<string, string>} params @returns {Step} */
export function stepOf({ step, sel, t }) {
  const named = STEPS.find((one) => one === step);
  return named ?? (sel || t ? "run" : "predict");
}

/** The links stay the same elements, so that the focus stays on them. */
export function createSteps() {
  const links = STEPS.map((step, at) =>
    el(
      "a",
      {},
      el("span", { class: "digit", "aria-hidden": "true" }, at + 1),
      text(`step.${step}`),
    ),
  );
  const list = el(
    "ol",
    {},
    links.map((link) => el("li", {}, link)),
  );
  return {
    root: el("nav", { class: "steps", "aria-label": text("step.title") }, list),
    /** @param {Step} current @param {(step: Step) => string} address */
    draw(current, address) {
      STEPS.forEach((step, at) => {
        links[at].href = address(step);
        if (step === current) links[at].setAttribute("aria-current", "step");
        else links[at].removeAttribute("aria-current");
      });
    },
    /** @param {Step} step */
    focus: (step) => links[STEPS.indexOf(step)].focus({ preventScroll: true }),
  };
}
