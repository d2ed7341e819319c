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
 *                            `cause.*`. After a change of language: `viewer.retell()`.
 *   onSelect(sel, pinned)    the reader hovers (pinned = false), clicks or presses Enter (true);
 *                            sel = null: nothing is selected any more. Never called for setSelection.
 *   onTime(t, n)             playhead moved; at most once a frame. n: last event that is shown.
 *   onPlay(playing)          it started or stopped playing.
 *   onView(view)             the reader changed {scale, axes, speed, filter, follow, view}.
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
 *   setFollow(on)            keep the end in sight, in a window of `span` microseconds (live).
 *   setChanged(labels)       Set of labels that get a rhombus (their rank differs in another run).
 *   player                   {play, pause, toggle, step(±1), stepMessage(±1), stepAnomaly(±1),
 *                            start, end, setSpeed(0.25|0.5|1|2|4), playing, speed, t, n}
 *   zoom(±1 | 0), pan(±1), flip(), nextScale()
 *   key(keyboardEvent)       handles §keys below, tells whether it did. The diagram calls it itself
 *                            while it has the focus; call it from the document for the rest of the page.
 *   setLetters(on)           whether keys without a modifier that are letters do anything.
 *   picture()                a standalone <svg> with all styles inlined, of what is shown now.
 *   retell(), focus(), destroy()
 *
 * Keys: space play/pause · ← → event · shift+← → message · n p anomaly · Home End · + - 0 zoom ·
 *   a d pan · ↑ ↓ lane · Enter pin · Esc clear · v axes · s scale.
 *
 * Custom properties read from the surrounding page (fallbacks for light and dark in diagram.css):
 *   --ink --paper --panel --grid --muted --grey   text, ground, raised ground, lines, quiet text, idle
 *   --blue --orange --vermilion --green --sky     held, redelivered, trouble, acknowledged, waiting
 *   --vermilion-ink --green-ink                   the same as text (7:1)
 *   --on-blue                                     text on a held bar
 *   --outline                                     outline of filled marks, 3:1 against the ground
 *   --focus                                       focus ring
 */

export {};
