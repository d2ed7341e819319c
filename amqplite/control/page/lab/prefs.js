// @ts-check
/** What this browser keeps: how the reader likes the page, and what they have seen. */

const PREFIX = "amqplite.lab.";

/**
 * Return what is kept under a name; `otherwise` where nothing is, or nothing may be.
 *
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T}
 */
export function kept(name, otherwise) {
  try {
    const found = localStorage.getItem(PREFIX + name);
    return found === null ? otherwise : JSON.parse(found);
  } catch {
    return otherwise;
  }
}

/** Keep a value; where the browser keeps nothing, it is forgotten with the page. */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // private windows may refuse; the page works the same
  }
}

export const THEMES = ["auto", "light", "dark"];

/** Show the page in a theme; `auto` is the system's. */
export function setTheme(theme) {
  const root = document.documentElement;
  if (theme === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
  keep("theme", theme);
}

/** Use another palette: `tol` or `mono`, else the usual one. */
export function setPalette(palette) {
  const root = document.documentElement;
  if (palette === "tol" || palette === "mono") root.setAttribute("data-palette", palette);
  else root.removeAttribute("data-palette");
}

/** @typedef {{order: string, inv: number}} Seen the order of completion, as `formatOrder` writes it */

/** What came of the scenarios that this browser has run, by id. @returns {Record<string, Seen>} */
export const seen = () => kept("seen", {});

/** @param {string} id @param {Seen} came */
export function keepSeen(id, came) {
  keep("seen", { ...seen(), [id]: came });
}
