// @ts-check
/** The stage: the diagram with all that belongs to it, the same for scenarios, runs and live queues. */

import { button, el, put, svg } from "./dom.js";
import { createEventList } from "./events.js";
import { text } from "./i18n.js";
import { createInspector } from "./inspector.js";
import { lettersOn } from "./keys.js";
import { formatSelection, parseSelection } from "./route.js";
import { createHub } from "./selection.js";
import { createViewer } from "./viewer.js";

const SCALES = ["order", "time", "collapse"];

/**
 * @param {any} host
 * @param {{
 *   store: any, params: Record<string, string>, update: (params: any) => void,
 *   why?: () => void, tools?: any[],
 * }} options
 */
export function createStage(host, { store, params, update, why, tools = [] }) {
  const hub = createHub();
  const part = (name) => el("div", { class: name });
  const [diagram, minimap, narrator, bar, order] = [
    "diagram",
    "minimap",
    "narrator",
    "playbar",
    "orderlines",
  ].map(part);
  const inspector = el("section", { class: "inspector", "aria-label": text("inspector.title") });
  const aside = el("aside", { class: "margin" }, inspector);
  const list = el("section", { class: "eventlist", hidden: true });
  const switches = part("row switches");

  put(
    host,
    el("div", { class: "row between stage-tools" }, switches, el("div", { class: "row" }, tools)),
    el(
      "div",
      { class: "stage-body" },
      el("div", { class: "stage-main" }, diagram, minimap, narrator, order),
      aside,
    ),
    bar,
    list,
  );
  /** @type {{scale: any, axes: any, filter: "all" | "odd"}} */
  const view = {
    scale: params.x ?? (store.live ? "time" : "order"),
    axes: params.v ?? "auto",
    filter: "all",
  };

  const viewer = createViewer(diagram, {
    text,
    onSelect: (selection, pinned) => hub.set(selection, pinned, viewer),
    onTime: remember,
    onPlay: () => {},
    onView: seen,
    hosts: { bar, order, minimap, narrator },
  });

  const events = createEventList(list, { store, hub });
  const look = createInspector(inspector, { store, hub, why });

  hub.listen((_, from) => {
    if (from !== viewer) viewer.setSelection(hub.value, hub.value === hub.pinned);
    update({ sel: formatSelection(hub.pinned) || undefined });
  });

  function remember(t) {
    if (viewer.player.playing) return;
    update({ t: t === null ? undefined : (t / store.unit).toFixed(3).replace(/\.?0+$/, "") });
  }

  function seen(changed) {
    Object.assign(view, changed);
    update({ x: view.scale, v: view.axes === "auto" ? undefined : view.axes });
    drawSwitches();
  }

  function drawSwitches() {
    const scales = SCALES.map((scale) =>
      button(text(`ctl.scale.${scale}`), () => setScale(scale), {
        "aria-pressed": String(view.scale === scale),
      }),
    );
    put(
      switches,
      el("div", { class: "row", role: "group", "aria-label": text("ctl.scale") }, scales),
      button(flipSign(), () => viewer.flip(), {
        class: "round",
        "aria-label": text("ctl.axes"),
        title: text("ctl.axes"),
        "aria-keyshortcuts": "v",
      }),
      !store.live &&
        button(text("ctl.odd"), toggleFilter, { "aria-pressed": String(view.filter === "odd") }),
      button(text("stage.list"), toggleList, {
        "aria-expanded": String(!list.hidden),
        "aria-keyshortcuts": "l",
      }),
    );
  }

  function setScale(scale) {
    viewer.setScale(scale);
    seen({ scale });
  }

  function toggleFilter() {
    view.filter = view.filter === "odd" ? "all" : "odd";
    viewer.setFilter(view.filter);
    drawSwitches();
  }

  function toggleList() {
    events.show(list.hidden);
    drawSwitches();
    if (!list.hidden) list.scrollIntoView({ block: "nearest" });
  }

  function openList() {
    if (list.hidden) toggleList();
    events.search();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (viewer.key(event)) return true;
    const act = { l: toggleList, "/": openList, w: why }[event.key];
    if (act) act();
    return Boolean(act);
  }

  const letters = (event) => viewer.setLetters(event.detail);
  document.addEventListener("lab:letters", letters);
  viewer.setTrace(store);
  viewer.setScale(view.scale);
  viewer.setAxes(view.axes);
  viewer.setLetters(lettersOn());
  const selected = parseSelection(params.sel);
  if (selected) hub.set(selected, true);
  if (params.t) viewer.setTime(Number(params.t) * store.unit);
  drawSwitches();

  return {
    hub,
    viewer,
    aside,
    key,
    bar,
    setScale,
    /** Another store takes the place of the one that was shown. */
    setStore(next) {
      store = next;
      viewer.setTrace(next);
      events.setStore(next);
      look.setStore(next);
    },
    /** What came meanwhile. */
    draw() {
      look.draw();
      events.draw();
    },
    destroy() {
      document.removeEventListener("lab:letters", letters);
      viewer.destroy();
    },
  };
}

/** Two arrows: to the right, and down. */
const flipSign = () =>
  svg(
    "svg",
    { class: "sign", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", { d: "M3 13V3H13M10 .5L13 3L10 5.5M.5 10L3 13L5.5 10" }),
  );
