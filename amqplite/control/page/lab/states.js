// @ts-check
/** Stretches of time as marks: who is away, what is late, what is hidden. */

import { round } from "./frame.js";
import { path, shape, words } from "./glyphs.js";
import { textWidth } from "./labels.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./frame.js").Strip} Strip */
/** @typedef {import("./scene.js").Context} Context */

/** @param {Partial<Mark> & Pick<Mark, "key" | "layer" | "cls" | "shapes">} rest @returns {Mark} */
export const mark = (rest) => ({ name: "", lane: "", t: 0, ns: [], ms: [], c: "", ...rest });

/** @param {import("./layout.js").State[]} states @param {Context} cx @returns {Mark[]} */
export function stateMarks(states, cx) {
  return states.flatMap((state) => {
    const strip = cx.frame.strip(state.lane);
    if (!strip) return [];
    const from = Math.max(cx.px(state.from), cx.window.from);
    const to = Math.min(state.to === Infinity ? Infinity : cx.px(state.to), cx.window.to);
    return [
      state.kind === "quiet" || state.kind === "blocked"
        ? bandMark(state, strip, from, to, cx)
        : downMark(state, strip, from, to, cx),
    ];
  });
}

/**
 * @param {import("./layout.js").State} state
 * @param {Strip} strip
 * @param {number} from
 * @param {number} to
 * @param {Context} cx
 */
function downMark(state, strip, from, to, cx) {
  const { frame } = cx;
  const d = frame.line([round(from), strip.mid], [round(to), strip.mid]);
  const c = strip.lane.name;
  const near = frame.rect(cx.px(state.from) + 12, strip.mid - 3, 6, 6);
  const key = `down${state.lane}${state.n}`;
  cx.ask.push({
    words: cx.words.text(state.kind === "left" ? "dia.left" : "dia.down", { c }),
    cls: "quiet",
    rank: 3,
    size: frame.sizes.small,
    near,
    mark: key,
    lane: state.lane,
    t: state.from,
    ns: [state.n],
    ms: [],
    c,
  });
  return mark({
    key,
    layer: "state",
    cls: "down",
    lane: state.lane,
    t: state.from,
    ns: [state.n],
    c,
    shapes: [path(d, "erase"), path(d, "dotted")],
  });
}

/**
 * @param {import("./layout.js").State} state
 * @param {Strip} strip
 * @param {number} from
 * @param {number} to
 * @param {Context} cx
 */
function bandMark(state, strip, from, to, cx) {
  const { frame } = cx;
  const length = Math.max(0, to - from);
  const band = frame.rect(from, strip.from + 3, length, strip.to - strip.from - 6);
  const d = cx.words.span(state.to - state.from);
  const text = state.kind === "blocked" ? cx.words.text("dia.blocked") : cx.words.text("dia.quiet", { d });
  const key = `${state.kind}${state.lane}${state.n}`;
  const c = strip.lane.kind === "consumer" ? strip.lane.name : "";
  if (state.to !== Infinity || state.kind === "blocked") {
    const near = frame.rect(from + length / 2 - 4, strip.first - strip.size / 2, 8, strip.size);
    cx.ask.push({
      words: text,
      cls: "quiet",
      rank: 2,
      size: frame.sizes.small,
      near,
      prefer: "above",
      mark: key,
      lane: state.lane,
      t: state.from,
      ns: [state.n],
      ms: [],
      c,
    });
  }
  return mark({
    key,
    layer: "state",
    cls: state.kind,
    lane: state.lane,
    t: state.from,
    ns: [state.n],
    c,
    shapes: [shape("rect", "band", { ...band, fill: "dead" })],
  });
}

/**
 * A bracket from the first overtaker's end to its own.
 * @param {import("./layout.js").Late[]} lates
 * @param {Context} cx
 * @returns {Mark[]}
 */
