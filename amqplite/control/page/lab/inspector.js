// @ts-check
/** What is known of what is selected. */

import { button, el, put } from "./dom.js";
import { number, span, text } from "./i18n.js";
import { selects } from "./selection.js";
import { causeWords, told, when } from "./told.js";

const MOST = 40;

/**
 * @param {any} host
 * @param {{store: any, hub: import("./selection.js").Hub, why?: () => void}} options
 */
export function createInspector(host, { store, hub, why }) {
  let drawn = "";

  function draw() {
    const selection = hub.value;
    const key = `${JSON.stringify(selection)} ${hub.pinned === selection} ${store.version}`;
    if (key === drawn) return;
    drawn = key;
    host.classList.toggle("open", hub.pinned !== null);
    host.classList.toggle("pinned", selection !== null && hub.pinned === selection);
    put(
      host,
      selection ? describe(selection) : el("p", { class: "quiet hint" }, text("inspector.hint")),
    );
  }

  function describe(selection) {
    const event = selection.n ? store.events[store.upTo(selection.n) - 1] : null;
    if (event && event.n === selection.n) return eventView(event);
    if (selection.pair) return pairView(selection.pair);
    if (selection.c) return consumerView(selection.c);
    return selection.m ? messageView(selection.m) : null;
  }

  const head = (title, kind) =>
    el(
      "header",
      {},
      el("p", { class: "kind quiet" }, kind),
      el("h2", {}, title),
      button("×", () => hub.set(null, true), {
        class: "plain round close",
        "aria-label": text("inspector.close"),
      }),
    );

  function messageView(m) {
    const events = store.events.filter((event) => event.m === m);
    const find = (type) => events.find((event) => event.type === type);
    const late = events.find((event) => event.order?.inv);
    const queued = find("enqueued") ?? find("delivered");
    return [
      head(m, text("inspector.message")),
      facts([
        ["inspector.queue", queued?.q],
        ["inspector.place", queued?.s],
        ["inspector.publisher", find("published")?.p],
        ["inspector.key", queued?.key && queued.key !== queued.q ? queued.key : ""],
        ["inspector.priority", queued?.prio],
        ["inspector.size", queued?.size ? number(queued.size) : ""],
      ]),
      story(events),
      late &&
        el(
          "p",
          { class: "overtaken" },
          text("inspector.overtaken", {
            over: late.order.over.join(", "),
            n: late.order.inv,
            late: span(late.order.late, store.unit),
          }),
        ),
      late && why && el("p", {}, button(text("inspector.why"), why)),
      raw(events),
    ];
  }

  function consumerView(c) {
    const events = store.events.filter((event) => event.c === c);
    const saw = events.filter((event) => event.type === "delivered").map((event) => event.m);
    const registered = events.find((event) => event.type === "consumer_registered");
    return [
      head(c, text("inspector.consumer")),
      facts([
        ["inspector.queue", registered?.q],
        ["inspector.prefetch", registered && (registered.prefetch || text("inspector.unlimited"))],
        ["inspector.client", registered?.text],
        ["inspector.connection", registered?.conn],
        ["inspector.saw", saw.slice(-MOST).join(" ")],
      ]),
      story(events.filter((event) => event.type !== "started" && event.type !== "applied")),
    ];
  }

  function pairView([over, under]) {
    const done = (m) => store.events.findLast((event) => event.type === "acked" && event.m === m);
    const [sooner, later] = [done(over), done(under)];
    return [
      head(`${over} ⤫ ${under}`, text("inspector.pair")),
      el("p", {}, text("order.cross", { x: under, y: over })),
      sooner &&
        later &&
        el(
          "p",
          { class: "quiet" },
          text("inspector.between", {
            over,
            under,
            late: span(later.t - sooner.t, store.unit),
          }),
        ),
      story([sooner, later].filter(Boolean)),
    ];
  }

  function eventView(event) {
    const about = event.m ? { m: event.m } : event.c ? { c: event.c } : null;
    return [
      head(told(event, store), text("inspector.event", { n: event.n, t: when(event.t, store) })),
      facts([
        ["inspector.cause", causeWords(event.cause, event.sub)],
        ["inspector.queue", event.q],
        ["inspector.place", event.s],
        ["inspector.depth", event.depth],
        ["inspector.attempt", event.attempt],
        ["inspector.connection", event.conn],
      ]),
      about &&
        el(
          "p",
          {},
          el(
            "button",
            { type: "button", class: "link", on: selects(hub, about) },
            text("inspector.more", { name: event.m || event.c }),
          ),
        ),
      raw([event]),
    ];
  }

  const facts = (pairs) =>
    el(
      "dl",
      { class: "facts" },
      pairs
        .filter(([, value]) => value !== undefined && value !== "" && value !== 0)
        .map(([key, value]) => el("div", {}, el("dt", {}, text(key)), el("dd", {}, value))),
    );

  function story(events) {
    const lines = events
      .slice(-MOST)
      .map((event) =>
        el(
          "li",
          { class: event.type === "requeued" ? "odd" : "" },
          el("span", { class: "number quiet" }, span(event.t, store.unit, false)),
          el(
            "button",
            { type: "button", class: "link", on: selects(hub, { n: event.n }) },
            told(event, store),
          ),
        ),
      );
    return el("ol", { class: "story" }, lines);
  }

  const raw = (events) =>
    el(
      "details",
      {},
      el("summary", {}, text("inspector.raw")),
      el(
        "pre",
        { class: "mono", tabindex: "0" },
        events
          .slice(-MOST)
          .map((event) => JSON.stringify(event))
          .join("\n"),
      ),
    );

  hub.listen(draw);
  draw();
  return {
    draw,
    setStore(next) {
      store = next;
      drawn = "";
    },
  };
}
