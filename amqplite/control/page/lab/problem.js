// @ts-check
/** What went wrong, and what to do about it. */

import { ApiError } from "./api.js";
import { button, el } from "./dom.js";
import { text } from "./i18n.js";

const KNOWN = new Set([0, 401, 403, 404, 410, 429, 503]);

/**
 * @param {unknown} error
 * @param {() => void} again try once more
 * @param {"h1" | "h2"} [heading] h1 where there is no other on the page
 */
export function problem(error, again, heading = "h2") {
  const status = error instanceof ApiError ? error.status : -1;
  const key = KNOWN.has(status) ? `err.${status}` : status < 0 ? "err.page" : "err.other";
  const reason = error instanceof Error ? error.message : String(error);
  return el(
    "section",
    { class: "problem", role: "alert" },
    el(heading, {}, text(`${key}.title`)),
    el("p", { class: "lede" }, text(key)),
    reason && status !== 0 ? el("p", { class: "quiet mono" }, reason) : null,
    el(
      "p",
      { class: "row" },
      button(text(status === 401 ? "err.login" : "err.again"), again, { class: "main" }),
      el("a", { class: "button", href: "#/" }, text("nav.scenarios")),
    ),
  );
}

/** Why something did not work, in a line. @param {any} error */
export const causeOf = (error) =>
  error instanceof ApiError ? error.reason || text("err.0.title") : text("exp.failed");

/** A quiet note with what may be done. @param {string} words @param {...any} actions */
export const note = (words, ...actions) =>
  el(
    "div",
    { class: "note" },
    el("p", {}, words),
    actions.length ? el("p", { class: "row" }, actions) : null,
  );
