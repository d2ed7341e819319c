// @ts-check
/** The gallery: scenarios by the question they answer. */

import { scenarios } from "./api.js";
import { el, put } from "./dom.js";
import { pick, text } from "./i18n.js";
import { seen } from "./prefs.js";
import { format } from "./route.js";
import { publishedIn } from "./scenario_facts.js";
import { threads } from "./threads.js";

export const GROUPS = ["order", "duplicates", "loss", "slow", "not-a-bug"];

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  const found = await scenarios();
  context.title("");
  const done = seen();
  const groups = GROUPS.map((group) => found.filter((one) => one.group === group));
  put(
    main,
    hero(found),
    groups.map((members, at) => members.length > 0 && chapter(GROUPS[at], members, done)),
  );
  return {};
}

function hero(found) {
  const first = found.find((one) => one.id === "fig-11-2") ?? found[0];
  return el(
    "section",
    { class: "hero" },
    el(
      "div",
      {},
      el("h1", {}, text("gallery.title")),
      el("p", { class: "lede" }, text("gallery.lede")),
      el(
        "p",
        { class: "row" },
        first && el("a", { class: "button main", href: to(first) }, text("gallery.first")),
        el("a", { class: "button", href: format({ page: "live" }) }, text("gallery.live")),
      ),
    ),
    el("div", { class: "motif" }, threads(6, [1, 2, 4, 5, 3, 6], { height: 96 })),
  );
}

const to = (scenario) => format({ page: "scenario", path: [scenario.id] });

function chapter(group, members, done) {
  const id = `group-${group}`;
  return el(
    "section",
    { class: "chapter", "aria-labelledby": id },
    el(
      "header",
      {},
      el("h2", { id }, text(`group.${group}`)),
      el("p", { class: "quiet" }, text(`group.${group}.note`)),
    ),
    el(
      "ul",
      { class: "entries" },
      members.map((one) => entry(one, done[one.id])),
    ),
  );
}

function entry(scenario, came) {
  const order = came?.order.split(".").map(Number) ?? null;
  const count = publishedIn(scenario).length || 5;
  return el(
    "li",
    { class: "entry" },
    scenario.own
      ? el("span", { class: "plug", "aria-hidden": "true" }, "⌁")
      : threads(count, order),
    el(
      "div",
      {},
      el("h3", {}, el("a", { href: to(scenario) }, pick(scenario.title))),
      el("p", {}, pick(scenario.teaches)),
    ),
    el(
      "p",
      { class: "came quiet" },
      came ? text(came.inv ? "gallery.came" : "gallery.inorder", { n: came.inv }) : "",
    ),
  );
}
