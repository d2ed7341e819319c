import assert from "node:assert/strict";
import { test } from "node:test";

import {
  format,
  formatSelection,
  parse,
  parseSelection,
  scenarioParams,
} from "../../amqplite/control/page/lab/route.js";

const ROUTES = [
  { page: "gallery", path: [], params: {} },
  { page: "gallery", path: [], params: { lang: "zh" } },
  {
    page: "scenario",
    path: ["fig-11-2"],
    params: {
      seed: "42",
      prefetch: "1",
      t: "3.4",
      sel: "m3",
      cmp: "fix-single-active",
      lang: "zh",
      x: "order",
    },
  },
  { page: "run", path: ["a/b?c#d"], params: {} },
  { page: "data", path: ["hVLBbsIw_-"], params: { sel: "p:m4~m3" } },
  { page: "live", path: [], params: {} },
  { page: "live", path: ["/", "<img src=x onerror=alert(1)>"], params: { odd: "1" } },
  { page: "live", path: ["/", "队列 100%"], params: {} },
  { page: "runs", path: [], params: { url: "/lab/x.jsonl?y=1&z" } },
  { page: "compare", path: [], params: { a: "s/fig-11-2?prefetch=2&seed=7", b: "r/xyz" } },
];

test("what is written is read again", () => {
  for (const route of ROUTES) assert.deepEqual(parse(format(route)), route);
});

test("the address of a scenario is as people pass it on", () => {
  assert.equal(
    format({
      page: "scenario",
      path: ["fig-11-2"],
      params: { seed: 42, t: "3.4", sel: "m3", x: undefined, v: "" },
    }),
    "#/s/fig-11-2?seed=42&t=3.4&sel=m3",
  );
});

test("what makes no sense is the gallery", () => {
  for (const hash of [
    "",
    "#",
    "#/",
    "#/nowhere",
    "#/s",
    "#/s/a/b",
    "#/live/only-a-vhost",
    "#/constructor/x",
    "#main",
  ]) {
    assert.equal(parse(hash).page, "gallery", hash);
  }
});

test("a broken escape is taken as it stands", () => {
  assert.deepEqual(parse("#/r/100%").path, ["100%"]);
});

test("a scenario's own parameters are those that aren't the page's", () => {
  assert.deepEqual(
    scenarioParams({
      seed: "42",
      step: "run",
      prefetch: "2",
      crash: "false",
      detect: "0.5",
      where: "tail",
    }),
    { prefetch: 2, crash: false, detect: 0.5, where: "tail" },
  );
});

test("selections survive, whatever messages are called", () => {
  const selections = [
    { m: "m3" },
    { m: "c:m3" },
    { m: "p:a~b" },
    { m: "~" },
    { c: "c2" },
    { c: "c:2" },
    { n: 17 },
    { pair: ["m4", "m3"] },
    { pair: ["a~b", "c:d e"] },
  ];
  for (const selection of selections) {
    assert.deepEqual(parseSelection(formatSelection(selection)), selection);
  }
  assert.equal(formatSelection(null), "");
  for (const word of [undefined, "", "n:x", "p:alone"]) assert.equal(parseSelection(word), null);
});
