import assert from "node:assert/strict";
import test from "node:test";

import { Player } from "../../amqplite/control/page/lab/player.js";
import { FIG_11_2, storeOf, TICK } from "./traces.js";

function playerOf(rest = {}) {
  const store = storeOf(FIG_11_2);
  const told = { moved: [], changed: 0, frames: [] };
  const player = new Player({
    store: () => store,
    end: () => store.end,
    pace: (t, ms) => t + ms * 1000,
    moved: (by) => told.moved.push(by),
    changed: () => (told.changed += 1),
    jumps: () => false,
    frame: (tick) => told.frames.push(tick),
    stop: () => {},
    ...rest,
  });
  return { player, store, told };
}

/** Draws frames every `ms` milliseconds until it stops, or `most` of them. */
function run({ told }, ms, most = 10_000) {
  let now = 0;
  let drawn = 0;
  while (told.frames.length && drawn < most) {
    told.frames.shift()(now);
    now += ms;
    drawn += 1;
  }
  return drawn;
}

test("is at the end at first, where everything is shown", () => {
  const { player, store } = playerOf();
  assert.deepEqual([player.atEnd, player.shown], [true, store.events.length]);
});

test("steps by events, also through those of one instant, and no further than there are", () => {
  const { player, store } = playerOf();
  player.start();
  assert.deepEqual([player.shown, player.event, player.t], [0, undefined, 0]);
  const seen = [];
  for (let k = 0; k < 6; k++) {
    player.step(1);
    seen.push([player.event.n, player.t / TICK]);
  }
  assert.deepEqual(seen, [[1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [6, 1]]);
  player.step(-1);
  assert.equal(player.event.n, 5);
  player.end();
  player.step(1);
  assert.equal(player.shown, store.events.length);
  player.start();
  player.step(-1);
  assert.equal(player.shown, 0);
});

test("steps by messages", () => {
  const { player } = playerOf();
  player.start();
  const seen = [];
  for (let k = 0; k < 6; k++) {
    player.stepMessage(1);
    seen.push(player.event.m);
  }
  assert.deepEqual(seen, ["m1", "m2", "m3", "m4", "m5", "m5"]);
  player.stepMessage(-1);
  assert.equal(player.event.m, "m4");
});

test("stops once at each instant at which something went wrong", () => {
  const { player } = playerOf();
  player.start();
  player.stepAnomaly(1);
  assert.deepEqual([player.event.type, player.t / TICK], ["requeued", 3.4]);
  player.stepAnomaly(1);
  assert.deepEqual([player.event.type, player.t / TICK], ["acked", 6.6]);
  player.stepAnomaly(1);
  assert.equal(player.t / TICK, 6.6);
  player.stepAnomaly(-1);
  assert.equal(player.t / TICK, 3.4);
});

test("finds what had happened at a time", () => {
  const { player } = playerOf();
  player.seek(3.5 * TICK);
  assert.equal(player.event.type, "requeued");
  player.seek(-5);
  assert.equal(player.shown, 0);
  player.seek(null);
  assert.equal(player.atEnd, true);
  player.seekEvent(7);
  assert.equal(player.event.n, 7);
});

test("plays from the start to the end, and stops there", () => {
  const one = playerOf();
  one.player.play();
  assert.equal(one.player.shown, 0);
  const frames = run(one, 20);
  assert.deepEqual([one.player.playing, one.player.atEnd], [false, true]);
  assert.ok(Math.abs(frames - (8.4 * 400) / 20) <= 3, `${frames}`);
});

test("plays faster and slower", () => {
  const at = (speed) => {
    const one = playerOf();
    one.player.setSpeed(speed);
    one.player.play();
    run(one, 20, 21);
    return one.player.t / TICK;
  };
  assert.deepEqual([0.25, 1, 4].map(at), [0.25, 1, 4]);
});

test("goes on from where it is, and stands still when told to", () => {
  const one = playerOf();
  one.player.seek(4 * TICK);
  one.player.play();
  run(one, 20, 11);
  one.player.pause();
  assert.ok(Math.abs(one.player.t / TICK - 4.5) < 1e-9);
  run(one, 20);
  assert.ok(Math.abs(one.player.t / TICK - 4.5) < 1e-9);
});

test("a hidden page doesn't make it leap", () => {
  const one = playerOf();
  one.player.play();
  one.told.frames.shift()(0);
  one.told.frames.shift()(60_000);
  assert.ok(one.player.t <= 100_000);
});

test("without motion it jumps: one event a second", () => {
  const one = playerOf({ jumps: () => true });
  one.player.play();
  run(one, 100, 31);
  assert.equal(one.player.shown, 3);
});

test("stepping ends playing", () => {
  const one = playerOf();
  one.player.play();
  one.player.step(1);
  assert.equal(one.player.playing, false);
});
