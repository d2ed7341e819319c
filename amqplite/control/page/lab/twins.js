// @ts-check
/** Two diagrams that show the same stretch of time, the same instant and the same message. */

import { el, put } from "./dom.js";
import { text } from "./i18n.js";
import { formatSelection, parseSelection } from "./route.js";
import { createHub } from "./selection.js";
import { createViewer } from "./viewer.js";

/**
 * @param {any} host
 * @param {import("./loaded.js").Loaded[]} runs two
 * @param {{
 *   params: Record<string, string>, update: (params: any) => void, title: (run: any) => string,
 *   heading: (run: any) => any, changed: Set<string>,
 * }} options
 */
export function createTwins(host, runs, { params, update, title, heading, changed }) {
  const hub = createHub();
  const bar = el("div", { class: "playbar" });
  let shifts = [0, 0];
  let moving = false;
  const parts = runs.map(({ run }) => ({
    head: el("header", { class: "row" }, el("h2", {}, title(run)), heading(run)),
    diagram: el("div", { class: "diagram" }),
    order: el("div", { class: "orderlines" }),
  }));
  put(
    host,
    parts.map(({ head, diagram }) => el("section", { class: "twin" }, head, diagram)),
    el(
      "div",
      { class: "orders" },
      parts.map(({ order }, at) => el("section", {}, el("h3", {}, title(runs[at].run)), order)),
    ),
    bar,
  );
  const viewers = parts.map(({ diagram, order }, at) =>
    createViewer(diagram, {
      text,
      onSelect: (selection, pinned) => hub.set(shared(selection), pinned, viewers[at]),
      onTime: (t) => follow(at, t),
      onPlay: () => {},
      onView: ({ scale, axes }) => at === 0 && viewers[1].setAxes(axes ?? "auto"),
      hosts: { bar: at === 0 ? bar : null, order, minimap: null, narrator: null },
    }),
  );

  /** A number of an event means nothing in the other run. */
  const shared = (selection) => {
    if (!selection?.n) return selection;
    const event = runs.flatMap(({ store }) => store.events).find(({ n }) => n === selection.n);
    return event?.m ? { m: event.m } : selection;
  };

  function follow(at, t) {
    if (moving || viewers.length < 2) return;
    moving = true;
    const other = 1 - at;
    viewers[other].setTime(t === null ? null : t - shifts[at] + shifts[other]);
    moving = false;
    const { store } = runs[0];
    if (at === 0 && !viewers[0].player.playing) {
      update({ t: t === null || t >= store.end ? undefined : (t / store.unit).toFixed(2) });
    }
  }

  hub.listen((_, from) => {
    for (const viewer of viewers)
      if (viewer !== from) viewer.setSelection(hub.value, hub.value === hub.pinned);
    update({ sel: formatSelection(hub.pinned) || undefined });
  });

  runs.forEach(({ store }, at) => {
    viewers[at].setTrace(store);
    viewers[at].setScale("time");
    viewers[at].setChanged(changed);
  });
  const selected = parseSelection(params.sel);
  if (selected) hub.set(selected, true);

  return {
    /** @param {number[]} to instants of the two that lie one on the other */
    align(to) {
      shifts = to;
      const before = Math.max(
        ...runs.map(({ store }, at) => shifts[at] - Math.min(0, store.start)),
      );
      const after = Math.max(...runs.map(({ store }, at) => store.end - shifts[at]));
      viewers.forEach((viewer, at) => viewer.setRange(shifts[at] - before, shifts[at] + after));
      if (params.t) viewers[0].setTime(Number(params.t) * runs[0].store.unit);
    },
    key: (event) => viewers[0].key(event),
    destroy() {
      for (const viewer of viewers) viewer.destroy();
      for (const run of runs) run.close();
    },
  };
}
