import assert from "node:assert/strict";
import { test } from "node:test";

import { shareStream } from "../../amqplite/control/page/lab/shared_stream.js";

/** Channels that reach each other at once, and in order. */
function channels() {
  const all = new Set();
  return class {
    constructor() {
      all.add(this);
    }

    postMessage(data) {
      for (const other of all)
        if (other !== this) other.onmessage?.({ data: structuredClone(data) });
    }

    close() {
      all.delete(this);
    }
  };
}

/** Pages of one browser, on a clock that is moved by hand. */
function browser(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const Channel = channels();
  const streams = [];
  const page = (random, hidden = false) => {
    const own = { taken: [], states: [], hidden };
    own.shared = shareStream(
      "q",
      (listener, after) => {
        const stream = {
          listener,
          after,
          open: true,
          close: () => (stream.open = false),
          retry() {},
        };
        streams.push(stream);
        return stream;
      },
      {
        take: (messages) => own.taken.push(...messages.map(({ data }) => data)),
        state: (state) => own.states.push(state),
      },
      { Channel, hidden: () => own.hidden, random: () => random },
    );
    return own;
  };
  const open = () => streams.filter((stream) => stream.open);
  const tell = async (data) => {
    open().forEach(({ listener }) => listener.take({ event: "trace", id: data, data }));
    await null;
  };
  return { page, open, tell, streams };
}

test("the first page listens, and tells those that come", async (t) => {
  const { page, open, tell } = browser(t);
  const first = page(0.1);
  t.mock.timers.tick(1000);
  await tell("1");
  const second = page(0.9);
  t.mock.timers.tick(1000);
  await tell("2");
  assert.equal(open().length, 1);
  assert.deepEqual(first.taken, ["1", "2"]);
  assert.deepEqual(second.taken, ["1", "2"]);
});

test("when it goes, another goes on where it ended", async (t) => {
  const { page, open, tell } = browser(t);
  const first = page(0.1);
  t.mock.timers.tick(1000);
  const second = page(0.9);
  t.mock.timers.tick(500);
  await tell("7");
  first.shared.close();
  t.mock.timers.tick(1000);
  assert.equal(open().length, 1);
  assert.equal(open()[0].after, "7");
  await tell("8");
  assert.deepEqual(second.taken, ["7", "8"]);
});

test("of two that listen, the one that is seen goes on", async (t) => {
  const { page, open } = browser(t);
  const hidden = page(0.1, true);
  const seen = page(0.2);
  t.mock.timers.tick(10_000);
  assert.equal(open().length, 1);
  seen.shared.retry();
  t.mock.timers.tick(2000);
  assert.equal(open().length, 1);
  assert.equal(hidden.states.length, 0);
});
