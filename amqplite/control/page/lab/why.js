// @ts-check
/** Why, in sentences whose clauses lead to the events that prove them. */

import { el, put } from "./dom.js";
import { language, pick, text } from "./i18n.js";
import { headline } from "./metrics.js";
import { format, formatSelection, parse } from "./route.js";
import { selects } from "./selection.js";
import { sign } from "./threads.js";

/**
 * @param {any} host
 * @param {any} run
 * @param {import("./selection.js").Hub} hub
 */
export function showWhy(host, run, hub) {
  const { inversions, n } = headline(run);
  put(
    host,
    run.verdict && el("p", { class: "verdict" }, sign(inversions > 0), pick(run.verdict)),
    (run.whys ?? []).map((why) => sentence(why, hub)),
    run.counts?.unexplained > 0 &&
      el("p", { class: "trouble" }, text("why.unexplained", { n: run.counts.unexplained })),
    n > 0 && inversions > 0 && el("p", { class: "quiet" }, text("why.allowed")),
  );
}

function sentence(why, hub) {
  const parts = why.parts?.[language()] ?? [[pick(why.text), why.events?.[0] ?? 0]];
  return el(
    "p",
    { class: "sentence" },
    parts.map(([words, n]) => (n ? clause(words, n, hub) : words)),
  );
}

/** Its address is a permalink to the event, so that it may be opened, copied or bookmarked. */
function clause(words, n, hub) {
  const route = parse(location.hash);
  const selection = { n };
  const href = format({ ...route, params: { ...route.params, sel: formatSelection(selection) } });
  return el("a", { class: "clause", href, on: selects(hub, selection) }, words);
}
