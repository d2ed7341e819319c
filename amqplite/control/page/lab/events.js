// @ts-check
/** The event list: all that the diagram shows, as a table. */

import { button, el, put } from "./dom.js";
import { number, span, text } from "./i18n.js";
import { belongs } from "./selection.js";
import { causeWords, told } from "./told.js";

const PAGE = 200;
const COLUMNS = ["n", "t", "what", "message", "where", "cause"];

/**
 * @param {any} host
 * @param {{store: any, hub: import("./selection.js").Hub}} options
 */
export function createEventList(host, { store, hub }) {
  let [shown, wanted, drawn] = [PAGE, "", -1];
  const search = el("input", {
    type: "search",
    placeholder: text("events.search"),
    "aria-label": text("events.search"),
    on: { input: () => look(search.value) },
  });
  const body = el("tbody");
  const foot = el("p", { class: "row" });
  const count = el("p", { class: "quiet", role: "status" });
  put(
    host,
    el("div", { class: "row between" }, el("h2", {}, text("events.title")), search, count),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": text("events.title") },
      el(
        "table",
        { class: "events" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            COLUMNS.map((name) => el("th", { scope: "col", class: name }, text(`events.${name}`))),
          ),
        ),
        body,
      ),
    ),
    foot,
  );

  function look(words) {
    [wanted, shown] = [words.trim().toLowerCase(), PAGE];
    draw();
  }

  function draw() {
    drawn = store.version;
    const found = wanted
      ? store.events.filter((event) => matches(event, wanted, store))
      : store.events;
    put(
      body,
      found.slice(0, shown).map((event) => row(event, store, hub)),
    );
    count.textContent = text("events.count", { n: number(found.length) });
    put(foot, found.length > shown && button(text("events.more"), more));
    mark();
  }

  function more() {
    shown += PAGE;
    draw();
  }

  function mark() {
    for (const line of body.rows) {
      const event = line.event;
      line.classList.toggle("chosen", belongs(event, hub.value));
      if (hub.pinned?.n === event.n) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
  }

  hub.listen(() => !host.hidden && mark());
  return {
    /** Draw what is new, if it can be seen. */
    draw: () => !host.hidden && drawn !== store.version && draw(),
    /** @param {boolean} open */
    show(open) {
      host.hidden = !open;
      if (open) draw();
    },
    search: () => search.focus(),
    setStore(next) {
      store = next;
      drawn = -1;
    },
  };
}

function row(event, store, hub) {
  const cells = [
    el("th", { scope: "row", class: "n number" }, event.n),
    el("td", { class: "t number" }, span(event.t, store.unit, false)),
    el(
      "td",
      { class: "what" },
      el("button", { type: "button", class: "link" }, told(event, store)),
    ),
    el("td", { class: "message" }, event.m ?? ""),
    el("td", { class: "where" }, event.c ?? event.p ?? event.q ?? ""),
    el("td", { class: "cause" }, causeWords(event.order?.cause ?? event.cause, event.sub)),
  ];
  const line = el(
    "tr",
    {
      class: event.order?.inv || event.type === "requeued" ? "odd" : "",
      on: { click: () => hub.set({ n: event.n }, true) },
    },
    cells,
  );
  line.event = event;
  return line;
}

function matches(event, wanted, store) {
  const words = [told(event, store), event.type, event.m, event.c, event.p, event.q, event.cause];
  return words.some((word) => word?.toLowerCase().includes(wanted));
}
