// @ts-check
/** Puts a trace on the screen: sizes, scale, window, marks, and what does not move. */

import { el } from "./dom.js";
import { fitTo, Frame, round } from "./frame.js";
import { path, shape, words } from "./glyphs.js";
import { shortened, textWidth } from "./labels.js";
import { lanesOf, layout } from "./layout.js";
import { scene } from "./scene.js";
import { Drawing } from "./svg.js";
import { makeScale, natural, Viewport } from "./viewport.js";

/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./scale.js").Mode} Mode */

/**
 * @typedef {object} Wanted  how it is to be shown
 * @property {Mode} mode
 * @property {"right" | "down" | "auto"} axes
 * @property {boolean} odd
 * @property {number | null} px      of a unit, or from instant to instant; null: by itself
 * @property {{from: number, to: number} | null} range
 * @property {number} span           microseconds that are in sight while it follows; 0: it does not
 * @property {Set<string>} changed
 *
 * @typedef {{t: number, n: number, atEnd: boolean, now: number}} Head  where the playhead is
 */

/** Share of the screen's height that a diagram takes whose time goes down. */
const HIGH = 0.78;
const SHADE = 10; // below the last lane

export class Painter {
  /** @param {Element} host @param {() => void} moved told when the reader scrolls */
  constructor(host, moved) {
    this.drawing = new Drawing();
    this.drawing.root.classList.add("dia-space");
    this.spacer = el("div", { class: "dia-spacer" }, this.drawing.root);
    this.scroller = el("div", { class: "dia-scroll" }, this.spacer);
    this.notice = el("p", { class: "dia-notice", role: "status", hidden: true });
    host.append(this.scroller, this.notice);
    this.scroller.addEventListener(
      "scroll",
      () => {
        if (Math.abs(this.offset - this.wrote) > 1) moved();
      },
      { passive: true },
    );
    /** @type {Viewport | null} */
    this.viewport = null;
    /** @type {Frame | null} */
    this.frame = null;
    this.wrote = -1;
    this.scaleLook = "";
    /**
     * What is to be in sight next, if that is not where the reader has scrolled.
     * @type {{t: number, share: number, far?: boolean} | null}
     */
    this.aim = null;
    this.px = 1;
    this.dense = false;
  }

  get offset() {
    return this.frame?.down ? this.scroller.scrollTop : this.scroller.scrollLeft;
  }

  /**
   * @param {Store} store
   * @param {Wanted} wanted
   * @param {Head} head
   * @param {import("./words.js").Words} say
   * @returns {Mark[] | null} null: there is no room yet
   */
  paint(store, wanted, head, say) {
    const width = Math.floor(this.scroller.clientWidth);
    if (width < 40) return null;
    const { axes, sizes } = this.fit(store, width, wanted.axes, say);
    const lanes = lanesOf(store);
    const mores = new Set(store.lanes.filter(({ rows }) => rows.over.length).map(({ id }) => id));
    const frame = new Frame(axes, sizes, lanes, mores, axes === "down" ? width : 0);
    this.frame = frame;
    const most = frame.down ? Math.max(360, window.innerHeight * HIGH) : width;
    const viewport = this.look(store, wanted, head, frame, most);
    this.viewport = viewport;
    const times = viewport.times;
    const found = layout(store, {
      from: times.from,
      to: times.to,
      n: head.n,
      now: head.now,
      odd: wanted.odd,
    });
    this.dense = found.dense;
    const px = (/** @type {number} */ t) => viewport.px(t);
    const { scale } = viewport;
    const length = Math.max(viewport.length - viewport.base, viewport.window.to + 1);
    const means = {
      frame,
      scale,
      px,
      words: say,
      changed: wanted.changed,
      window: viewport.window,
      length,
      now: head.now,
    };
    return scene(found, means, times, store.instants, store.unit);
  }

