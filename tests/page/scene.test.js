import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { fitTo, Frame } from "../../amqplite/control/page/lab/frame.js";
import { fill } from "../../amqplite/control/page/lab/i18n.js";
import { textWidth } from "../../amqplite/control/page/lab/labels.js";
import { layout } from "../../amqplite/control/page/lab/layout.js";
import { scene } from "../../amqplite/control/page/lab/scene.js";
import { makeScale, natural, Viewport } from "../../amqplite/control/page/lab/viewport.js";
import { Words } from "../../amqplite/control/page/lab/words.js";
import { ALL, blast, FIG_11_2, steady, storeOf } from "./traces.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../amqplite/lab/texts/${name}.json`, import.meta.url), "utf8"));

function speak(language) {
  const table = { ...read(language), ...read(`diagram.${language}`) };
  return (key, slots = {}) => fill(table[key] ?? table[`${key}.${slots.n === 1 ? "one" : "other"}`] ?? key, slots);
}

/** Everything that is drawn of a trace in a container of some width. */
function drawn(rows, width, { mode = "time", axes = "auto", language = "en", view = ALL } = {}) {
  const store = storeOf(rows);
  const fit = fitTo(width, axes);
  const found = layout(store, view);
  const mores = new Set(found.mores.map(({ lane }) => lane));
  const frame = new Frame(fit.axes, fit.sizes, found.lanes, mores, fit.axes === "down" ? width : 0);
  const ends = { start: store.start, end: store.end };
  const room = width - fit.sizes.lead - 78;
  const scale = makeScale(store, mode, natural(store, mode, room, ends, frame.down, fit.sizes.unit), ends);
  const viewport = new Viewport(scale, frame, frame.down ? 4000 : width, 0);
  const words = new Words(speak(language), store.unit, store.live);
  const means = { frame, scale, px: (t) => viewport.px(t), words, changed: new Set(), window: viewport.window, length: viewport.length, now: store.end };
  return { marks: scene(found, means, viewport.times, store.instants, store.unit), frame, viewport };
}

const overlap = (a, b) =>
  Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 1;

