// @ts-check
/** What stands above a live diagram: what became of its stream, and what may be done with it. */

import { ask } from "./confirm.js";
import { createFaults } from "./controls.js";
import { button, el, put } from "./dom.js";
import { number, text } from "./i18n.js";

/**
 * @param {any} host shown only while there is something to say
 * @param {{open: boolean, retry: number, status: number}} connection
 * @param {{restart: () => void, retry: () => void}} actions
 */
export function showBanner(host, { open, retry, status }, actions) {
  host.hidden = open || (!retry && !status);
  if (host.hidden) return;
  if (retry === Infinity) {
    put(host, text("live.over"), button(text("live.trace"), actions.restart, { class: "main" }));
    return;
  }
  const left = Math.max(0, Math.ceil((retry - Date.now()) / 1000));
  put(host, text("live.broken", { n: left }), button(text("live.retry"), actions.retry));
}

/**
 * Buttons; the one that has the focus keeps it.
 *
 * @param {any} host
 * @param {{frozen: boolean, waiting: number, only: boolean}} how waiting: messages that came since
 *   it was frozen; only: just anomalies are drawn
 * @param {{freeze: (on: boolean) => void, only: (on: boolean) => void, keep: () => void,
 *   end: () => void}} actions
 */
export function showTools(host, { frozen, waiting, only }, actions) {
  const focused = document.activeElement?.id ?? "";
  put(
    host,
    waiting > 0 &&
      button(text("live.new", { n: number(waiting) }), () => actions.freeze(false), {
        id: "live-new",
        class: "chip",
      }),
    button(text(frozen ? "live.thaw" : "live.freeze"), () => actions.freeze(!frozen), {
      id: "live-freeze",
      "aria-pressed": String(frozen),
    }),
    button(text("live.odd"), () => actions.only(!only), {
      id: "live-odd",
      "aria-pressed": String(only),
      title: text("live.odd.note"),
    }),
    button(text("live.keep"), actions.keep, { id: "live-keep", title: text("live.keep.note") }),
    button(text("live.stop"), actions.end, { id: "live-stop", class: "plain" }),
  );
  if (focused.startsWith("live-")) document.getElementById(focused)?.focus();
}

/**
 * Faults on real clients, each to be confirmed, where their queue allows any.
 *
 * @param {any} host
 * @param {{consumers: () => string[], focused: () => string, hub: any, at: () => object | null}} how
 */
export function faultsPanel(host, how) {
  const buttons = el("div", { class: "faults" });
  const consent = el("p", { class: "quiet" });
  put(host, el("h2", {}, text("fault.title")), buttons, consent);
  const faults = createFaults(buttons, { ...how, ask });
  const draw = () => {
    faults.draw();
    consent.textContent = how.at() ? "" : text("fault.optin");
  };
  draw();
  return { ...faults, draw };
}