  /**
   * Sizes with room for the times, where those stand beside each other's lines.
   * @param {Store} store
   * @param {number} width
   * @param {Wanted["axes"]} wanted
   * @param {import("./words.js").Words} say
   */
  fit(store, width, wanted, say) {
    const fit = fitTo(width, wanted);
    if (fit.axes === "right") return fit;
    const { instants } = store;
    const every = Math.ceil((instants.length + 1) / 100);
    const times = instants
      .filter((_, k) => k % every === 0)
      .map((t) => textWidth(say.tick(t), fit.sizes.small));
    return { ...fit, sizes: { ...fit.sizes, head: Math.max(fit.sizes.head, 16 + Math.max(0, ...times)) } };
  }

  /**
   * @param {Store} store
   * @param {Wanted} wanted
   * @param {Head} head
   * @param {Frame} frame
   * @param {number} most
   */
  look(store, wanted, head, frame, most) {
    const ends = {
      start: Math.min(store.start, wanted.range?.from ?? Infinity),
      end: Math.max(store.end, wanted.range?.to ?? -Infinity, store.live ? head.now : -Infinity),
    };
    const room = most - frame.sizes.lead - 78;
    const own = natural(store, wanted.mode, room, ends, frame.down, frame.sizes.unit);
    this.px = wanted.px ?? (wanted.span ? (room * store.unit) / wanted.span : own);
    const look = `${wanted.mode} ${this.px} ${store.version} ${ends.start} ${ends.end}`;
    if (look !== this.scaleLook || !this.viewport) this.scale = makeScale(store, wanted.mode, this.px, ends);
    this.scaleLook = look;
    const scale = /** @type {import("./scale.js").Scale} */ (this.scale);
    const whole = new Viewport(scale, frame, most, 0);
    const view = frame.down ? Math.min(most, whole.length + frame.sizes.lead) : most;
    let scroll = this.offset;
    if (wanted.span && head.atEnd) scroll = Infinity;
    else if (this.aim) scroll = this.aimed(this.aim, new Viewport(scale, frame, view, scroll));
    this.aim = null;
    const viewport = new Viewport(scale, frame, view, scroll);
    this.size(frame, viewport);
    return viewport;
  }

  /**
   * @param {{t: number, share: number, far?: boolean}} aim far: only if it is out of sight
   * @param {Viewport} viewport
   */
  aimed({ t, share, far }, viewport) {
    const { from, to } = viewport.window;
    const along = viewport.px(t);
    const margin = (to - from) * 0.12;
    if (far && along > from + margin / 2 && along < to - margin) return viewport.scroll;
    return viewport.scrollTo(t, share);
  }

  /** @param {Frame} frame @param {Viewport} viewport */
  size(frame, viewport) {
    const length = Math.ceil(frame.sizes.lead + viewport.length);
    const across = Math.ceil(frame.breadth + SHADE);
    const { style } = this.spacer;
    [style.width, style.height] = frame.down
      ? [`${across}px`, `${length}px`]
      : [`${length}px`, `${across}px`];
    this.scroller.style.maxHeight = frame.down ? `${viewport.view}px` : "";
    this.scroller.classList.toggle("down", frame.down);
    if (Math.abs(this.offset - viewport.scroll) > 0.5) {
      if (frame.down) this.scroller.scrollTop = viewport.scroll;
      else this.scroller.scrollLeft = viewport.scroll;
    }
    this.wrote = this.offset;
  }

  /**
   * @param {Mark[]} marks
   * @param {Head} head
   * @param {(mark: {ms: string[], ns: number[], c: string, lane: string}) => boolean} hot
   * @param {string} current
   * @param {import("./words.js").Words} say
   */
  draw(marks, head, hot, current, say) {
    const { frame, viewport } = this;
    if (!frame || !viewport) return;
    const across = Math.ceil(frame.breadth + SHADE);
    const [width, height] = frame.down ? [across, viewport.view] : [viewport.view, across];
    const shift = frame.at(round(viewport.shift), 0);
    const clip = frame.rect(frame.sizes.lead, 0, viewport.view - frame.sizes.lead, across);
    this.drawing.draw(marks, { shift, width, height, clip }, hot, current);
    this.drawing.drawFront(this.names(frame, width, height, hot, say));
    this.drawing.drawHead(head.atEnd ? [] : this.playhead(frame, viewport, head, say));
  }

