// @ts-check
/** What a scenario's file says, read for the page. */

import { pick, text } from "./i18n.js";

/** Labels of what its producers publish, in order of time, each once. @returns {string[]} */
export function publishedIn(scenario) {
  const plans = (scenario.producers ?? []).flatMap((producer) => planOf(producer));
  plans.sort((a, b) => a.at - b.at);
  const labels = scenario.messages ?? plans.map((publish) => publish.m);
  return [...new Set(labels)];
}

function planOf({ plan = [], series = null }) {
  const { count = 0, first = 1, start = 0, every = 1 } = series ?? {};
  const more = Array.from({ length: count }, (_, at) => ({
    at: start + at * every,
    m: `m${first + at}`,
  }));
  return [...plan, ...more];
}

/** Tags of its consumers. @returns {string[]} */
export const consumersOf = (scenario) =>
  (scenario.consumers ?? []).filter((one) => one.on !== false).map((one) => one.tag);

const MOST = 8;

/** Whether the order of its messages may be predicted: few enough, and order is what it is about. */
export function isAboutOrder(scenario) {
  const count = publishedIn(scenario).length;
  return (
    ["order", "not-a-bug"].includes(scenario.group) && !scenario.own && count > 1 && count <= MOST
  );
}

/** What a run is called: a name that somebody gave it, else its scenario's title. */
export function runName(run, catalogue) {
  const scenario = catalogue.find((one) => one.id === run.header.scenario);
  const given = run.name || run.header.name || run.id;
  return scenario && given === scenario.title.en ? pick(scenario.title) : given;
}

/** A parameter's value, in words. */
export function valueWords(param, value) {
  if (param.kind === "bool") return text(value ? "knob.on" : "knob.off");
  if (param.kind === "choice") return pick(param.choices.find((one) => one.id === value) ?? value);
  return param.zero && value === 0 ? pick(param.zero) : String(value);
}

/** What was set otherwise than usual for a run, in words. @returns {string[]} */
export function setWords({ header }, catalogue) {
  const params = catalogue.find((one) => one.id === header.scenario)?.params ?? [];
  return params
    .filter(({ name, default: usual }) => (header.params?.[name] ?? usual) !== usual)
    .map((param) =>
      text("cmp.set", { name: pick(param), value: valueWords(param, header.params[param.name]) }),
    );
}

/** A value for each parameter: as said, or as the variant has it, or as is usual. */
export function settings(scenario, params, variant = "") {
  const usual = (scenario.params ?? []).map(({ name, default: value }) => [name, value]);
  const set = (scenario.variants ?? []).find((one) => one.name === variant)?.set;
  return { ...Object.fromEntries(usual), ...set, ...params };
}

/** Those of `params` that the scenario has. */
export function known(scenario, params) {
  const names = new Set((scenario.params ?? []).map(({ name }) => name));
  return Object.fromEntries(Object.entries(params).filter(([name]) => names.has(name)));
}
