// @ts-check
/** What is selected, shared by all that shows it: hovering previews, pressing pins. */

/** @typedef {import("./types.js").Selection} Selection */

export class Hub {
  constructor() {
    /** @type {Selection | null} */
    this.pinned = null;
    /** @type {Selection | null} */
    this.hovered = null;
    /** @type {Set<(hub: Hub, from: unknown) => void>} */
    this.listeners = new Set();
  }

  /** What is highlighted: what is hovered over, else what is pinned. */
  get value() {
    return this.hovered ?? this.pinned;
  }

  /**
   * @param {Selection | null} selection null: nothing
   * @param {boolean} pinned
   * @param {unknown} [from] who says so; told to those who listen, so that they need not tell it back
   */
  set(selection, pinned, from = null) {
    if (pinned) [this.pinned, this.hovered] = [selection, null];
    else this.hovered = selection;
    for (const listener of this.listeners) listener(this, from);
  }

  /** @param {(hub: Hub, from: unknown) => void} listener @returns {() => void} what ends it */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const createHub = () => new Hub();

/**
 * Whether an event belongs to what is selected.
 * @param {import("./types.js").TraceEvent} event
 * @param {Selection | null} selection
 */
export function belongs(event, selection) {
  if (!selection) return false;
  const { m, c, n, pair } = selection;
  if (pair) return pair.includes(event.m ?? "");
  if (n !== undefined) return event.n === n;
  if (m !== undefined) return event.m === m;
  return c !== undefined && event.c === c;
}

/**
 * Listeners for an element that stands for a selection.
 * @param {Hub} hub
 * @param {Selection} selection
 */
export function selects(hub, selection) {
  const preview = () => hub.set(selection, false);
  const leave = () => hub.set(null, false);
  return {
    pointerenter: preview,
    pointerleave: leave,
    focus: preview,
    blur: leave,
    click: (/** @type {Event} */ event) => {
      event.preventDefault();
      hub.set(selection, true);
    },
  };
}
