// @ts-check
/** Small drawings of an order: what came first above, what it became below, a line for each. */

import { svg } from "./dom.js";

const STEP = 14;

/**
 * A picture of an order by places alone.
 *
 * @param {number} count how many there are
 * @param {number[] | null} order places from 1, in the order they came to; null: not known yet, which is drawn
 *   as what went in and places to be filled
 * @returns {SVGElement} hidden from screen readers: what it shows is said beside it
 */
export function threads(count, order, { height = 34 } = {}) {
  const n = Math.min(count, 8);
  const places = order?.filter((place) => place <= n) ?? null;
  const x = (at) => 6 + at * STEP;
  const odd = places ? crossed(places) : new Set();
  const lines = Array.from({ length: n }, (_, at) => line(at, places, odd, x, height));
  return svg(
    "svg",
    {
      class: "threads",
      viewBox: `0 0 ${12 + (n - 1) * STEP} ${height}`,
      width: 12 + (n - 1) * STEP,
      height,
      "aria-hidden": "true",
    },
    lines.sort((a, b) => Number(a.classList.contains("odd")) - Number(b.classList.contains("odd"))),
  );
}

function line(at, places, odd, x, height) {
  const to = places ? places.indexOf(at + 1) : -1;
  const [top, bottom, half] = [5, height - 5, height / 2];
  if (!places) {
    const dots = [
      [top, "dot"],
      [bottom, "ring"],
    ];
    return svg(
      "g",
      { class: "open" },
      dots.map(([y, kind]) => svg("circle", { class: kind, cx: x(at), cy: y, r: 2.5 })),
    );
  }
  const path =
    to < 0
      ? `M${x(at)} ${top}V${half}`
      : `M${x(at)} ${top}C${x(at)} ${half} ${x(to)} ${half} ${x(to)} ${bottom}`;
  return svg(
    "g",
    { class: to < 0 ? "lost" : odd.has(at + 1) ? "odd" : "even" },
    svg("path", { d: path }),
    svg("circle", { cx: x(at), cy: top, r: 2.5 }),
    to >= 0 ? svg("circle", { cx: x(to), cy: bottom, r: 2.5 }) : null,
  );
}

/** The places that cross another. @param {number[]} places */
export function crossed(places) {
  const odd = new Set();
  places.forEach((later, j) =>
    places.slice(0, j).forEach((sooner) => {
      if (sooner > later) odd.add(sooner).add(later);
    }),
  );
  return odd;
}

/**
 * Two rows of labels with a line from each above to the same below.
 *
 * @param {string[]} above
 * @param {string[]} below
 * @param {[string, string]} names of the rows
 */
export function rows(above, below, names) {
  const [width, left, height] = [56, 108, 132];
  const x = (at) => left + 24 + at * width;
  const odd = crossed(below.map((label) => above.indexOf(label) + 1).filter(Boolean));
  const links = above.map((label, at) => {
    const to = below.indexOf(label);
    if (to < 0) return null;
    const kind = odd.has(at + 1) ? "odd" : "even";
    return svg("path", { class: kind, d: `M${x(at)} 38C${x(at)} 66 ${x(to)} 66 ${x(to)} 94` });
  });
  const row = (labels, y) =>
    labels.map((label, at) => [
      svg("rect", {
        x: x(at) - 21,
        y: y - 15,
        width: 42,
        height: 30,
        rx: 6,
        class: odd.has(above.indexOf(label) + 1) ? "odd" : "even",
      }),
      svg("text", { x: x(at), y: y + 5, "text-anchor": "middle" }, short(label)),
    ]);
  return svg(
    "svg",
    {
      class: "rows",
      viewBox: `0 0 ${left + above.length * width} ${height}`,
      role: "img",
      "aria-label": `${names[0]}: ${above.join(", ")}. ${names[1]}: ${below.join(", ")}.`,
    },
    links,
    row(above, 22),
    row(below, 110),
    svg("text", { class: "name", x: 0, y: 27 }, names[0]),
    svg("text", { class: "name", x: 0, y: 115 }, names[1]),
  );
}

const short = (label) => (label.length > 5 ? `${label.slice(0, 4)}…` : label);

/** Two lines that cross, or a tick. @param {boolean} odd */
export const sign = (odd) =>
  svg(
    "svg",
    {
      class: `sign ${odd ? "trouble" : "fine"}`,
      viewBox: "0 0 16 16",
      width: 16,
      height: 16,
      "aria-hidden": "true",
    },
    svg("path", {
      d: odd ? "M4 2C4 8 12 8 12 14M12 2C12 8 4 8 4 14" : "M2.5 8.5L6.5 12.5L13.5 3.5",
    }),
  );
