// @ts-check
/** How far a predicted order is from the true one. */

/**
 * Count the pairs that stand the other way round; items that only one of them has don't count.
 *
 * @param {string[]} guess
 * @param {string[]} truth
 * @returns {number} 0 to n(n-1)/2
 */
export function inversions(guess, truth) {
  const place = new Map(truth.map((item, at) => [item, at]));
  const places = guess.filter((item) => place.has(item)).map((item) => place.get(item) ?? 0);
  let count = 0;
  for (let i = 0; i < places.length; i++) {
    for (let j = 0; j < i; j++) count += Number(places[j] > places[i]);
  }
  return count;
}

/**
 * Move one item.
 *
 * @template T
 * @param {T[]} items
 * @param {number} from
 * @param {number} to kept within the list
 * @returns {T[]} a new list
 */
export function moved(items, from, to) {
  const list = [...items];
  const [item] = list.splice(from, 1);
  list.splice(Math.max(0, Math.min(items.length - 1, to)), 0, item);
  return list;
}

/**
 * Write an order as the places of its items among `items`, from 1: `1.2.4.3.5`.
 *
 * @param {string[]} order
 * @param {string[]} items
 */
export function formatOrder(order, items) {
  return order.map((item) => items.indexOf(item) + 1).join(".");
}

/**
 * Read it.
 *
 * @param {string | undefined} word
 * @param {string[]} items
 * @returns {string[] | null} `null` unless it has each of them once
 */
export function parseOrder(word, items) {
  if (!word) return null;
  const places = word.split(".").map(Number);
  const once = new Set(places).size === items.length && places.length === items.length;
  return once && places.every((at) => items[at - 1] !== undefined)
    ? places.map((at) => items[at - 1])
    : null;
}
