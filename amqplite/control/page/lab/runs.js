// @ts-check
/** Runs that the broker keeps: recorded, imported, named. */

import { ApiError, deleteRun, importTrace, listRuns, scenarios } from "./api.js";
import { button, el, put } from "./dom.js";
import { number, span, text } from "./i18n.js";
import { badge, keptMode } from "./masthead.js";
import { headline } from "./metrics.js";
import { format } from "./route.js";
import { runName, setWords } from "./scenario_facts.js";
import { say } from "./said.js";

/** Octets above which a file is no trace of ours. */
const LARGEST = 32 * 1024 * 1024;

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  context.title(text("nav.runs"));
  const catalogue = await scenarios();
  const list = el("div", { class: "runs" });
  const told = el("p", { class: "told", role: "status" });
  const chosen = new Set();
  const compare = el("div", { class: "row chosen-runs" });
  const field = el("input", {
    type: "file",
    id: "import",
    accept: ".jsonl,.ndjson,.txt",
    class: "unseen",
    on: { change: () => take(field.files) },
  });
  const drop = el(
    "label",
    { class: "drop", for: "import" },
    el("b", {}, text("runs.import")),
    el("span", { class: "quiet" }, text("runs.drop")),
  );
  put(
    main,
    el(
      "header",
      { class: "masthead" },
      el("h1", {}, text("runs.title")),
      el("p", { class: "lede" }, text("runs.lede")),
    ),
    field,
    drop,
    told,
    compare,
    list,
  );

  async function load() {
    const runs = await listRuns();
    put(list, runs.length ? table(runs) : empty());
  }

  const empty = () =>
    el(
      "div",
      { class: "empty" },
      el("h2", {}, text("empty.runs")),
      el(
        "p",
        { class: "row" },
        el("a", { class: "button main", href: "#/" }, text("empty.runs.go")),
      ),
    );

  const table = (runs) => el("ul", { class: "entries" }, runs.map(entry));

  function entry(run) {
    const name = runName(run, catalogue);
    const inversions = run.headline?.inversions ?? headline(run).inversions;
    const box = el("input", { type: "checkbox", "aria-label": text("runs.choose", { name }) });
    box.addEventListener("change", () => choose(run.id, box.checked));
    return el(
      "li",
      { class: "entry run" },
      box,
      el(
        "div",
        {},
        el("h3", {}, el("a", { href: format({ page: "run", path: [run.id] }) }, name)),
        el(
          "p",
          { class: "row quiet" },
          badge(keptMode(run)),
          el("span", {}, text("runs.events", { n: number(run.count) })),
          el("span", {}, span(run.duration ?? 0, run.header.tick_us)),
          setWords(run, catalogue).map((words) => el("span", {}, words)),
          run.state === "running" && el("b", {}, text("runs.running")),
        ),
      ),
      el(
        "p",
        { class: inversions ? "trouble came" : "fine came" },
        text(inversions ? "gallery.came" : "gallery.inorder", { n: inversions }),
      ),
      button(text("runs.delete"), () => void remove(run), {
        class: "plain",
        "aria-label": text("runs.delete.name", { name }),
      }),
    );
  }

  function choose(id, on) {
    if (on) chosen.add(id);
    else chosen.delete(id);
    const [a, b] = chosen;
    put(
      compare,
      chosen.size === 2 &&
        el(
          "a",
          {
            class: "button main",
            href: format({ page: "compare", params: { a: `r/${a}`, b: `r/${b}` } }),
          },
          text("runs.compare.both"),
        ),
      chosen.size === 1 && el("span", { class: "quiet" }, text("runs.one.more")),
      chosen.size > 2 && el("span", { class: "quiet" }, text("runs.too.many")),
    );
  }

  async function remove(run) {
    try {
      await deleteRun(run.id);
      tell(text("runs.deleted", { name: runName(run, catalogue) }));
      choose(run.id, false);
    } catch (error) {
      tell(reasonOf(error), true);
    }
    await load();
  }

  function tell(words, bad = false) {
    told.textContent = words;
    told.classList.toggle("trouble", bad);
    say(words);
  }

  async function take(files) {
    const [file] = files ?? [];
    if (!file) return;
    tell(text("runs.importing", { name: file.name }));
    try {
      if (file.size > LARGEST)
        throw new ApiError(413, text("runs.large", { n: number(LARGEST / 1024 / 1024) }));
      const run = await importTrace(await file.text());
      context.go({ page: "run", path: [run.id] });
    } catch (error) {
      tell(text("runs.bad", { name: file.name, reason: reasonOf(error) }), true);
    }
    field.value = "";
  }

  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.add("over");
  };
  const away = () => drop.classList.remove("over");
  const dropped = (event) => {
    event.preventDefault();
    away();
    void take(event.dataTransfer?.files);
  };
  const listeners = { dragover: over, dragleave: away, drop: dropped };
  for (const [name, listener] of Object.entries(listeners))
    document.addEventListener(name, listener);

  await load();
  await fromUrl(context.route.params.url, take, tell);
  return {
    destroy() {
      for (const [name, listener] of Object.entries(listeners))
        document.removeEventListener(name, listener);
    },
  };
}

const reasonOf = (error) =>
  error instanceof ApiError && error.reason ? error.reason : text("err.0");

/** `?url=`: a trace on this very broker's page, of no other origin. */
async function fromUrl(wanted, take, tell) {
  if (!wanted) return;
  const url = new URL(wanted, location.href);
  if (url.origin !== location.origin) {
    tell(text("runs.elsewhere"), true);
    return;
  }
  const response = await fetch(url);
  await take([new File([await response.blob()], url.pathname.split("/").pop() ?? "")]);
}