/** Where words lie that were looked a place for. */
function placeOf({ shapes }) {
  const boxes = shapes.map(({ at, text, cls }) => {
    const [width, height] = [textWidth(text, at["font-size"], cls.includes("bold")), at["font-size"]];
    if (at.transform) return { x: at.x, y: at.y, width: height * 0.7, height: width };
    return { x: at.x, y: at.y - height * 0.8, width, height: height * 0.9 };
  });
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

const WAYS = [];
for (const [name, rows] of [["figure 11-2", FIG_11_2], ["a blast", blast()]]) {
  for (const width of [1280, 768, 400, 290]) {
    for (const mode of ["time", "order", "collapse"]) {
      for (const axes of ["right", "down"]) for (const language of ["en", "zh-CN"]) WAYS.push({ name, rows, width, mode, axes, language });
    }
  }
}

test("words never lie on bars, nor on other words", () => {
  for (const { rows, name, ...way } of WAYS) {
    const { marks } = drawn(rows, way.width, way);
    const places = marks.filter(({ cls }) => cls === "words").map((mark) => ({ key: mark.key, ...placeOf(mark) }));
    const bodies = marks.filter(({ layer }) => layer === "bar").flatMap(({ shapes, key }) =>
      shapes.filter(({ tag, cls }) => tag === "rect" && cls === "body").map(({ at }) => ({ key, ...at })));
    for (const [k, place] of places.entries()) {
      for (const other of [...places.slice(k + 1), ...bodies]) {
        assert.ok(!overlap(place, other), `${name} ${JSON.stringify(way)}: ${place.key} on ${other.key}`);
      }
    }
  }
});

test("nothing is drawn at no place", () => {
  for (const { rows, ...way } of WAYS) {
    assert.doesNotMatch(JSON.stringify(drawn(rows, way.width, way).marks.map(({ shapes }) => shapes)), /NaN|Infinity|null|undefined/);
  }
});

test("figure 11-2 says why m3 went back, how late it was, and who is down; why at any width, in both languages", () => {
  const told = { en: ["connection lost → m3 requeued", "late 1.8", "c2 is down"], "zh-CN": ["连接断开 → m3 重新入队", "迟到 1.8", "c2 已下线"] };
  for (const { rows, name, ...way } of WAYS) {
    if (name !== "figure 11-2" || (way.axes === "right" && way.width < 700)) continue; // out of sight
    const said = drawn(rows, way.width, way).marks.filter(({ cls }) => cls === "words")
      .map(({ shapes }) => shapes.map(({ text }) => text).join(way.language === "en" ? " " : ""));
    const plain = (text) => text.replaceAll(" ", "");
    for (const words of told[way.language].slice(0, way.axes === "down" ? 1 : 3)) {
      assert.ok(said.map(plain).includes(plain(words)), `${JSON.stringify(way)}: ${words} not in ${said}`);
    }
  }
});

test("each bar says in a sentence what it is", () => {
  const names = drawn(FIG_11_2, 1280).marks.map(({ name }) => name).filter(Boolean);
  for (const name of [
    "p1 publishes m1 at t=0.0",
    "c2 works on m3, attempt 1, t=2.0 to 3.4, lost",
    "m3 is back in q, t=3.4 to 4.8, then handed out",
    "m5 waits in q, t=4.0 to 6.6, then handed out",
    "c1 works on m3, attempt 2, t=4.8 to 6.6, acknowledged; out of order: m4 overtook it, 1.8 late",
  ]) assert.ok(names.includes(name), name);
});

test("marks that can be reached come in the order of time", () => {
  const times = drawn(FIG_11_2, 1280).marks.filter(({ name }) => name).map(({ t }) => t);
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  assert.equal(times.length, 5 + 8 + 1);
});

test("the axes flip in one transform: what was along is across", () => {
  const right = drawn(FIG_11_2, 1280, { axes: "right" });
  const down = drawn(FIG_11_2, 1280, { axes: "down" });
  const bar = ({ marks }, name) => marks.find((mark) => mark.name.startsWith(name)).hit;
  const [a, b] = [bar(right, "c2 works on m3"), bar(down, "c2 works on m3")];
  assert.equal(a.height, right.frame.sizes.bar[0]);
  assert.equal(b.width, down.frame.sizes.bar[0]);
  assert.ok(Math.abs(a.x - 30 - ((b.y - 30) * right.viewport.scale.slope) / down.viewport.scale.slope) < 0.5);
});

test("arrows lean by the same slant, whatever they cross", () => {
  const { marks } = drawn(FIG_11_2, 1280);
  const leans = marks.filter(({ cls }) => cls === "deliver" || cls === "redeliver").map(({ shapes }) => {
    const tip = Number(shapes.find(({ cls }) => cls === "head").at.d.match(/^M([\d.]+)/)[1]);
    const start = Number(shapes.find(({ cls }) => cls === "shaft").at.d.match(/^M([\d.]+)/)[1]);
    return Math.round((tip - start) * 10) / 10;
  });
  assert.deepEqual([...new Set(leans)].sort(), [2.5, 5]); // handed through, and handed out after a wait
});

test("what is out of order has a ring, what was requeued a dashed bar, what failed a pattern", () => {
  const { marks } = drawn(FIG_11_2, 1280);
  const classes = (m) => marks.filter(({ layer, ms }) => layer === "bar" && ms[0] === m).map(({ cls }) => cls);
  assert.deepEqual(classes("m3"), ["publish", "failed", "wait requeued", "redelivered ringed"]);
  assert.deepEqual(classes("m4"), ["publish", "held ringed"]);
  const fills = marks.flatMap(({ shapes }) => shapes.map(({ at }) => at.fill)).filter(Boolean);
  assert.deepEqual(fills, ["hatch", "dots"]);
});

test("all lanes fit a phone", () => {
  const { frame } = drawn(FIG_11_2, 290);
  assert.ok(frame.down && frame.breadth <= 290.5, `${frame.breadth}`);
});

test("as many marks as are in the window, of however many messages", () => {
  const store = storeOf(steady(4000));
  const view = { ...ALL, from: store.instants[2000], to: store.instants[2040] };
  assert.ok(drawn(steady(4000), 1280, { view }).marks.length < 300);
});
