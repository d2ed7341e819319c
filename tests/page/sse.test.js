import assert from "node:assert/strict";
import { test } from "node:test";

import { listen, reader } from "../../amqplite/control/page/lab/sse.js";

const read = (...pieces) => {
  const events = [];
  const feed = reader((event) => events.push(event));
  pieces.forEach(feed);
  return events;
};

test("events are cut from pieces of any size", () => {
  const stream =
    'id: 7\nevent: trace\ndata: {"n":7}\n\n: a comment\n\nid: 8\ndata: one\ndata: two\n\n';
  const expected = [
    { event: "trace", id: "7", data: '{"n":7}' },
    { event: "message", id: "8", data: "one\ntwo" },
  ];
  assert.deepEqual(read(stream), expected);
  assert.deepEqual(read(...stream), expected);
  assert.deepEqual(read(stream.replaceAll("\n", "\r\n")), expected);
  assert.deepEqual(read(...stream.replaceAll("\n", "\r\n")), expected);
});

test("an event that isn't finished is none", () => {
  assert.deepEqual(read("data: x\n"), []);
});

const body = (text) => new Response(text).body;
const answer = (status, text = "") => ({
  ok: status === 200,
  status,
  statusText: "",
  body: body(text),
});

test("after a break it goes on behind the last event", async () => {
  const asked = [];
  const answers = [answer(200, "id: 5\ndata: a\n\n"), answer(200, "id: 6\ndata: b\n\n")];
  const taken = [];
  await new Promise((done) => {
    const stream = listen(
      "/stream",
      {
        take: ({ data }) => taken.push(data),
        lost(wait) {
          taken.push(wait);
          if (answers.length) stream.retry();
          else {
            stream.close();
            done();
          }
        },
      },
      {
        after: "4",
        fetch: async (url, { headers }) => {
          asked.push(headers["last-event-id"]);
          return answers.shift();
        },
      },
    );
  });
  assert.deepEqual(asked, ["4", "5"]);
  assert.deepEqual(taken, ["a", 1000, "b", 1000]);
});

test("what is refused is not tried again", async () => {
  const lost = await new Promise((resolve) => {
    listen(
      "/stream",
      { take() {}, lost: (...told) => resolve(told) },
      { fetch: async () => answer(404) },
    );
  });
  assert.deepEqual(lost, [Infinity, 404]);
});

test("what is in order at its end is over", async () => {
  await new Promise((end) => {
    listen("/stream", { take() {}, end, lost: assert.fail }, { fetch: async () => answer(200) });
  });
});
