// @ts-check
/**
 * Server-sent events over fetch, which unlike EventSource tells why a stream broke and when it will
 * be tried again.
 */

const SOONEST_MS = 1000;
const LATEST_MS = 30000;

/**
 * Cut a stream's text into its events.
 *
 * @param {(event: {event: string, id: string, data: string}) => void} take
 * @returns {(text: string) => void} to be given the text as it comes, in pieces of any size
 */
export function reader(take) {
  let [tail, id] = ["", ""];
  /** @type {string[]} */
  let data = [];
  let event = "";
  const line = (text) => {
    if (text === "") {
      if (data.length) take({ event: event || "message", id, data: data.join("\n") });
      [data, event] = [[], ""];
      return;
    }
    const at = text.indexOf(":");
    const [field, value] =
      at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1).replace(/^ /, "")];
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id") id = value;
  };
  return (text) => {
    const lines = (tail + text).split(/\r\n|\n|\r(?!$)/);
    tail = lines.pop() ?? "";
    lines.forEach(line);
  };
}

/**
 * @typedef {object} Listener
 * @property {(event: {event: string, id: string, data: string}) => void} take
 * @property {() => void} [open] it is connected, anew or for the first time
 * @property {(wait_ms: number, status: number) => void} [lost] it broke, and is tried again after
 *   so long; Infinity: it isn't. status: of HTTP, 0 where nobody answered
 * @property {() => void} [end] the other side has ended it in order
 */

/**
 * Listen to a stream, and again where it ended when it breaks.
 *
 * @param {string} url
 * @param {Listener} listener
 * @param {{after?: string, fetch?: typeof fetch}} [options] after: the last event that is known
 * @returns {{close: () => void, retry: () => void}}
 */
export function listen(url, listener, { after = "", fetch: get = fetch } = {}) {
  let last = after;
  let wait = SOONEST_MS;
  let timer;
  let abort = new AbortController();
  const broke = (status) => {
    const final = status >= 400 && status < 500 && status !== 429 && status !== 408;
    const pause = wait;
    wait = Math.min(LATEST_MS, wait * 2);
    if (!final) timer = setTimeout(run, pause);
    listener.lost?.(final ? Infinity : pause, status);
  };
  const run = async () => {
    abort = new AbortController();
    const { signal } = abort;
    const headers = { accept: "text/event-stream", ...(last && { "last-event-id": last }) };
    let status = 0;
    try {
      const response = await get(url, { headers, signal, cache: "no-store" });
      status = response.ok ? 0 : response.status;
      if (!response.ok || !response.body) throw new Error(response.statusText);
      wait = SOONEST_MS;
      listener.open?.();
      const feed = reader((event) => {
        last = event.id || last;
        listener.take(event);
      });
      await pour(response.body, feed);
      if (listener.end) {
        listener.end();
        return;
      }
    } catch {
      // told below
    }
    if (!signal.aborted) broke(status);
  };
  void run();
  return {
    close() {
      clearTimeout(timer);
      abort.abort();
    },
    retry() {
      clearTimeout(timer);
      wait = SOONEST_MS;
      void run();
    },
  };
}

/** @param {ReadableStream<Uint8Array>} body @param {(text: string) => void} feed */
async function pour(body, feed) {
  const stream = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await stream.read();
    if (done) return;
    feed(decoder.decode(value, { stream: true }));
  }
}
