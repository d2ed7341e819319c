// @ts-check
/**
 * A run in a file of its own: the stage, the numbers and the sentences, from what the file holds.
 *
 * It asks nobody for anything, so it works from a disk or a mail as well. The file has a
 * `<script type="application/json" id="held">` with `{lang, titles, texts, run, events, jsonl}`.
 */

import { button, el, put, svg } from "./dom.js";
import { openHelp } from "./help.js";
import { LANGUAGES, language, speak, text } from "./i18n.js";
import { listenForKeys } from "./keys.js";
import { badge } from "./masthead.js";
import { showMetrics } from "./metrics.js";
import { save, svgText } from "./picture.js";
import { kept, keep, setPalette, setTheme, THEMES } from "./prefs.js";
import { format, parse } from "./route.js";
import { createStage } from "./stage.js";
import { createStore } from "./trace.js";
import { showWhy } from "./why.js";

const held = JSON.parse(document.getElementById("held")?.textContent ?? "{}");
const store = createStore(held.run.header);
store.add(held.events);

/** @type {ReturnType<typeof createStage> | null} */
let stage = null;

const params = () => parse(location.hash).params;

/** Say more in the address, so that a copy of it leads to the same place; some browsers refuse. */
function update(more) {
  try {
    history.replaceState(null, "", format({ page: "gallery", params: { ...params(), ...more } }));
  } catch {
    // what is shown is the same
  }
}

async function show(lang) {
  await speak(lang, (file) => Promise.resolve(held.texts[file]));
  document.documentElement.lang = LANGUAGES[language()].tag;
  const title = held.titles[language()];
  document.title = `${title} · ${text("app.title")}`;
  put(document.getElementById("top"), head());
  const main = el("div", { class: "page page-run" });
  put(document.getElementById("main"), main);
  draw(main, title);
}

function draw(main, title) {
  const { run } = held;
  const host = el("div", { class: "stage" });
  const whys = el("section", { class: "whys prose", "aria-label": text("step.why") });
  put(main, masthead(title, run), host, el("div", { class: "below" }, whys));
  stage?.destroy();
  stage = createStage(host, {
    store, params: params(), update,
    why: () => whys.scrollIntoView({ block: "nearest" }),
    tools: files(),
  });
  const metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
  stage.aside.append(metrics);
  showMetrics(metrics, run);
  showWhy(whys, run, stage.hub);
}

function masthead(title, { header, count, link }) {
  const quiet = (words) => el("span", { class: "quiet" }, words);
  const drawn = header.mode === "exact" || header.mode === "simulated";
  return el("header", { class: "masthead small" }, el("h1", {}, title),
    el("p", { class: "row facts-line" }, badge(header.mode),
      drawn && quiet(text("out.seed", { n: header.seed ?? 0 })), quiet(text("runs.events", { n: count })),
      header.started && quiet(header.started), header.version && quiet(`amqplite ${header.version}`),
      link && el("a", { href: link }, text("out.kept"))));
}

function files() {
  const name = (held.run.header.scenario || held.titles.en).replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60) || "run";
  const picture = () => svgText(/** @type {any} */ (stage).viewer.picture());
  return [
    button(text("exp.svg"), () => save(new Blob([picture()], { type: "image/svg+xml" }), `${name}.svg`)),
    button(text("exp.jsonl"), () => save(new Blob([held.jsonl], { type: "application/x-ndjson" }), `${name}.jsonl`)),
  ];
}

const head = () => el("div", { class: "head" }, brand(), el("span", { class: "places" }), tools());

function brand() {
  return el("span", { class: "brand" },
    svg("svg", { viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true" },
      svg("path", { d: "M4 4V20M20 4V20", class: "even" }),
      svg("path", { d: "M9 4C9 12 15 12 15 20M15 4C15 12 9 12 9 20", class: "odd" })),
    el("span", {}, "amqplite ", el("em", {}, "lab")));
}

function tools() {
  const [other] = Object.keys(LANGUAGES).filter((one) => one !== language());
  const theme = kept("theme", "auto");
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return el("div", { class: "tools" },
    button(LANGUAGES[other].name, () => void chosen(other), { id: "tool-language", class: "plain", lang: LANGUAGES[other].tag }),
    button(text(`theme.${theme}`), () => {
      setTheme(next);
      put(document.getElementById("top"), head());
      document.getElementById("tool-theme")?.focus();
    }, { id: "tool-theme", class: "plain" }),
    button("?", openHelp, { class: "plain round", "aria-label": text("help.title"), title: text("help.title") }));
}

async function chosen(lang) {
  keep("language", lang);
  update({ lang });
  await show(lang);
  document.getElementById("tool-language")?.focus();
}

setTheme(kept("theme", "auto"));
setPalette(params().palette);
listenForKeys((event) => stage?.key(event) ?? false);
void show(params().lang ?? held.lang);
