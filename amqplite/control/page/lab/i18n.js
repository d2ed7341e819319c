// @ts-check
/** The page's words, in the reader's language. */

/** @type {Record<string, {file: string, tag: string, name: string, short: string}>} */
export const LANGUAGES = {
  en: { file: "en", tag: "en", name: "English", short: "EN" },
  zh: { file: "zh-CN", tag: "zh-CN", name: "中文", short: "中文" },
};

/**
 * Put values in the place of `{name}`; a slot without a value stays.
 *
 * @param {string} template
 * @param {Record<string, any>} [slots]
 */
export function fill(template, slots = {}) {
  return template.replace(/\{(\w+)\}/g, (slot, name) =>
    slots[name] === undefined ? slot : String(slots[name]),
  );
}

/**
 * Return what looks up words: in `table`, else in `fallback`; what neither has is its key.
 *
 * A key of a counted thing has two texts, `key.one` and `key.other`, chosen by the slot `n`.
 *
 * @param {Record<string, string>} table
 * @param {Record<string, string>} [fallback]
 * @param {(key: string) => void} [missed] told of each key that `table` lacks and `fallback` has
 * @returns {import("./types.js").Text}
 */
export function translator(table, fallback = {}, missed = () => {}) {
  return (key, slots = {}) => {
    const counted = `${key}.${Number(slots.n) === 1 ? "one" : "other"}`;
    const found = table[key] ?? table[counted];
    if (found !== undefined) return fill(found, slots);
    const otherwise = fallback[key] ?? fallback[counted];
    if (otherwise === undefined) return key;
    missed(key);
    return fill(otherwise, slots);
  };
}

let current = "en";
/** @type {import("./types.js").Text} */
let translate = (key) => key;

/** @type {Set<string>} */
export const missing = new Set();

/** The words of `key`. @type {import("./types.js").Text} */
export const text = (key, slots) => translate(key, slots);

/** `en` or `zh`. */
export const language = () => current;

/** What of a pair of texts the reader reads. @param {any} both `{en, zh}`, or one text for all */
export function pick(both) {
  if (typeof both !== "object" || both === null) return both ?? "";
  return both[current] ?? both[LANGUAGES[current].tag] ?? both.en ?? "";
}

/**
 * Load the words of a language and English, and speak it from now on.
 *
 * @param {string} wanted a language; one we don't have is English
 * @param {(file: string) => Promise<Record<string, string>>} load
 */
export async function speak(wanted, load) {
  current = Object.hasOwn(LANGUAGES, wanted) ? wanted : "en";
  const english = await load(LANGUAGES.en.file);
  const own = current === "en" ? english : await load(LANGUAGES[current].file);
  translate = translator(own, english, (key) => missing.add(key));
}

/** The best of our languages for those of a browser, most wanted first. @param {readonly string[]} wanted */
export function preferred(wanted) {
  const found = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return found.find((letters) => Object.hasOwn(LANGUAGES, letters)) ?? "en";
}

/** A number as the language writes it. @param {number} value @param {Intl.NumberFormatOptions} [how] */
export function number(value, how = {}) {
  return new Intl.NumberFormat(LANGUAGES[current].tag, how).format(value);
}

/**
 * A time or duration as people see it: in ticks, or in seconds where a tick is a second.
 *
 * @param {number} us microseconds
 * @param {number} tick_us microseconds of a tick
 * @param {boolean} [unit] whether to name the unit
 */
export function span(us, tick_us, unit = true) {
  const value = number(us / tick_us, { maximumFractionDigits: 2 });
  if (!unit) return value;
  return text(tick_us === 1_000_000 ? "unit.seconds" : "unit.ticks", { n: value });
}
