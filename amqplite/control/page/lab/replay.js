// @ts-check
/** A run that the broker keeps, or that a link holds. */

import { renameRun, scenarios } from "./api.js";
import { button, el, put } from "./dom.js";
import { text } from "./i18n.js";
import { open, openPacked } from "./loaded.js";
import { keptMode, masthead } from "./masthead.js";
import { showMetrics } from "./metrics.js";
import { format } from "./route.js";
import { shareMenu } from "./export.js";
import { runName } from "./scenario_facts.js";
import { createStage } from "./stage.js";
import { assumptionsOf, createWhatIf, shownAt } from "./whatif.js";
import { showWhy } from "./why.js";

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  const [id] = context.route.path;
  const loaded = await (context.route.page === "data" ? openPacked(id) : open(id));
  const catalogue = await scenarios();
  const head = el("header", { class: "masthead" });
  const host = el("div", { class: "stage" });
  const whys = el("section", { class: "whys prose", "aria-label": text("step.why") });
  const share = el("div", { class: "share" });
  const others = el("section", { class: "whatif" });
  put(main, head, host, el("div", { class: "below" }, whys, assumptionsOf(loaded.run.id), others));
  const params = context.route.params;
  const stage = createStage(host, {
    store: loaded.store,
    params,
    update: (said) => {
      Object.assign(params, said);
      context.update(said);
    },
    why: () => whys.scrollIntoView({ block: "nearest" }),
    tools: [share],
  });
  const metrics = el("section", { class: "metrics", "aria-label": text("metrics.title") });
  stage.aside.append(metrics);
  put(share, shareMenu({ run: () => loaded.run, viewer: stage.viewer, link: () => location.href }));

  const whatIf =
    loaded.run.header.mode === "simulated"
      ? null
      : createWhatIf(others, {
          run: () => loaded.run,
          store: loaded.store,
          at: () => shownAt(stage.viewer),
          go: context.go,
        });

  function draw() {
    const { run } = loaded;
    main.classList.toggle("simulated", run.header.mode === "simulated");
    const name = runName(run, catalogue);
    context.title(name);
    masthead(head, {
      crumb: { href: format({ page: "runs" }), label: text("nav.runs") },
      title: title(name),
      mode: keptMode(run),
      run,
      small: true,
      facts: [
        el("span", { class: "quiet" }, text("runs.events", { n: run.count })),
        run.header.version && el("span", { class: "quiet" }, `amqplite ${run.header.version}`),
        el(
          "a",
          { href: format({ page: "compare", params: { a: `r/${run.id}` } }) },
          text("runs.compare"),
        ),
      ],
    });
    showMetrics(metrics, run);
    showWhy(whys, run, stage.hub);
  }

  function title(name) {
    const field = el("input", {
      type: "text",
      class: "naming",
      value: name,
      maxlength: 120,
      "aria-label": text("runs.name"),
      hidden: true,
    });
    const words = el("span", { class: "given" }, name);
    const edit = button(
      "✎",
      () => {
        [words.hidden, field.hidden] = [true, false];
        field.select();
      },
      { class: "plain round", "aria-label": text("runs.rename"), title: text("runs.rename") },
    );
    const save = async () => {
      if (field.hidden) return;
      field.hidden = true;
      if (field.value.trim() && field.value !== name)
        loaded.run = { ...loaded.run, ...(await renameRun(loaded.run.id, field.value.trim())) };
      draw();
    };
    field.addEventListener("blur", () => void save());
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") field.value = name;
      if (event.key === "Enter" || event.key === "Escape") field.blur();
    });
    return [words, field, " ", edit];
  }

  loaded.listeners.add(draw);
  const unlisten = loaded.store.listen(() => stage.draw());
  draw();
  return {
    key(event) {
      if (stage.key(event)) return true;
      if (event.key === "y") share.querySelector("button")?.click();
      else if (event.key === "f") whatIf?.focus();
      else if (event.key === "c")
        context.go({ page: "compare", params: { a: `r/${loaded.run.id}` } });
      else return false;
      return true;
    },
    destroy() {
      unlisten();
      loaded.close();
      stage.destroy();
    },
  };
}
