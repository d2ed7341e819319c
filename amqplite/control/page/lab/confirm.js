// @ts-check
/** A question before something that touches others. */

import { button, el } from "./dom.js";
import { text } from "./i18n.js";

/** @param {string} words @returns {Promise<boolean>} whether the reader is sure */
export function ask(words) {
  return new Promise((resolve) => {
    let sure = false;
    const answer = (value) => {
      sure = value;
      dialog.close();
    };
    const dialog = el(
      "dialog",
      { class: "confirm", "aria-label": words },
      el("p", {}, words),
      el(
        "p",
        { class: "row end" },
        button(text("confirm.no"), () => answer(false), { autofocus: true }),
        button(text("confirm.yes"), () => answer(true), { class: "main" }),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(sure);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
