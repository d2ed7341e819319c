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
