// @ts-check
/** The page as a whole: what the address bar says is shown, in the reader's language. */

import { words } from "./api.js";
import { el, put } from "./dom.js";
import { problem } from "./problem.js";
import { showHeader } from "./header.js";
import { LANGUAGES, language, preferred, speak, text } from "./i18n.js";
import { listenForKeys } from "./keys.js";
import { keep, kept, setPalette, setTheme } from "./prefs.js";
import { format, parse } from "./route.js";
import { say } from "./said.js";

/**
 * @typedef {object} Context  what a view is given
 * @property {import("./route.js").Route} route as it was when the view was made
 * @property {(params: Record<string, any>) => void} update say more in the address, without a new
 *   entry in the history; `undefined` takes a parameter out
 * @property {(route: any) => void} go to another page
 * @property {(route: any) => void} replace the page by another
 * @property {(name: string) => void} title
 *
 * @typedef {object} View
 * @property {(route: import("./route.js").Route) => void} [update] the address says something else
 *   of the same page
 * @property {(event: KeyboardEvent) => boolean} [key]
 * @property {() => void} [destroy]
 */

/** @type {Record<string, () => Promise<{show: (main: any, context: Context) => Promise<View> | View}>>} */
const VIEWS = {
  gallery: () => import("./scenarios.js"),
  scenario: () => import("./lesson.js"),
  run: () => import("./replay.js"),
  data: () => import("./replay.js"),
  live: () => import("./live.js"),
  runs: () => import("./runs.js"),
  compare: () => import("./compare.js"),
};

/** A page that isn't there after so long says that it is coming. */
const PATIENCE_MS = 500;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const loaded = new Map();
/** @type {{route: any, view: View, made: number} | null} */
let current = null;
let made = 0;
let written = "";
let pending = 0;

/** Texts of a language, fetched once. */
function load(file) {
  if (!loaded.has(file)) loaded.set(file, words(file));
  return loaded.get(file);
}

async function setLanguage(wanted) {
  await speak(wanted, load);
  document.documentElement.lang = LANGUAGES[language()].tag;
}

/** The address as it is to be now: with the language, unless it is the browser's own. */
const here = () => parse(location.hash);

function update(params) {
  const route = here();
  const next = { ...route, params: { ...route.params, ...params } };
  write(format(next));
  if (current) current.route = parse(format(next));
}

/** Browsers bound how often the address may be written, so what moves fast is gathered. */
function write(hash) {
  written = hash;
  clearTimeout(pending);
  pending = window.setTimeout(flush, 150);
}

function flush() {
  clearTimeout(pending);
  if (written && written !== location.hash) history.replaceState(null, "", written);
  written = "";
}

function go(route) {
  flush();
  location.hash = typeof route === "string" ? route : format(route);
}

/** Go to where an address stands for, so that a step back leads before it. */
function replace(route) {
  flush();
  location.replace(typeof route === "string" ? route : format(route));
}

/** What makes it another view: a comparison is one of two runs. */
const place = ({ page, path, params }) =>
  [page, ...path, ...(page === "compare" ? [params.a, params.b] : [])].join("\n");

/** @param {boolean} [again] make the view anew, though the page is the same */
async function render(again = false) {
  const route = here();
  setPalette(route.params.palette);
  const wanted = route.params.lang;
  if (wanted && wanted !== language() && Object.hasOwn(LANGUAGES, wanted)) {
    await setLanguage(wanted);
    again = true;
  }
  showHeader(route, { changeLanguage, changeTheme });
  if (!again && current && place(current.route) === place(route)) {
    current.route = route;
    current.view.update?.(route);
    return;
  }
  await make(route, again || current === null);
}

/** @param {any} route @param {boolean} quiet leave the focus where it is */
async function make(route, quiet) {
  const own = ++made;
  current?.view.destroy?.();
  current = { route, view: {}, made: own };
  const section = el("div", { class: `page page-${route.page}` });
  const context = { route, update, go, replace, title };
  title("");
  put(main, section);
  const patience = window.setTimeout(wait, PATIENCE_MS, section);
  let view = {};
  try {
    view = await (await VIEWS[route.page]()).show(section, context);
  } catch (error) {
    put(
      section,
      problem(error, () => void render(true), "h1"),
    );
  }
  clearTimeout(patience);
  if (own !== made) {
    view.destroy?.(); // somebody went on before it was there
    return;
  }
  current = { route: current.route, view, made: own };
  if (!quiet) arrive();
}

function wait(section) {
  if (!section.hasChildNodes())
    put(section, el("p", { class: "quiet waiting", role: "status" }, text("nav.waiting")));
}

/** A new page begins at its top, for eyes and for screen readers. */
function arrive() {
  window.scrollTo(0, 0);
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

function title(name) {
  document.title = name ? `${name} · ${text("app.title")}` : text("app.title");
}

async function changeLanguage(wanted) {
  keep("language", wanted);
  await setLanguage(wanted);
  const { params } = here();
  if (params.lang) update({ lang: wanted });
  flush();
  await render(true);
  say(LANGUAGES[wanted].name);
}

function changeTheme(theme) {
  setTheme(theme);
  showHeader(here(), { changeLanguage, changeTheme });
}

async function begin() {
  setTheme(kept("theme", "auto"));
  const { params } = here();
  await setLanguage(params.lang ?? kept("language", preferred(navigator.languages)));
  listenForKeys((event) => current?.view.key?.(event) ?? false);
  window.addEventListener("hashchange", () => void render());
  window.addEventListener("pagehide", flush);
  await render();
}

begin().catch((error) =>
  put(
    main,
    el(
      "div",
      { class: "page" },
      problem(error, () => location.reload(), "h1"),
    ),
  ),
);
