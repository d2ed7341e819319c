// @ts-check
/** Events in words: the diagram's own, so that the list and the narrator say the same. */

import { text } from "./i18n.js";
import { Words } from "./words.js";

/** What happened, in a sentence. @param {any} event @param {any} store */
export const told = (event, store) => new Words(text, store.unit, store.live).say(event);

/** When, as the diagram writes it. @param {number} t @param {any} store */
export const when = (t, store) => new Words(text, store.unit, store.live).clock(t);

/** Why, in words. @param {string} [cause] @param {string} [sub] */
export const causeWords = (cause, sub) =>
  cause ? new Words(text, 1, false).cause(cause, sub) : "";
