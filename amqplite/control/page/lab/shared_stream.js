// @ts-check
/**
 * One stream for all pages of a browser: one of them listens to the broker, and tells the others.
 *
 * Browsers open about six connections to a host, and a stream takes one for as long as it lasts.
 * Who listens is who came first; when it falls silent, another page takes its place.
 */

const BEAT_MS = 1000;
const SILENCE_MS = 4000;
const ASK_MS = 400;
const RECENT = 4000;

/**
 * @typedef {{event: string, id: string, data: string}} Message
 * @typedef {object} Reader
 * @property {(messages: Message[]) => void} take
 * @property {(state: {open: boolean, retry: number, status: number}) => void} state retry: when it
 *   is tried again, in ms since the epoch
 */

/**
 * @param {string} name the same for all pages that want this stream
 * @param {(listener: import("./sse.js").Listener, after: string) => {close: () => void, retry: () => void}} connect
 * @param {Reader} reader
 * @param {{hidden?: () => boolean, Channel?: typeof BroadcastChannel, random?: () => number}} [surroundings]
 */
export function shareStream(name, connect, reader, surroundings = {}) {
  const {
    hidden = () => document.hidden,
    Channel = BroadcastChannel,
    random = Math.random,
  } = surroundings;
  const channel = new Channel(`amqplite.lab ${name}`);
  const own = random();
  /** @type {ReturnType<typeof connect> | null} */
  let stream = null;
  /** @type {Message[]} */
  let recent = [];
  /** @type {Message[]} */
  let gathered = [];
  let state = { open: false, retry: 0, status: 0 };
  let last = "";
  let watch, beat;

  const post = (kind, more = {}) => channel.postMessage({ kind, own, hidden: hidden(), ...more });

  function tell(next) {
    state = next;
    reader.state(state);
    if (stream) post("state", { state });
  }

  function give(messages) {
    for (const message of messages) last = message.id || last;
    reader.take(messages);
  }

  function gather(message) {
    if (gathered.length === 0) queueMicrotask(pass);
    gathered.push(message);
  }

  function pass() {
    const messages = gathered;
    gathered = [];
    recent = [...recent, ...messages].slice(-RECENT);
    post("events", { messages });
    give(messages);
  }

  function lead() {
    clearTimeout(watch);
    if (stream) return;
    stream = connect(
      {
        take: gather,
        open: () => tell({ open: true, retry: 0, status: 0 }),
        lost: (wait, status) => tell({ open: false, retry: Date.now() + wait, status }),
      },
      last,
    );
    beat = setInterval(() => post("beat"), BEAT_MS);
    post("beat");
  }

  function follow() {
    clearInterval(beat);
    stream?.close();
    stream = null;
    listenFor(SILENCE_MS);
  }

  function listenFor(ms) {
    clearTimeout(watch);
    watch = setTimeout(lead, ms + random() * ASK_MS);
  }

  /** Of two that listen, the one that can be seen goes on, else who has the smaller number. */
  const yields = (other) => (other.hidden === hidden() ? other.own < own : !other.hidden);

  channel.onmessage = ({ data }) => {
    if (data.kind === "hello") {
      if (stream) post("events", { messages: recent, state });
      return;
    }
    if (data.kind === "bye") {
      if (!stream) listenFor(0);
      return;
    }
    if (stream) {
      if (yields(data)) follow();
      return;
    }
    listenFor(SILENCE_MS);
    if (data.state) reader.state((state = data.state));
    if (data.messages) give(data.messages);
  };

  post("hello");
  listenFor(ASK_MS);
  return {
    /** Try at once, whoever listens. */
    retry: () => (stream ? stream.retry() : lead()),
    close() {
      clearTimeout(watch);
      clearInterval(beat);
      if (stream) post("bye");
      stream?.close();
      channel.close();
    },
  };
}
