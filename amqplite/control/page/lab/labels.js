// @ts-check
/** How wide words are, without asking the browser, and where they go so that none lies on another. */

/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

/**
 * Letters by their width, in font sizes: of DejaVu Sans, as wide as any font that pages are shown in,
 * so that words are rather taken for too wide than for too narrow.
 * @type {readonly [number, string][]}
 */
const WIDTHS = [
  [0.29, "ijl'IJ"],
  [0.34, " .,:;/|\\·’"],
  [0.41, "frt()[]!-"],
  [0.54, 'csz"?*_–†“”'],
  [0.61, "aekovxyFLPTY"],
  [0.7, "ABCKRVXZ"],
  [0.79, "DGHNOQU&"],
  [0.84, "w+<=>^~#→×−≤≥"],
  [1, "mMW@%…—⤺"],
];
const WIDTH = new Map(WIDTHS.flatMap(([width, letters]) => [...letters].map((one) => [one, width])));
const OTHERS = 0.64;
const HAN = 1.02; // kana, Hangul, full-width forms and emoji too

/** How much wider bold letters are, in font sizes; Han ones are as wide. */
const BOLD = 0.08;

/** @param {string} words @param {number} size of the font, in pixels @param {boolean} [bold] */
export function textWidth(words, size, bold = false) {
  let sum = 0;
  for (const letter of words) {
    if (/** @type {number} */ (letter.codePointAt(0)) >= 0x2e80) sum += HAN;
    else sum += (WIDTH.get(letter) ?? OTHERS) + (bold ? BOLD : 0);
  }
  return sum * size;
}

/**
 * Returns the first of `texts` that is no wider than `room`, or "".
 * @param {readonly string[]} texts @param {number} room @param {number} size @param {boolean} [bold]
 */
export function fitting(texts, room, size, bold = false) {
  return texts.find((words) => textWidth(words, size, bold) <= room) ?? "";
}

/** @param {string} words @param {number} room @param {number} size @param {boolean} [bold] */
export function shortened(words, room, size, bold = false) {
  if (textWidth(words, size, bold) <= room) return words;
  const letters = [...words];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, bold) > room) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/**
 * Breaks words into lines no wider than `room`: at spaces, between Han characters anywhere.
 * @param {string} words @param {number} room @param {number} size @param {boolean} [bold]
 */
export function lines(words, room, size, bold = false) {
  /** @type {string[]} */
  const found = [];
  let line = "";
  for (const piece of words.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? []) {
    if (line && textWidth((line + piece).trimEnd(), size, bold) > room) {
      found.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  if (line.trim()) found.push(line.trimEnd());
  return found;
}

/** @param {Rect} a @param {Rect} b */
function overlap(a, b) {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

/** Ground on which words are put; `hard` is never covered, `soft` only if there is no other way. */
export class Ground {
  /** @param {Rect} area */
  constructor(area) {
    this.area = area;
    /** @type {Rect[]} */
    this.hard = [];
    /** @type {Rect[]} */
    this.soft = [];
  }

  /**
   * Takes the best of `places`, the first of equals; returns its index, −1 if each covers something.
   * @param {readonly Rect[]} places
   */
  put(places) {
    let best = -1;
    let least = Infinity;
    places.forEach((place, k) => {
      if (!this.inside(place) || this.hard.some((taken) => overlap(place, taken) > 0)) return;
      const cost = this.soft.reduce((sum, taken) => sum + overlap(place, taken), 0);
      if (cost < least) [best, least] = [k, cost];
    });
    if (best >= 0) this.hard.push(places[best]);
    return best;
  }

  /** @param {Rect} place */
  inside({ x, y, width, height }) {
    const { area } = this;
    return (
      x >= area.x && y >= area.y && x + width <= area.x + area.width && y + height <= area.y + area.height
    );
  }
}
