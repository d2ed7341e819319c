import assert from "node:assert/strict";
import { test } from "node:test";

import {
  fill,
  missing,
  pick,
  preferred,
  span,
  speak,
  text,
  translator,
} from "../../amqplite/control/page/lab/i18n.js";

const ENGLISH = {
  hello: "Hello {name}",
  "n.one": "{n} event",
  "n.other": "{n} events",
  only: "only here",
  "unit.ticks.one": "{n} tick",
  "unit.ticks.other": "{n} ticks",
  "unit.seconds": "{n} s",
};
const CHINESE = {
  hello: "你好，{name}",
  "n.one": "{n} 个事件",
  "n.other": "{n} 个事件",
  "unit.ticks.one": "{n} 个节拍",
  "unit.ticks.other": "{n} 个节拍",
  "unit.seconds": "{n} 秒",
};
const load = async (file) => ({ en: ENGLISH, "zh-CN": CHINESE })[file];

test("slots are filled; those without a value stay", () => {
  assert.equal(fill("{a} and {b}", { a: 1 }), "1 and {b}");
  assert.equal(fill("{a}", { a: "{b}", b: 2 }), "{b}");
});

test("one and many have texts of their own", () => {
  const say = translator(ENGLISH);
  assert.equal(say("n", { n: 1 }), "1 event");
  assert.equal(say("n", { n: 0 }), "0 events");
  assert.equal(say("n", { n: "1,204" }), "1,204 events");
});

test("a missing key falls back to English, then to itself, and is told", async () => {
  await speak("zh", load);
  missing.clear();
  assert.equal(text("hello", { name: "x" }), "你好，x");
  assert.equal(text("only"), "only here");
  assert.equal(text("no.such"), "no.such");
  assert.deepEqual([...missing], ["only"]);
});

test("an unknown language is English", async () => {
  await speak("xx", load);
  assert.equal(text("hello", { name: "x" }), "Hello x");
});

test("pairs of texts are picked by language", async () => {
  const both = { en: "queue", zh: "队列" };
  await speak("zh", load);
  assert.equal(pick(both), "队列");
  await speak("en", load);
  assert.equal(pick(both), "queue");
  assert.equal(pick("as it is"), "as it is");
  assert.equal(pick(null), "");
});

test("the browser's most wanted language that we have is taken", () => {
  assert.equal(preferred(["fr-FR", "zh-Hans-CN", "en"]), "zh");
  assert.equal(preferred(["fr", "de"]), "en");
  assert.equal(preferred([]), "en");
});

test("times are shown in ticks, or in seconds where a tick is one", async () => {
  await speak("en", load);
  assert.equal(span(720_000, 400_000), "1.8 ticks");
  assert.equal(span(400_000, 400_000), "1 tick");
  assert.equal(span(3_421_000, 1_000_000), "3.42 s");
  assert.equal(span(1_360_000, 400_000, false), "3.4");
});
