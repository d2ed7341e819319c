// @ts-check
/** What is said to those who hear the page: one line, at most one a second, the newest. */

const PERIOD_MS = 1000;

let last = -Infinity;
let waiting = 0;

/** @param {string} words */
export function say(words) {
  clearTimeout(waiting);
  const now = performance.now();
  waiting = window.setTimeout(() => tell(words), Math.max(0, last + PERIOD_MS - now));
}

function tell(words) {
  last = performance.now();
  const line = document.getElementById("said");
  if (line) line.textContent = words;
}
