// @ts-check
/** The keyboard: which keys do what, and who hears them first. */

import { openHelp } from "./help.js";
import { kept } from "./prefs.js";

/** Groups of `[keys, text]` for the help; what the diagram and the views do with them is theirs. */
export const KEY_MAP = [
  [
    "help.play",
    [
      ["Space", "help.toggle"],
      ["← →", "help.step"],
      ["Shift ← →", "help.message"],
      ["N P", "help.anomaly"],
      ["Home End", "help.ends"],
    ],
  ],
  [
    "help.look",
    [
      ["+ − 0", "help.zoom"],
      ["A D", "help.pan"],
      ["V", "help.flip"],
      ["S", "help.scale"],
      ["↑ ↓", "help.lanes"],
      ["Enter", "help.pin"],
      ["Esc", "help.clear"],
    ],
  ],
  [
    "help.go",
    [
      ["L", "help.list"],
      ["W", "help.why"],
      ["C", "help.compare"],
      ["F", "help.fork"],
      ["/", "help.search"],
      ["Y", "help.share"],
      ["?", "help.help"],
    ],
  ],
  ["help.faults", [["1 … 6", "help.strike"]]],
];

const TYPED = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select";

/** Whether letters without a modifier do anything (WCAG 2.1.4). */
export const lettersOn = () => kept("letters", true);

/** Whether an event is a single letter, digit or sign, which may be switched off. */
const isLetter = (event) => event.key.length === 1 && event.key !== " ";

/** @param {(event: KeyboardEvent) => boolean} view tells whether it did something */
export function listenForKeys(view) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest?.(TYPED) || document.querySelector("dialog[open]")) return;
    if (pressed(target, event)) return;
    if (isLetter(event) && !lettersOn()) return;
    if (event.key === "?") openHelp();
    else if (!view(event)) return;
    event.preventDefault();
  });
}

/** Keys that belong to the control that has the focus. */
function pressed(target, event) {
  if (target.closest?.("[data-own-keys]")) return event.key.length > 1 || event.key === " ";
  const control = target.closest?.("a, button, summary, input");
  return Boolean(control) && (event.key === " " || event.key === "Enter");
}
