// @ts-check
/** Step four: change one thing, and see what it gives and costs. */

import { button, el, put } from "./dom.js";
import { knobs } from "./controls.js";
import { pick, text } from "./i18n.js";
import { format, parse, scenarioParams } from "./route.js";
import { known, settings } from "./scenario_facts.js";

/**
 * @param {any} host
 * @param {{
 *   scenario: any, catalogue: any[], params: Record<string, string>,
 *   turn: (name: string, value: any) => void, address: (change: any) => string,
 * }} options
 */
export function showFixes(host, { scenario, catalogue, params, turn, address }) {
  const set = known(scenario, scenarioParams(params));
  const changed = Object.keys(set).length > 0 || Boolean(params.variant);
  put(
    host,
    scenario.price &&
      el("p", { class: "prose price" }, el("b", {}, text("fix.price")), " ", pick(scenario.price)),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        {},
        el("h2", {}, text("fix.change")),
        scenario.params.length
          ? knobs(scenario, settings(scenario, set, params.variant), turn)
          : el("p", { class: "quiet" }, text("fix.none")),
        scenario.variants.length > 0 && variants(scenario, params, address),
        changed &&
          el(
            "p",
            { class: "row" },
            el(
              "a",
              {
                class: "button main",
                href: comparison({ id: scenario.id }, reference(scenario, params)),
              },
              text("fix.compare"),
            ),
            button(text("fix.reset"), () => (location.hash = address(unset(scenario, params)))),
          ),
      ),
      el(
        "section",
        {},
        el("h2", {}, text("fix.others")),
        el("ul", { class: "hints" }, hints(scenario, catalogue, params)),
      ),
    ),
  );
}

function variants(scenario, params, address) {
  return el(
    "ul",
    { class: "variants" },
    scenario.variants.map((one) =>
      el(
        "li",
        {},
        el(
          "a",
          {
            href: address({ ...unset(scenario, params), variant: one.name }),
            "aria-current": params.variant === one.name ? "true" : null,
          },
          pick(one),
        ),
      ),
    ),
  );
}

/** All of a scenario's own parameters, taken out. */
const unset = (scenario, params) =>
  Object.fromEntries(
    [...Object.keys(known(scenario, params)), "variant"].map((name) => [name, undefined]),
  );

function hints(scenario, catalogue, params) {
  const here = reference(scenario, params);
  const titleOf = (id) => pick(catalogue.find((one) => one.id === id)?.title) || id;
  const others = scenario.next.map((hint) => ({
    id: hint.scenario || scenario.id,
    variant: hint.variant,
    words: pick(hint),
  }));
  const pair = scenario.compare_with;
  if (pair && !others.some((one) => one.id === pair))
    others.push({ id: pair, words: text("fix.pair", { name: titleOf(pair) }) });
  if (!others.length) return el("li", { class: "quiet" }, text("fix.last"));
  return others.map((other) =>
    el(
      "li",
      {},
      el("p", {}, other.words),
      el(
        "p",
        { class: "row" },
        el(
          "a",
          {
            href: format({
              page: "scenario",
              path: [other.id],
              params: { variant: other.variant },
            }),
          },
          other.id === scenario.id ? text("fix.go") : titleOf(other.id),
        ),
        el("a", { class: "quiet", href: comparison(here, other) }, text("fix.beside")),
      ),
    ),
  );
}

/** The run that is looked at, as a comparison calls it. */
export function reference(scenario, params) {
  return {
    id: scenario.id,
    ...known(scenario, params),
    variant: params.variant,
    seed: params.seed,
  };
}

/**
 * An address that names another scenario means the two side by side.
 *
 * @param {any} scenario
 * @param {Record<string, string>} all
 * @returns {string}
 */
export function besides(scenario, all) {
  const { cmp, t, sel, lang, ...params } = all;
  const own = { ...params, ...known(scenario, scenarioParams(params)) };
  const { page, params: pair } = parse(comparison(reference(scenario, own), { id: cmp }));
  return format({ page, params: { ...pair, t, sel, lang } });
}

/** Where two are compared. */
export function comparison(a, b) {
  return format({ page: "compare", params: { a: named(a), b: named(b) } });
}

function named({ id, words, ...params }) {
  const said = Object.entries(params).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return `s/${id}${query ? `?${query}` : ""}`;
}
