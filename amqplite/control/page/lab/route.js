// @ts-check
/**
 * Permalinks: what stands behind `#` in the address bar, and back.
 *
 *     #/s/fig-11-2?seed=42&prefetch=1&t=3.4&sel=m3     a scenario, played again
 *     #/r/<id>                                         a run that the broker keeps
 *     #/d/<data>                                       a run that the link itself holds
 *     #/live   #/live/<vhost>/<queue>   #/runs   #/compare?a=s/fig-11-2&b=r/<id>
 *
 * @typedef {"gallery"|"scenario"|"run"|"data"|"live"|"runs"|"compare"} Page
 * @typedef {{page: Page, path: string[], params: Record<string, string>}} Route
 */

/** What a parameter may be that isn't one of a scenario's own. */
export const OWN = new Set([
  ...["step", "t", "sel", "x", "v", "lang", "palette", "seed", "mode", "variant"],
  ...["guess", "answer", "cmp", "align", "a", "b", "url", "odd"],
]);

/** @type {Record<string, Page>} */
const PAGES = {
  s: "scenario",
  r: "run",
  d: "data",
  live: "live",
  runs: "runs",
  compare: "compare",
};
const LETTERS = Object.fromEntries(Object.entries(PAGES).map(([letter, page]) => [page, letter]));
const PARTS = { scenario: [1], run: [1], data: [1], live: [0, 2], runs: [0], compare: [0] };

/**
 * Read what the address bar has; what makes no sense is the gallery.
 *
 * @param {string} hash with or without its `#`
 * @returns {Route}
 */
export function parse(hash) {
  const [path, query = ""] = halves(hash.replace(/^#?\/?/, ""));
  const [letter, ...parts] = path.split("/");
  const params = Object.fromEntries(new URLSearchParams(query));
  const page = Object.hasOwn(PAGES, letter) ? PAGES[letter] : "gallery";
  const decoded = page === "gallery" ? [] : parts.filter(Boolean).map(decode);
  if (page === "gallery" || !PARTS[page].includes(decoded.length)) {
    return { page: "gallery", path: [], params };
  }
  return { page, path: decoded, params };
}

/**
 * Write it; `parse` of it gives the same.
 *
 * @param {{page: Page, path?: string[], params?: Record<string, any>}} route parameters that are
 *   empty or absent are left out
 * @returns {string}
 */
export function format({ page, path = [], params = {} }) {
  const said = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const parts = page === "gallery" ? [] : [LETTERS[page], ...path.map(encodeURIComponent)];
  const query = new URLSearchParams(said.map(([name, value]) => [name, String(value)]));
  return `#/${parts.join("/")}${said.length ? `?${query}` : ""}`;
}

/** The parameters that belong to the scenario: `prefetch`, `requeue`, …, numbers as numbers. */
export function scenarioParams(params) {
  const own = Object.entries(params).filter(([name]) => !OWN.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, plain(value)]));
}

function plain(value) {
  if (value === "true" || value === "false") return value === "true";
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/**
 * Write what is selected as one word: `m3`, `c:c2`, `n:17`, `p:m4~m3`.
 *
 * @param {import("./types.js").Selection | null} selection
 */
export function formatSelection(selection) {
  if (!selection) return "";
  if (selection.pair) return `p:${selection.pair.map(escaped).join("~")}`;
  if (selection.n) return `n:${selection.n}`;
  if (selection.c) return `c:${selection.c}`;
  if (!selection.m) return "";
  return /^[cmnp]:/.test(selection.m) ? `m:${selection.m}` : selection.m;
}

const escaped = (label) => encodeURIComponent(label).replaceAll("~", "%7E");

/** Read it; `null` where nothing is selected. @returns {import("./types.js").Selection | null} */
export function parseSelection(word) {
  if (!word) return null;
  const rest = word.slice(2);
  switch (/^[cmnp]:/.test(word) ? word[0] : "") {
    case "c":
      return { c: rest };
    case "n":
      return /^\d+$/.test(rest) ? { n: Number(rest) } : null;
    case "p": {
      const [over, under] = rest.split("~").map(decode);
      return over && under ? { pair: [over, under] } : null;
    }
    case "m":
      return { m: rest };
    default:
      return { m: word };
  }
}

function halves(text) {
  const at = text.indexOf("?");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
