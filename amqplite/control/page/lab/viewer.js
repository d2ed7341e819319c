// @ts-check
/**
 * The space-time diagram of a trace, with its order lines, minimap, narrator and play bar.
 *
 *     import { createStore } from "./trace.js";
 *     import { createViewer } from "./viewer.js";
 *
 *     const store = createStore(header);          // header: first line of a trace file
 *     store.add(events);                          // any number of times, in order of n
 *     const viewer = createViewer(element, { text, onSelect });
 *     viewer.setTrace(store);                     // later store.add(…) draw by themselves
 *
 * Link `diagram.css` in the page. Nothing here fetches, stores or reads the address bar.
 *
 * `createViewer(container, options)`; options:
 *   text(key, slots)         words, in the page's language; keys used: `dia.*`, `say.*`, `ctl.*`,
 *                            `lane.*`,
 *                            `name.*`, `end.*`, `order.*`, `cause.*`, `sub.*`, `fault.*`. After a change of language: `viewer.retell()`.
 *   onSelect(sel, pinned)    the reader hovers (pinned = false), clicks or presses Enter (true);
 *                            sel = null: nothing is selected any more. Never called for setSelection.
 *   onTime(t, n)             the reader or playing moved the playhead; at most once a frame. t = null: at
 *                            the end. n: last event that is shown. Never called for setTime, setEvent.
 *   onPlay(playing)          it started or stopped playing.
 *   onView(view)             the reader changed {scale, axes, speed, filter, follow}.
 *   hosts                    {bar, order, minimap, narrator}: an element puts that part there,
 *                            null leaves it out; by default all are inside the container.
 *
 * A selection is what is highlighted while everything else goes to 35 %; all parts may be absent:
 *   {m: "m3"}            a message by label      {c: "c2"}   a consumer
 *   {n: 17}              one event               {pair: ["m4", "m3"]}   m4 overtook m3
 *
 * Methods:
 *   setTrace(store)          show this trace; the playhead is at its end.
 *   setSelection(sel, pinned = true)   null clears.
 *   setTime(t)               microseconds; null = the end, everything shown, follows what comes.
 *   setEvent(n)              playhead right after event n, where several share one instant.
 *   setScale("order"|"time"|"collapse"), setAxes("right"|"down"|"auto"), setFilter("all"|"odd")
 *   setRange(from, to)       show at least this part of time, for two viewers on one axis; null ends it.
 *   setWindow(from, to)      zoom to that part.  getWindow() → {from, to}, in microseconds.
 *   setFollow(on, span)      keep the end in sight, in a window of `span` microseconds, 30 s by default.
 *   setChanged(labels)       Set of labels that get a rhombus (their rank differs in another run).
 *   player                   {play, pause, toggle, step(±1), stepMessage(±1), stepAnomaly(±1),
 *                            start, end, setSpeed(0.25|0.5|1|2|4), playing, speed, t, n}
 *   zoom(±1 | 0), pan(±1), flip(), nextScale()
 *   consumer()               name of the consumer that the keyboard or the selection is on, or "".
 *   key(keyboardEvent)       handles the keys below, tells whether it did. The diagram calls it itself
 *                            while it has the focus; call it from the document for the rest of the page.
 *   setLetters(on)           whether keys without a modifier that are letters do anything.
 *   picture()                a standalone <svg> with all styles inlined, of what is shown now.
 *   retell(), focus(), destroy()
 *
 * Keys: space play/pause · ← → event · shift+← → message · n p anomaly · Home End · + - 0 zoom ·
 *   a d pan · ↑ ↓ lane · Enter pin · Esc clear · v axes · s scale.
 *
 * ↑ ↓ do something only while the diagram has the focus, so that the page still scrolls.
 *
 * Custom properties read from the surrounding page (fallbacks for light and dark in diagram.css):
 *   --ink --paper --panel --grid --muted --grey   text, ground, raised ground, lines, quiet text, idle
 *   --blue --orange --vermilion --green --sky     held, redelivered, trouble, acknowledged, waiting
 *   --vermilion-ink --green-ink                   the same as text (7:1)
 *   --on-blue                                     text on a held bar
 *   --outline                                     outline of filled marks, 3:1 against the ground
 *   --focus                                       focus ring
 */

import { Core } from "./core.js";
import { portrait } from "./portrait.js";
import { steer } from "./steering.js";
import { Words } from "./words.js";

/** @typedef {import("./types.js").Selection} Selection */
/** @typedef {import("./trace.js").Store} Store */
/** @typedef {import("./scale.js").Mode} Mode */
/** @typedef {import("./core.js").WantedAxes} WantedAxes */

const MODES = /** @type {const} */ (["order", "time", "collapse"]);
const FOLLOW_US = 30e6;

