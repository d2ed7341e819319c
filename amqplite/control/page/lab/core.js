// @ts-check
/** What moves a viewer: when it draws, where the playhead goes, what is selected. */

import { drawBeside, keepFocus, narrate, takeFocus } from "./beside.js";
import { el } from "./dom.js";
import { belongs, sameSelection, selectionOf } from "./highlight.js";
import { Minimap } from "./minimap.js";
import { Narrator } from "./narrator.js";
import { OrderPanel } from "./orderpanel.js";
import { Painter } from "./painter.js";
import { PlayBar } from "./playbar.js";
import { pinch } from "./pinch.js";
import { Player } from "./player.js";
import { Pointing } from "./pointing.js";
import { createStore } from "./trace.js";
import { Words } from "./words.js";

/** @typedef {import("./types.js").Selection} Selection */
/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./scale.js").Mode} Mode */
/** @typedef {"right" | "down" | "auto"} WantedAxes */
/** @typedef {Element | null | undefined} Host */

/**
 * @typedef {object} Options
 * @property {import("./types.js").Text} text
 * @property {(selection: Selection | null, pinned: boolean) => void} [onSelect]
 * @property {(t: number | null, n: number) => void} [onTime]
 * @property {(playing: boolean) => void} [onPlay]
 * @property {(view: {scale: Mode, axes: WantedAxes, speed: number, filter: "all" | "odd", follow: boolean}) => void} [onView]
 * @property {{bar?: Host, order?: Host, minimap?: Host, narrator?: Host}} [hosts]
 */

const ZOOM = 1.5;
/** Milliseconds from one instant to the next, on the axis of order. */
const INSTANT_MS = 700;
/** Milliseconds between two drawings that nobody asked for, at least. */
const IDLE_MS = 40;

export class Core {
  /** @param {Element} container @param {Options} options */
  constructor(container, options) {
    this.options = options;
    /** @type {Store} */
    this.store = createStore({ tick_us: 1e6 });
    /** @type {import("./painter.js").Wanted} */
    this.wanted = {
      mode: "time",
      axes: "auto",
      odd: false,
      px: null,
      range: null,
      span: 0,
      changed: new Set(),
    };
    this.pinned = /** @type {Selection | null} */ (null);
    this.hovered = this.pinned;
    this.letters = true;
    this.handle = 0;
    this.came = 0;
    /** Milliseconds that the last drawing took. */
    this.cost = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.playing = false;
    this.quiet = false;
    this.untold = false;
    this.refocus = false;
    /** @type {() => void} */
    this.unlisten = () => {};
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.root = el("div", { class: "dia dia-viewer" });
    container.append(this.root);
    const { hosts = {}, text } = options;
    this.painter = new Painter(this.root, () => this.schedule());
    this.pointing = new Pointing(this.painter.drawing, this.painter.scroller, {
      select: (mark, pinned) => this.select(mark && selectionOf(mark), pinned),
      elsewhere: (x, y) => this.atName(x, y),
    });
    this.player = new Player({
      store: () => this.store,
      end: () => Math.max(this.store.end, this.wanted.range?.to ?? -Infinity),
      pace: (t, ms) => this.pace(t, ms),
      moved: (by) => this.moved(by),
      changed: () => this.changed(),
      jumps: () => this.still.matches,
    });
    const host = (/** @type {Host} */ given) => (given === undefined ? this.root : given);
    const [minimap, narrator, bar, order] = [hosts.minimap, hosts.narrator, hosts.bar, hosts.order].map(host);
    this.minimap = minimap && new Minimap(minimap, { scrollTo: (share) => this.goTo(share) });
    this.narrator = narrator && new Narrator(narrator);
    this.bar =
      bar &&
      new PlayBar(bar, {
        text,
        player: this.player,
        zoom: (by) => this.zoom(by),
        place: (t) => this.share(t),
        time: (share) => this.timeAt(share),
      });
    this.order =
      order && new OrderPanel(order, { text, select: (selection, pinned) => this.select(selection, pinned) });
    pinch(this.painter.scroller, {
      down: () => this.painter.frame?.down ?? false,
      zoom: (factor, along) => this.zoomAt(factor, this.painter.viewport?.time(along) ?? 0),
    });
    this.watch = new ResizeObserver(() => this.schedule());
    this.watch.observe(this.root);
    this.words = new Words(options.text, this.store.unit, this.store.live);
  }

  /** @param {Selection | null} selection @param {boolean} pinned */
  select(selection, pinned) {
    const before = pinned ? this.pinned : this.hovered;
    if (pinned) [this.pinned, this.hovered] = [selection, null];
    else this.hovered = selection;
    if (sameSelection(before, selection) && (selection !== null || !pinned)) return;
    this.options.onSelect?.(selection, pinned);
    this.schedule();
  }

  /**
   * A press beside all marks: on the name of a consumer, a time, or nothing.
   * @param {number} x
   * @param {number} y
   */
  atName(x, y) {
    const c = this.painter.consumerAt(x, y);
    const t = this.painter.timeAt(x, y);
    if (c) this.select({ c }, true);
    else if (t !== null) this.player.seek(t);
    return c !== "" || t !== null;
  }

  // --- time ------------------------------------------------------------------------------------

  /** Where `t` is on the whole axis, from 0 to 1. @param {number} t */
  share(t) {
    const scale = this.painter.scale;
    return scale?.length ? (scale.px(t) - scale.places[0]) / scale.length : 0;
  }

