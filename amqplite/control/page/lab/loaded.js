// @ts-check
/** Runs as the page has them: what the broker tells of one, with its events in a store. */

import { getEvents, getRun, importTrace, runStream, startRun } from "./api.js";
import { unpack } from "./packed.js";
import { listen } from "./sse.js";
import { createStore } from "./trace.js";

/**
 * @typedef {object} Loaded
 * @property {any} run the run's JSON, the newest that is known
 * @property {any} store its events
 * @property {Set<(what: "run"|"events"|"stream") => void>} listeners
 * @property {number} retry when the broken stream is tried again, in ms since the epoch; 0: it runs
 * @property {() => void} close stop following it
 */

/** @type {Map<string, Promise<Loaded>>} scenarios played, by what was asked for */
const played = new Map();

/**
 * Play a scenario, once for the same wish as long as the page lives.
 *
 * @param {{scenario: string, params: object, seed?: number, mode: string, variant?: string}} wish
 * @param {boolean} [anew] play it again
 * @returns {Promise<Loaded>}
 */
export function play(wish, anew = false) {
  const key = JSON.stringify(wish);
  if (anew)
    played.get(key)?.then(
      (old) => old.close(),
      () => {},
    );
  if (anew || !played.has(key)) {
    const run = startRun(wish).then(load);
    run.catch(() => played.delete(key));
    played.set(key, run);
  }
  return /** @type {Promise<Loaded>} */ (played.get(key));
}

/** Whether it has been played. */
export const isPlayed = (wish) => played.has(JSON.stringify(wish));

/** A run that the broker keeps. @param {string} id @returns {Promise<Loaded>} */
export const open = (id) => getRun(id).then(load);

/** A run that a link holds. @param {string} packed @returns {Promise<Loaded>} */
export async function openPacked(packed) {
  return load(await importTrace(await unpack(packed)));
}

/** What `play`, `open` or a comparison calls it by: `s/fig-11-2`, `r/abc`. @returns {Promise<Loaded>} */
export function openNamed(name) {
  const [kind, ...rest] = name.split("/");
  const [id, query = ""] = rest.join("/").split("?");
  if (kind !== "s") return open(id);
  const { seed, variant, ...params } = Object.fromEntries(new URLSearchParams(query));
  return play(wish(id, params, { seed, variant }));
}

/** What is asked of the broker. */
export function wish(scenario, params, { seed = "", mode = "exact", variant = "" } = {}) {
  const plain = Object.entries(params).map(([name, value]) => [name, settingOf(value)]);
  return {
    scenario,
    params: Object.fromEntries(plain.sort(([a], [b]) => (a < b ? -1 : 1))),
    mode,
    ...(seed !== "" && { seed: Number(seed) }),
    ...(variant && { variant }),
  };
}

function settingOf(value) {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** @param {any} run @returns {Promise<Loaded>} */
async function load(run) {
  /** @type {Loaded} */
  const loaded = {
    run,
    store: createStore(run.header),
    listeners: new Set(),
    retry: 0,
    close() {},
  };
  const after = await fetchEvents(loaded);
  if (run.state === "running") follow(loaded, after);
  return loaded;
}

/** @param {Loaded} loaded */
async function fetchEvents({ run, store }, after = 0) {
  for (;;) {
    const page = await getEvents(run.id, after);
    if (page.gap) store.add([gapEvent(page.gap, store)]);
    store.add(page.events);
    if (page.events.length === 0 || page.next === after) return after;
    after = page.next;
  }
}

/** A run that goes on. @param {Loaded} loaded @param {number} after */
function follow(loaded, after) {
  const tell = (what) => loaded.listeners.forEach((listener) => listener(what));
  const take = {
    trace: (data) => loaded.store.add([data]),
    gap: (data) => loaded.store.add([gapEvent(data, loaded.store)]),
    state(data) {
      loaded.run = { ...loaded.run, ...data };
      if (data.state !== "running") stream.close();
      tell("run");
    },
  };
  const stream = listen(
    runStream(loaded.run.id),
    {
      take: ({ event, data }) => take[event]?.(JSON.parse(data)),
      open() {
        loaded.retry = 0;
        tell("stream");
      },
      lost(wait) {
        loaded.retry = Date.now() + wait;
        tell("stream");
      },
    },
    { after: after ? String(after) : "" },
  );
  loaded.close = stream.close;
}

/** What a slow reader has missed, as an event of its own. */
export const gapEvent = ({ lost_from, lost_to }, store) => ({
  n: lost_to,
  t: store.end,
  type: "gap",
  lost_from,
  lost_to,
});
