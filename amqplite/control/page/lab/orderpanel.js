// @ts-check
/** The order lines below the diagram, with the switch of what is compared. */

import { el, put } from "./dom.js";
import { atStrip, heatStrip } from "./heatstrip.js";
import { LINES, sequence, viewsOf } from "./order.js";
import { orderLines } from "./orderscene.js";
import { Pointing } from "./pointing.js";
import { belongs } from "./highlight.js";
import { Drawing } from "./svg.js";

/** @typedef {import("./types.js").Selection} Selection */
/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./order.js").OrderView} OrderView */

/** A live trace is put in order no more often than this. */
const APART_MS = 1000;

/** @param {OrderView} view */
const nameOf = ({ what, on }) => `${what} ${on}`;

export class OrderPanel {
  /**
   * @param {Element} host
   * @param {{text: import("./types.js").Text, select: (sel: Selection | null, pinned: boolean) => void}} means
   */
  constructor(host, means) {
    this.means = means;
    this.drawing = new Drawing();
    this.drawing.root.classList.add("dia-lines");
    this.title = el("h3", { class: "dia-ordertitle" });
    this.count = el("p", { class: "dia-ordercount" });
    this.choice = el("select", {
      class: "dia-orderchoice",
      on: { change: () => this.choose(this.choice.value) },
    });
    this.scroller = el("div", { class: "dia-orderscroll" }, this.drawing.root);
    this.root = el(
      "section",
      { class: "dia dia-order" },
      el("div", { class: "dia-orderhead" }, this.title, this.choice, this.count),
      this.scroller,
    );
    host.append(this.root);
    this.chosen = "";
    this.offered = "";
    this.look = "";
    this.asked = "";
    this.last = -Infinity;
    /** Messages there will be in the end. */
    this.most = 0;
    /** @type {import("./order.js").Sequence} */
    this.sequence = { published: [], arrived: [] };
    this.pointing = new Pointing(this.drawing, this.scroller, {
      select: (mark, pinned) => means.select(mark ? cardOf(mark) : null, pinned),
      elsewhere: (x) => this.selectAt(x),
    });
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name;
    this.look = this.asked = "";
    this.redraw?.();
  }

  /**
   * @param {Store} store
   * @param {number} shown
   * @param {Selection | null} selection
   * @param {() => void} redraw
   */
  draw(store, shown, selection, redraw) {
    this.redraw = redraw;
    const width = Math.floor(this.scroller.clientWidth);
    if (!width) return;
    const view = this.offer(store);
    const asked = JSON.stringify([width, selection, this.chosen, this.means.text("order.title")]);
    const look = `${asked} ${store.version} ${shown}`;
    const now = performance.now();
    if (look === this.look || (store.live && asked === this.asked && now < this.last + APART_MS)) return;
    [this.look, this.asked, this.last] = [look, asked, now];
    this.sequence = view ? sequence(store, view, shown) : { published: [], arrived: [] };
    const all =
      shown === store.events.length || !view ? this.sequence : sequence(store, view, store.events.length);
    this.most = Math.max(all.published.length, all.arrived.length);
    this.paint(width, selection);
  }

  /** @param {number} width @param {Selection | null} selection */
  paint(width, selection) {
    const { text } = this.means;
    const many = this.most > LINES;
    /** @type {[string, string]} */
    const rows = [text("order.published"), this.rowName()];
    const lines = many ? null : orderLines(this.sequence, width, text, rows, this.most);
    const drawn = lines ?? heatStrip(this.sequence, width, text);
    const where = {
      shift: /** @type {[number, number]} */ ([0, 0]),
      width: drawn.width,
      height: drawn.height,
      clip: { x: 0, y: 0, width: drawn.width, height: drawn.height },
    };
    const marks = drawn.marks;
    this.drawing.root.classList.toggle(
      "selecting",
      selection !== null && marks.some((mark) => mark.ms.length && belongs(mark, selection)),
    );
    this.drawing.draw(
      marks,
      where,
      (mark) => selection !== null && isHot(mark, selection),
      this.pointing.tabStop(marks),
    );
    this.say(lines?.crossed ?? NaN);
  }

  /** @param {number} crossed NaN: not counted */
  say(crossed) {
    const { text } = this.means;
    const { published, arrived } = this.sequence;
    put(this.title, text(Number.isNaN(crossed) ? "order.strip" : "order.title"));
    this.choice.setAttribute("aria-label", text("order.what"));
    const fine = crossed === 0 && arrived.length > 0;
    const words = fine ? text("order.none", { n: arrived.length }) : text("order.count", { n: crossed });
    const nothing = !arrived.length || Number.isNaN(crossed);
    put(this.count, nothing ? "" : fine ? `✓ ${words}` : words);
    this.count.className = `dia-ordercount ${fine ? "fine" : "bad"}`;
    const labels = (/** @type {string[]} */ list) => list.slice(0, LINES).join(" ");
    const a = labels(published.map(({ label }) => label));
    const b = labels(arrived.map(({ at }) => published[at].label));
    const name = a
      ? text("order.name", { a, b, what: this.rowName(), count: nothing ? "" : words })
      : text("order.empty");
    this.drawing.root.setAttribute("aria-label", name);
  }

  rowName() {
    const [what, ...on] = this.chosen.split(" ");
    return this.means.text(`order.${what || "completion"}`, { c: on.join(" ").slice(2) });
  }

  /** Keeps the choice to what there is. @param {Store} store @returns {OrderView | undefined} */
  offer(store) {
    const views = viewsOf(store);
    const many = views.filter(({ what }) => what === "completion").length > 1;
    const { text } = this.means;
    const options = views.map((view) => {
      const words = text(`order.${view.what}`, { c: view.on.slice(2) });
      return [nameOf(view), many && view.what !== "view" ? `${view.on.slice(2)}: ${words}` : words];
    });
    const offered = JSON.stringify(options);
    if (offered !== this.offered) {
      this.offered = offered;
      put(
        this.choice,
        options.map(([value, words]) => el("option", { value }, words)),
      );
    }
    const view = views.find((one) => nameOf(one) === this.chosen) ?? views[0];
    this.chosen = view ? nameOf(view) : "";
    this.choice.value = this.chosen;
    return view;
  }

  /** @param {number} x */
  selectAt(x) {
    const { arrived, published } = this.sequence;
    if (this.most <= LINES) return false;
    const place = atStrip(x, this.scroller.clientWidth, arrived.length);
    if (place >= 0) this.means.select({ m: published[arrived[place].at].label }, true);
    return place >= 0;
  }
}

/** @param {{ms: string[]}} mark @returns {Selection} */
function cardOf({ ms }) {
  return ms.length === 2 ? { pair: [ms[0], ms[1]] } : { m: ms[0] };
}

/** @param {import("./types.js").Mark} mark @param {Selection} selection */
function isHot(mark, selection) {
  const { pair } = selection;
  if (pair && mark.ms.length === 2) return mark.ms[0] === pair[0] && mark.ms[1] === pair[1];
  return belongs(mark, selection);
}