export class Viewer extends Core {
  /** @param {Element} container @param {import("./core.js").Options} options */
  constructor(container, options) {
    super(container, options);
    this.root.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (!event.defaultPrevented && this.key(event)) event.preventDefault();
    });
    this.retell();
  }

  // --- what the page around it says ------------------------------------------------------------

  /** @param {Store} store */
  setTrace(store) {
    this.unlisten();
    this.player.pause();
    this.store = store;
    this.unlisten = store.listen(() => {
      this.came = performance.now();
      this.later();
    });
    this.came = performance.now();
    [this.player.n, this.player.t] = [Infinity, store.end];
    [this.wanted.px, this.wanted.range] = [null, null];
    this.retell();
  }

  /** @param {Selection | null} selection @param {boolean} [pinned] */
  setSelection(selection, pinned = true) {
    if (pinned) [this.pinned, this.hovered] = [selection, null];
    else this.hovered = selection;
    if (selection && pinned) this.bringIntoSight(selection);
    this.schedule();
  }

  /** @param {number | null} t */
  setTime(t) {
    this.quietly(() => this.player.seek(t));
  }

  /** @param {number} n */
  setEvent(n) {
    this.quietly(() => this.player.seekEvent(n));
  }

  /** @param {Mode} mode */
  setScale(mode) {
    const t = this.player.atEnd ? null : this.player.t;
    Object.assign(this.wanted, { mode, px: null });
    if (t !== null) this.painter.aim = { t, share: 0.5, far: true };
    this.schedule();
  }

  /** @param {WantedAxes} axes */
  setAxes(axes) {
    this.wanted.axes = axes;
    this.schedule();
  }

  /** @param {"all" | "odd"} filter */
  setFilter(filter) {
    this.wanted.odd = filter === "odd";
    this.schedule();
  }

  /** @param {number | null} from @param {number} [to] */
  setRange(from, to) {
    this.wanted.range = from === null || to === undefined ? null : { from, to };
    this.schedule();
  }

  /** @param {number} from @param {number} to */
  setWindow(from, to) {
    const { viewport } = this.painter;
    const room = viewport ? viewport.view - viewport.lead : 800;
    if (this.wanted.mode !== "order") this.wanted.px = (room * this.store.unit) / Math.max(1, to - from);
    this.painter.aim = { t: from, share: 0 };
    this.schedule();
  }

  getWindow() {
    return this.painter.viewport?.sight ?? { from: 0, to: 0 };
  }

  /** @param {boolean} on @param {number} [span] */
  setFollow(on, span = FOLLOW_US) {
    this.wanted.span = on ? span : 0;
    if (on) this.setTime(null);
    this.schedule();
  }

  /** @param {Set<string>} labels */
  setChanged(labels) {
    this.wanted.changed = labels;
    this.schedule();
  }

  /** @param {boolean} on */
  setLetters(on) {
    this.letters = on;
  }

  /** Says everything anew, after a change of language. */
  retell() {
    this.words = new Words(this.options.text, this.store.unit, this.store.live);
    this.bar?.retell();
    this.schedule();
  }

  focus() {
    this.pointing.focus(this.pointing.current);
  }

  /** A picture of what is shown, on its own. */
  picture() {
    cancelAnimationFrame(this.handle);
    this.paint();
    return portrait(this.painter.drawing.root);
  }

  destroy() {
    this.player.pause();
    this.unlisten();
    this.watch.disconnect();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.handle);
    this.handle = -1;
    this.narrator?.destroy();
    for (const part of [this, this.minimap, this.narrator, this.bar, this.order]) part?.root.remove();
  }

  // --- what the reader does --------------------------------------------------------------------

  /** @param {KeyboardEvent} event @returns {boolean} whether it meant something */
  key(event) {
    return steer(this, event);
  }

  /** @param {-1 | 1} by */
  pan(by) {
    const { from, to } = this.getWindow();
    this.painter.aim = { t: from + by * (to - from) * 0.6, share: 0 };
    this.stopFollowing();
    this.schedule();
  }

  flip() {
    this.setAxes(this.painter.frame?.down ? "right" : "down");
    this.tellView();
  }

  nextScale() {
    this.setScale(MODES[(MODES.indexOf(this.wanted.mode) + 1) % MODES.length]);
    this.tellView();
  }

  consumer() {
    const focused = this.painter.drawing.marks.get(this.pointing.current);
    const here = this.root.contains(document.activeElement) ? focused?.c : "";
    return here || this.pinned?.c || "";
  }
}

/** @param {Element} container @param {import("./core.js").Options} options */
export const createViewer = (container, options) => new Viewer(container, options);
