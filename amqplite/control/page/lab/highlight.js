// @ts-check
/** What is highlighted, and what goes with it. */

/** @typedef {import("./types.js").Selection} Selection */
/** @typedef {Pick<import("./types.js").Mark, "ms" | "ns" | "c" | "lane">} Marked */

/**
 * Returns whether a mark belongs to what is selected.
 * @param {Marked} mark
 * @param {Selection} selection
 */
export function belongs(mark, { m, c, n, pair }) {
  if (pair) return mark.ms.some((label) => pair.includes(label));
  if (n !== undefined) return mark.ns.includes(n);
  if (m !== undefined) return mark.ms.includes(m);
  return c !== undefined && (mark.c === c || mark.lane === `c:${c}`);
}

/** @param {Selection | null} a @param {Selection | null} b */
export const sameSelection = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Marks in the order of time. @param {import("./types.js").Mark[]} marks */
export function alongTime(marks) {
  return [...marks].sort((a, b) => a.t - b.t || (a.ns[0] ?? 0) - (b.ns[0] ?? 0));
}

/**
 * What a mark stands for.
 * @param {import("./types.js").Mark} mark
 * @returns {Selection | null}
 */
export function selectionOf({ cls, c, ms, ns }) {
  if (c && (cls === "crash" || !ms.length)) return { c };
  if (ms.length === 1) return { m: ms[0] };
  return ns.length ? { n: ns[0] } : null;
}
