// One conversation of npm's amqplib with a broker: node amqplib_cases.cjs URL CASE.
// The exit code is 0 if all went as it should. Queues are exclusive, or have names of this run.

const assert = require("node:assert/strict");
const { once } = require("node:events");
const { randomBytes } = require("node:crypto");
const amqp = require("amqplib");

const [, , url, wanted] = process.argv;
const name = (purpose) => `${purpose}.${wanted}.${randomBytes(4).toString("hex")}`;

// A consumer's messages, in order, each awaited with next().
async function inbox(channel, queue, options) {
  const waiting = [];
  const arrived = [];
  const { consumerTag } = await channel.consume(
    queue,
    (message) => (waiting.length ? waiting.shift()(message) : arrived.push(message)),
    options,
  );
  const next = () =>
    arrived.length ? arrived.shift() : new Promise((resolve) => waiting.push(resolve));
  return { consumerTag, next };
}

// What closes the channel when `use` is refused there.
async function refusal(channel, use) {
  const closed = once(channel, "error");
  await assert.rejects(use());
  const [error] = await closed;
  return error;
}

const cases = {
  async properties(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    assert.match(queue, /^amq\.gen-[\w-]{22}$/);
    const headers = {
      text: "ünïcode",
      yes: true,
      nothing: null,
      whole: 42,
      large: 2 ** 40,
      real: 0.25,
      list: [1, "two", { three: [3] }],
      table: { deep: { deeper: {} } },
      octets: Buffer.from([0, 255]),
      when: { "!": "timestamp", value: 1_700_000_000 },
      price: { "!": "decimal", value: { digits: 314, places: 2 } },
      byte: { "!": "int8", value: -5 },
      float: { "!": "float", value: 1.5 },
    };
    const options = {
      headers,
      persistent: true,
      priority: 4,
      expiration: "60000",
      correlationId: "c",
      replyTo: "r",
      messageId: "m",
      timestamp: 1_700_000_000,
      type: "t",
      userId: "guest",
      appId: "a",
      contentType: "text/plain",
      contentEncoding: "utf-8",
    };
    channel.sendToQueue(queue, Buffer.from("body"), options);
    const got = await channel.get(queue, { noAck: true });
    assert.equal(got.content.toString(), "body");
    assert.deepEqual(got.properties.headers, { ...headers, byte: -5, float: 1.5 });
    for (const key of ["priority", "expiration", "correlationId", "replyTo", "messageId"]) {
      assert.equal(got.properties[key], options[key]);
    }
    for (const key of ["timestamp", "type", "userId", "appId", "contentType"]) {
      assert.equal(got.properties[key], options[key]);
    }
    assert.equal(got.properties.deliveryMode, 2);
    assert.equal(got.fields.redelivered, false);
    assert.equal(await channel.get(queue), false);
  },

  async bodies(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    const { next } = await inbox(channel, queue, { noAck: true });
    for (const size of [0, 1, 4088, 4089, 131064, 131065, 1_000_000]) {
      const body = Buffer.alloc(size, "amqp");
      channel.sendToQueue(queue, body);
      assert.ok((await next()).content.equals(body), `${size} octets`);
    }
  },

  async settling(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    await channel.prefetch(1);
    const { next, consumerTag } = await inbox(channel, queue);
    for (const body of ["again", "gone", "done"]) channel.sendToQueue(queue, Buffer.from(body));
    const seen = [];
    for (let turn = 0; turn < 4; turn++) {
      const message = await next();
      seen.push([message.content.toString(), message.fields.redelivered]);
      if (turn === 0) channel.nack(message);
      else if (turn === 2) channel.reject(message, false);
      else channel.ack(message);
    }
    const expected = [["again", false], ["again", true], ["gone", false], ["done", false]];
    assert.deepEqual(seen, expected);
    await channel.cancel(consumerTag);
    assert.equal((await channel.checkQueue(queue)).messageCount, 0);
    for (let n = 0; n < 5; n++) channel.sendToQueue(queue, Buffer.from(String(n)));
    for (let n = 0; n < 5; n++) await channel.get(queue);
    channel.nackAll();
    const again = await channel.get(queue);
    assert.deepEqual([again.content.toString(), again.fields.redelivered], ["0", true]);
    assert.equal(again.fields.messageCount, 4);
    channel.ackAll();
    await channel.recover();
    assert.equal((await channel.purgeQueue(queue)).messageCount, 4);
  },

  async confirms(connection) {
    const channel = await connection.createConfirmChannel();
    const { queue } = await channel.assertQueue(name("q"), { durable: true });
    const settled = [];
    for (let n = 0; n < 500; n++) {
      const options = { persistent: n % 2 === 0 };
      channel.sendToQueue(queue, Buffer.from(String(n)), options, (error) => {
        assert.equal(error, null);
        settled.push(n);
      });
    }
    await channel.waitForConfirms();
    assert.equal(settled.length, 500);
    assert.equal((await channel.checkQueue(queue)).messageCount, 500);
    assert.equal((await channel.deleteQueue(queue)).messageCount, 500);
  },

  async returns(connection) {
    const channel = await connection.createConfirmChannel();
    const events = [];
    channel.on("return", (message) => events.push(["return", message.content.toString()]));
    for (const body of ["1", "2", "3"]) {
      const options = { mandatory: body !== "2" };
      channel.publish("amq.direct", name("nobody"), Buffer.from(body), options, () =>
        events.push(["confirm", body]),
      );
    }
    await channel.waitForConfirms();
    const position = (kind, body) => events.findIndex(([k, b]) => k === kind && b === body);
    assert.equal(events.length, 5);
    assert.ok(position("return", "1") < position("confirm", "1"));
    assert.ok(position("return", "3") < position("confirm", "3"));
    assert.equal(position("return", "2"), -1);
  },

  async exchanges(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    for (const type of ["direct", "fanout", "topic", "headers"]) {
      const source = name(`${type}.source`);
      const target = name(`${type}.target`);
      const alternate = name(`${type}.alternate`);
      await channel.assertExchange(alternate, "fanout", { durable: false });
      await channel.assertExchange(source, type, { alternateExchange: alternate });
      await channel.assertExchange(target, "fanout", { durable: false, internal: true });
      await channel.bindExchange(target, source, "a.b", { kind: "x" });
      await channel.bindQueue(queue, target, "");
      channel.publish(source, "a.b", Buffer.from(type), { headers: { kind: "x" } });
      assert.equal((await channel.get(queue, { noAck: true })).content.toString(), type);
      await channel.unbindExchange(target, source, "a.b", { kind: "x" });
      await channel.bindQueue(queue, alternate, "");
      channel.publish(source, "a.b", Buffer.from("else"), { headers: { kind: "x" } });
      assert.equal((await channel.get(queue, { noAck: true })).content.toString(), "else");
      await channel.unbindQueue(queue, target, "");
      for (const exchange of [target, alternate, source]) await channel.deleteExchange(exchange);
    }
  },

  async refusals(connection) {
    const good = await connection.createChannel();
    const { queue } = await good.assertQueue(name("q"), { exclusive: true, durable: false });
    const uses = [
      [404, "checkQueue", name("absent")],
      [404, "checkExchange", name("absent")],
      [404, "get", name("absent")],
      [403, "assertQueue", "amq.mine"],
      [406, "assertQueue", queue, { exclusive: true, durable: false, autoDelete: true }],
      [406, "assertExchange", "amq.direct", "topic"],
    ];
    for (const [code, method, ...args] of uses) {
      const channel = await connection.createChannel();
      const error = await refusal(channel, () => channel[method](...args));
      assert.equal(error.code, code, `${method} ${error.message}`);
    }
    const channel = await connection.createChannel();
    const closed = once(channel, "error");
    channel.ack({ fields: { deliveryTag: 99 } });
    assert.match((await closed)[0].message, /406 \(PRECONDITION-FAILED\).*unknown delivery tag 99/);
    assert.equal((await good.checkQueue(queue)).queue, queue);
  },

  async cancellation(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue(name("q"));
    const { next } = await inbox(channel, queue);
    await channel.deleteQueue(queue);
    assert.equal(await next(), null); // how amqplib tells of basic.cancel
    await channel.assertQueue("", { exclusive: true });
  },

  async priorities(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    const low = await inbox(channel, queue, { priority: 1 });
    const urgent = await connection.createChannel();
    await urgent.prefetch(1);
    const high = await inbox(urgent, queue, { priority: 10 });
    for (const body of ["1", "2", "3"]) channel.sendToQueue(queue, Buffer.from(body));
    assert.equal((await high.next()).content.toString(), "1");
    assert.equal((await low.next()).content.toString(), "2");
    assert.equal((await low.next()).content.toString(), "3");
  },

  async rpc(connection) {
    const server = await connection.createChannel();
    const { queue } = await server.assertQueue("", { exclusive: true });
    await server.consume(queue, (message) => {
      const { replyTo, correlationId } = message.properties;
      const answer = Buffer.from(String(Number(message.content.toString()) ** 2));
      server.sendToQueue(replyTo, answer, { correlationId });
      server.ack(message);
    });
    const client = await connection.createChannel();
    const replies = await client.assertQueue("", { exclusive: true });
    const { next } = await inbox(client, replies.queue, { noAck: true });
    for (let n = 0; n < 20; n++) {
      const options = { replyTo: replies.queue, correlationId: String(n) };
      client.sendToQueue(queue, Buffer.from(String(n)), options);
    }
    for (let n = 0; n < 20; n++) {
      const { content, properties } = await next();
      assert.equal(properties.correlationId, String(n));
      assert.equal(content.toString(), String(n * n));
    }
  },

  async channels(connection) {
    const channels = await Promise.all(
      Array.from({ length: 200 }, () => connection.createChannel()),
    );
    const { queue } = await channels[0].assertQueue("", { exclusive: true });
    for (const channel of channels) channel.sendToQueue(queue, Buffer.from("m"));
    const { next } = await inbox(channels[7], queue, { noAck: true });
    for (let n = 0; n < 200; n++) assert.equal((await next()).content.toString(), "m");
    await Promise.all(channels.map((channel) => channel.close()));
  },

  async backpressure(connection) {
    const channel = await connection.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    const { next } = await inbox(channel, queue, { noAck: true });
    const body = Buffer.alloc(10_000, "x");
    for (let n = 0; n < 2000; n++) {
      if (!channel.sendToQueue(queue, body)) await once(channel, "drain");
    }
    for (let n = 0; n < 2000; n++) assert.equal((await next()).content.length, 10_000);
  },

  async login(connection) {
    const wrong = url.replace("guest:guest@", "guest:wrong@");
    await assert.rejects(amqp.connect(wrong), /ACCESS[_-]REFUSED/);
    await assert.rejects(amqp.connect(`${url}nowhere`), /got <ConnectionClose channel:0>/);
    const small = await amqp.connect(`${url}?frameMax=4096&channelMax=5&heartbeat=1`);
    const channel = await small.createChannel();
    const { queue } = await channel.assertQueue("", { exclusive: true });
    channel.sendToQueue(queue, Buffer.alloc(20_000, "y"));
    assert.equal((await channel.get(queue, { noAck: true })).content.length, 20_000);
    await small.close();
    await connection.createChannel();
  },
};

async function main() {
  const connection = await amqp.connect(url, { clientProperties: { connection_name: wanted } });
  await cases[wanted](connection);
  await connection.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