  /** @param {number} share */
  timeAt(share) {
    const scale = this.painter.scale;
    return scale ? scale.time(scale.places[0] + share * scale.length) : 0;
  }

  /**
   * Where the playhead is `ms` after `t`: it runs evenly along the axis.
   * @param {number} t
   * @param {number} ms
   */
  pace(t, ms) {
    const scale = this.painter.scale;
    if (!scale) return t;
    const px = scale.mode === "order" ? (scale.slope * this.store.unit) / INSTANT_MS : scale.slope * 1000;
    return scale.time(scale.px(t) + ms * px);
  }

  /** @param {() => void} move the playhead, without telling anybody */
  quietly(move) {
    this.quiet = true;
    move();
    this.quiet = false;
  }

  /** @param {"step" | "play" | "seek"} by */
  moved(by) {
    if (!this.player.atEnd) {
      this.painter.aim = { t: this.player.t, share: 0.4, far: true };
      this.stopFollowing();
    }
    if (by === "step") this.refocus = this.painter.drawing.root.contains(document.activeElement);
    if (!this.quiet) this.untold = true;
    this.schedule();
  }

  /** It plays or does not, or its speed is another. */
  changed() {
    if (this.playing !== this.player.playing) {
      this.playing = this.player.playing;
      this.options.onPlay?.(this.playing);
    } else this.tellView();
    this.schedule();
  }

  stopFollowing() {
    if (!this.wanted.span) return;
    this.wanted.span = 0;
    this.tellView();
  }

  tellView() {
    const { mode, axes, odd, span } = this.wanted;
    const filter = odd ? "odd" : "all";
    this.options.onView?.({ scale: mode, axes, speed: this.player.speed, filter, follow: span > 0 });
  }

  /** @param {-1 | 0 | 1} by a step in or out, or all */
  zoom(by) {
    const viewport = this.painter.viewport;
    if (!viewport) return;
    if (by === 0) {
      this.wanted.px = null;
      this.painter.aim = { t: this.store.start, share: 0 };
      return this.schedule();
    }
    const { player } = this;
    const { from, to } = viewport.sight;
    const seen = !player.atEnd && player.t > from && player.t < to;
    this.zoomAt(ZOOM ** by, seen ? player.t : viewport.time((viewport.lead + viewport.view) / 2));
  }

  /** @param {number} factor @param {number} t what stays where it is */
  zoomAt(factor, t) {
    const viewport = this.painter.viewport;
    if (!viewport) return;
    const { from, to } = viewport.window;
    this.wanted.px = this.painter.px * factor;
    this.painter.aim = { t, share: (viewport.px(t) - from) / Math.max(1, to - from) };
    this.stopFollowing();
    this.schedule();
  }

  /** @param {number} share of the whole axis, which is to be in the middle */
  goTo(share) {
    this.stopFollowing();
    this.painter.aim = { t: this.timeAt(share), share: 0.5 };
    this.schedule();
  }

  /** @param {Selection} selection */
  bringIntoSight({ m, n, pair }) {
    const label = m ?? pair?.[1];
    const at =
      n === undefined
        ? this.store.boxes.list.find((box) => box.message.m === label)?.from
        : this.store.events[this.store.upTo(n) - 1]?.t;
    if (at !== undefined) this.painter.aim = { t: at, share: 0.4, far: true };
  }

  /** What time it is for what has not ended. */
  get now() {
    const { store, player } = this;
    if (!player.atEnd) return player.t;
    if (!store.live || !this.wanted.span) return store.end;
    return store.end + (performance.now() - this.came) * 1000;
  }

  // --- drawing ---------------------------------------------------------------------------------

  /** Draws at the next frame: the reader did something. */
  schedule() {
    this.handle ||= requestAnimationFrame(() => {
      this.handle = 0;
      const began = performance.now();
      this.paint();
      this.cost = performance.now() - began;
      if (this.store.live && this.wanted.span && this.player.atEnd) this.later();
    });
  }

  /** Draws soon: something came, or time went on. What is dear to draw is drawn less often. */
  later() {
    this.timer ||= setTimeout(
      () => {
        this.timer = undefined;
        this.schedule();
      },
      this.still.matches ? 1000 : Math.max(IDLE_MS, this.cost * 4),
    );
  }

  paint() {
    const { painter, player, store, words } = this;
    const head = { t: player.t, n: player.n, atEnd: player.atEnd, now: this.now };
    const marks = painter.paint(store, this.wanted, head, words);
    if (marks) {
      const selection = this.hovered ?? this.pinned;
      const some = selection !== null && marks.some((mark) => belongs(mark, selection));
      painter.drawing.root.classList.toggle("selecting", some);
      keepFocus(painter.drawing.root, marks);
      const hot = (/** @type {Parameters<typeof belongs>[0]} */ mark) =>
        selection !== null && belongs(mark, selection);
      painter.draw(marks, head, hot, this.pointing.tabStop(marks), words);
      takeFocus(this, marks);
      drawBeside(this, marks);
    }
    this.order?.draw(store, player.shown, this.hovered ?? this.pinned, () => this.schedule());
    this.bar?.draw(store, words);
    narrate(this);
    this.tell();
  }

  tell() {
    if (!this.untold) return;
    this.untold = false;
    this.options.onTime?.(this.player.atEnd ? null : this.player.t, this.player.event?.n ?? 0);
  }
}
