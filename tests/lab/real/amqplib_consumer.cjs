// The same consumer as `pika_consumer.py`, of npm's amqplib.

const readline = require("node:readline");
const amqp = require("amqplib");

const arrived = [];
const held = new Map();
let connection, channel, queue;
let wake = () => {};

const told = {
  async consume(settings) {
    queue = settings.queue;
    const clientProperties = { connection_name: `${settings.tag} of amqplib` };
    connection = await amqp.connect(settings.url, { clientProperties });
    channel = await connection.createChannel();
    await channel.prefetch(settings.prefetch);
    const onMessage = (message) => {
      arrived.push(message);
      wake();
    };
    await channel.consume(queue, onMessage, { noAck: settings.auto, consumerTag: settings.tag });
  },

  async take() {
    while (!arrived.length) await new Promise((resolve) => (wake = resolve));
    const message = arrived.shift();
    const label = message.properties.messageId ?? message.content.toString();
    held.set(label, message);
    return { m: label, redelivered: message.fields.redelivered };
  },

  async ack({ m }) {
    channel.ack(held.get(m));
    await channel.checkQueue(queue);
  },

  async close() {
    await connection.close();
  },
};

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const wanted = JSON.parse(line);
    console.log(JSON.stringify((await told[wanted.do](wanted)) ?? {}));
  }
}

main();
