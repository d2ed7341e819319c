// @ts-check
/** What the keys do. */

import { button, el } from "./dom.js";
import { text } from "./i18n.js";
import { KEY_MAP, lettersOn } from "./keys.js";
import { keep } from "./prefs.js";

/** Show the help over the page; Esc closes it. */
export function openHelp() {
  const dialog = el(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, text("help.title")),
    el(
      "div",
      { class: "keymap" },
      KEY_MAP.map(([title, keys]) => group(title, keys)),
    ),
    letters(),
    el(
      "p",
      { class: "row end" },
      button(text("help.close"), () => dialog.close(), { class: "main", autofocus: true }),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

function group(title, keys) {
  const lines = keys.flatMap(([names, key]) => [
    el(
      "dt",
      {},
      names.split(" ").map((name) => (name === "…" ? " … " : el("kbd", {}, name))),
    ),
    el("dd", {}, text(key)),
  ]);
  return el("section", {}, el("h3", {}, text(title)), el("dl", {}, lines));
}

/** Single letters get in the way of those who speak to their computer. */
function letters() {
  const box = el("input", { type: "checkbox", checked: lettersOn() });
  box.addEventListener("change", () => {
    keep("letters", box.checked);
    document.dispatchEvent(new CustomEvent("lab:letters", { detail: box.checked }));
  });
  return el("label", { class: "check" }, box, text("help.letters"));
}