export function lateMarks(lates, cx) {
  return lates.flatMap(({ box, lane, row, from, to }) => {
    const strip = cx.frame.strip(lane);
    if (!strip || row < 0) return [];
    const { frame } = cx;
    const [a, b] = [round(cx.px(from)), round(cx.px(to))];
    const across = round(frame.row(strip, row) - strip.size / 2 - (frame.down ? 9 : 13));
    const place = frame.rect(a, across - 5, b - a, 9);
    if (cx.ground.put([place]) < 0) return [];
    const ns = [/** @type {number} */ (box.n1)];
    const ms = [box.message.m];
    cx.ask.push({
      words: cx.words.text("dia.late", { d: cx.words.span(to - from) }),
      cls: "bad bold",
      rank: 1,
      size: frame.sizes.small,
      near: place,
      prefer: "above",
      mark: `late${box.key}`,
      lane,
      t: from,
      ns,
      ms,
      c: "",
    });
    const [out, back] = [across - 4, across + 4];
    const d =
      frame.line([a, out], [a, back]) +
      frame.line([a, across], [b, across]) +
      frame.line([b, out], [b, back]);
    return [
      mark({
        key: `late${box.key}`,
        layer: "label",
        cls: "late",
        shapes: [path(d, "bracket")],
        lane,
        t: from,
        ns,
        ms,
      }),
    ];
  });
}

/** @param {import("./layout.js").More[]} mores @param {Context} cx @returns {Mark[]} */
export function moreMarks(mores, cx) {
  return mores.flatMap(({ lane, from, to, count }) => {
    const strip = cx.frame.strip(lane);
    if (!strip) return [];
    const { frame } = cx;
    const a = cx.px(from);
    const length = cx.px(to) - a;
    const size = 12;
    const rect = frame.rect(a, strip.first + strip.lane.rows * strip.pitch - strip.size / 2 + 2, length, 15);
    const text = cx.words.text("dia.more", { n: count });
    const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
    const fits = textWidth(text, size, true) <= (frame.down ? 30 : rect.width);
    cx.ground.hard.push(rect);
    const shapes = [shape("rect", "body", { ...rect, rx: 4 })];
    if (fits) shapes.push(words(text, x, y, size, "inside bold"));
    return [mark({ key: `more${lane}${from}`, layer: "bar", cls: "more", lane, t: from, shapes })];
  });
}

/**
 * How much waits, as steps behind the bars.
 * @param {import("./layout.js").Layout["depths"]} depths
 * @param {Context} cx
 * @returns {Mark[]}
 */
export function depthMarks(depths, cx) {
  return depths.flatMap(({ lane, most, steps }) => {
    const strip = cx.frame.strip(lane);
    if (!strip?.more || !steps.length) return [];
    const { frame } = cx;
    const high = (strip.to - strip.from - 6) / most;
    const base = strip.to - 3;
    /** @type {[number, number][]} */
    const points = [[round(cx.px(steps[0].t)), base]];
    for (let k = 0; k < steps.length; k++) {
      const next = cx.px(k + 1 < steps.length ? steps[k + 1].t : Math.max(cx.now, steps[k].t));
      const across = round(base - steps[k].count * high);
      points.push([round(cx.px(steps[k].t)), across], [round(next), across]);
    }
    points.push([/** @type {[number, number]} */ (points.at(-1))[0], base]);
    return [
      mark({
        key: `depth${lane}`,
        layer: "state",
        cls: "depth",
        lane,
        shapes: [path(`${frame.line(...points)}z`, "area")],
      }),
    ];
  });
}

const BIN = 6;

/**
 * What is left out because nothing happened to it, as density.
 * @param {import("./types.js").Box[]} boxes
 * @param {Context} cx
 * @returns {Mark[]}
 */
export function faintMarks(boxes, cx) {
  /** @type {Map<string, Map<number, number>>} */
  const lanes = new Map();
  for (const box of boxes) {
    const bins = lanes.get(box.lane) ?? new Map();
    lanes.set(box.lane, bins);
    const bin = Math.floor(cx.px(box.from) / BIN);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  return [...lanes].flatMap(([lane, bins]) => {
    const strip = cx.frame.strip(lane);
    if (!strip) return [];
    const most = Math.max(...bins.values());
    const room = strip.to - strip.from - 10;
    const d = [...bins]
      .sort((a, b) => a[0] - b[0])
      .map(([bin, count]) => {
        const [from, to] = [bin * BIN + 1, (bin + 1) * BIN - 1];
        const across = round(strip.to - 4 - Math.max(2, (count / most) * room * 0.5));
        return `${cx.frame.line([from, strip.to - 4], [from, across], [to, across], [to, strip.to - 4])}z`;
      });
    return [
      mark({ key: `faint${lane}`, layer: "state", cls: "density", lane, shapes: [path(d.join(""), "area")] }),
    ];
  });
}