  /**
   * @param {Frame} frame
   * @param {Viewport} viewport
   * @param {Head} head
   * @param {import("./words.js").Words} say
   * @returns {Shape[]}
   */
  playhead(frame, viewport, head, say) {
    const along = round(viewport.px(head.t) + viewport.shift);
    const size = frame.sizes.small;
    const text = say.tick(head.t);
    const wide = Math.max(30, textWidth(text, size, true) + 14);
    const { head: room } = frame.sizes;
    const [x, y] = frame.down ? [room / 2 - 1, along] : [along, room - 17];
    return [
      path(frame.line([along, room - 4], [along, frame.breadth]), "needle"),
      shape("rect", "chip", { x: round(x - wide / 2), y: y - 11, width: round(wide), height: 22, rx: 11 }),
      words(text, x, y, size, "chipword"),
    ];
  }

  /**
   * The lanes' names, which stay where they are.
   * @param {Frame} frame
   * @param {number} width
   * @param {number} height
   * @param {(mark: any) => boolean} hot
   * @param {import("./words.js").Words} say
   * @returns {Shape[]}
   */
  names(frame, width, height, hot, say) {
    const { lead, head, small, font } = frame.sizes;
    const shapes = [
      shape(
        "rect",
        "veil",
        frame.down ? { x: 0, y: 0, width, height: lead } : { x: 0, y: 0, width: lead, height },
      ),
    ];
    const axis = `${say.text(`dia.axis.${say.kind}`)} ${frame.down ? "↓" : "→"}`;
    if (!frame.down) shapes.push(words(axis, lead - 14, head - 17, small - 1, "unit end"));
    for (const { lane, from, to, mid } of frame.strips.values()) {
      const kind = say.text(lane.count > 1 ? "lane.producers" : `lane.${lane.kind}`, { n: lane.count });
      const cls = hot({ ms: [], ns: [], c: lane.kind === "consumer" ? lane.name : "", lane: lane.id })
        ? " hot"
        : "";
      const room = frame.down ? to - from - 4 : lead - 22;
      const name = lane.name && shortened(lane.name, room, font, true);
      const [x, y] = frame.down ? [(from + to) / 2, lead / 2] : [lead - 14, mid];
      const side = frame.down ? "middle" : "end";
      const up = name ? font * 0.55 : 0;
      shapes.push(words(shortened(kind, room + 4, small - 1), x, y - up, small - 1, `kind ${side}${cls}`));
      if (name) shapes.push(words(name, x, y + small * 0.62, font, `name ${side}${cls}`));
    }
    return shapes;
  }

  /**
   * Name of the consumer whose lane's name is at a place of the drawing, or "".
   * @param {number} x
   * @param {number} y
   */
  consumerAt(x, y) {
    const { frame } = this;
    if (!frame) return "";
    const [along, across] = frame.down ? [y, x] : [x, y];
    if (along > frame.sizes.lead) return "";
    for (const { lane, from, to } of frame.strips.values()) {
      if (across >= from && across < to) return lane.kind === "consumer" ? lane.name : "";
    }
    return "";
  }

  /** The time that was pressed on the axis; null: something else was. @param {number} x @param {number} y */
  timeAt(x, y) {
    const { frame, viewport } = this;
    if (!frame || !viewport) return null;
    const [along, across] = frame.down ? [y, x] : [x, y];
    return across < frame.sizes.head && along > frame.sizes.lead ? viewport.time(along) : null;
  }
}
