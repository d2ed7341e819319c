// @ts-check
/** The page's head: where one can go, language, theme and help. */

import { button, el, put, svg } from "./dom.js";
import { openHelp } from "./help.js";
import { LANGUAGES, language, text } from "./i18n.js";
import { kept, THEMES } from "./prefs.js";
import { format } from "./route.js";

/** @type {["gallery"|"live"|"runs"|"compare", string, string[]][]} */
const PLACES = [
  ["gallery", "nav.scenarios", ["gallery", "scenario"]],
  ["live", "nav.live", ["live"]],
  ["runs", "nav.runs", ["runs", "run", "data"]],
  ["compare", "nav.compare", ["compare"]],
];

/**
 * @param {import("./route.js").Route} route
 * @param {{changeLanguage: (to: string) => void, changeTheme: (to: string) => void}} actions
 */
export function showHeader(route, actions) {
  const head = /** @type {HTMLElement} */ (document.getElementById("top"));
  const focused = /** @type {HTMLElement} */ (document.activeElement)?.id;
  put(
    head,
    el("a", { class: "skip", href: location.hash || "#/", on: { click: skip } }, text("nav.skip")),
    el("div", { class: "head" }, brand(), places(route), tools(actions)),
  );
  put(
    /** @type {HTMLElement} */ (document.getElementById("foot")),
    el(
      "p",
      {},
      `amqplite ${document.body.dataset.version ?? ""} · `,
      el("a", { href: "/" }, text("nav.broker")),
    ),
  );
  if (focused) document.getElementById(focused)?.focus();
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function brand() {
  return el(
    "a",
    { class: "brand", href: "#/", "aria-label": text("app.title") },
    mark(),
    el("span", {}, "amqplite ", el("em", {}, "lab")),
  );
}

/** Two lines that cross: what the lab is about. */
function mark() {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true" },
    svg("path", { d: "M4 4V20M20 4V20", class: "even" }),
    svg("path", { d: "M9 4C9 12 15 12 15 20M15 4C15 12 9 12 9 20", class: "odd" }),
  );
}

function places(route) {
  const links = PLACES.map(([page, key, within]) =>
    el(
      "a",
      { href: format({ page }), "aria-current": within.includes(route.page) ? "page" : null },
      text(key),
    ),
  );
  return el("nav", { class: "places", "aria-label": text("nav.main") }, links);
}

function tools({ changeLanguage, changeTheme }) {
  const [other] = Object.keys(LANGUAGES).filter((one) => one !== language());
  const theme = kept("theme", "auto");
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return el(
    "div",
    { class: "tools" },
    button(LANGUAGES[other].short, () => changeLanguage(other), {
      id: "tool-language",
      class: "plain",
      lang: LANGUAGES[other].tag,
      "aria-label": LANGUAGES[other].name,
    }),
    button(face(theme), () => changeTheme(next), {
      id: "tool-theme",
      class: "plain round",
      "aria-label": text(`theme.${theme}`),
      title: text(`theme.${theme}`),
    }),
    button("?", openHelp, {
      id: "tool-help",
      class: "plain round",
      "aria-label": text("help.title"),
      title: text("help.title"),
    }),
  );
}

/** A disc: half filled, empty or full. */
function face(theme) {
  const halves = {
    auto: "M12 4A8 8 0 0 1 12 20Z",
    light: "",
    dark: "M12 4A8 8 0 0 1 12 20A8 8 0 0 1 12 4Z",
  };
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true", class: "face" },
    svg("circle", { cx: 12, cy: 12, r: 8 }),
    svg("path", { d: halves[theme] }),
  );
}
