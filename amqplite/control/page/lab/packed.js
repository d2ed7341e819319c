// @ts-check
/**
 * A whole run in a link: its JSONL with short names, deflated, in base64url.
 *
 * Times are written as steps from the event before, numbers in order not at all.
 */

/** @type {Record<string, string>} */
const SHORT = {
  ...{ type: "y", exchange: "x", redelivered: "r", attempt: "a", cause: "w", prefetch: "f" },
  ...{ depth: "d", size: "z", conn: "o", multiple: "u", requeue: "e", held: "h", idle: "i" },
  ...{ tag: "g", key: "k", sub: "b", text: "l", auto: "j", prio: "0", by: "1", get: "2" },
  ...{ lost_from: "3", lost_to: "4" },
};
const LONG = Object.fromEntries(Object.entries(SHORT).map(([long, short]) => [short, long]));

/** Characters above which a link with data is too long to be passed on. */
export const LONGEST = 6144;

/** @param {string} jsonl a trace file @returns {Promise<string>} */
export async function pack(jsonl) {
  const [header, ...events] = jsonl.split("\n").filter(Boolean);
  const lines = shorten(events.map((line) => JSON.parse(line)));
  const octets = new TextEncoder().encode([header, ...lines].join("\n"));
  return base64(await through(octets, new CompressionStream("deflate-raw")));
}

/**
 * @param {string} packed
 * @returns {Promise<string>} the trace file
 * @throws {Error} the link is damaged
 */
export async function unpack(packed) {
  const octets = await through(octetsOf(packed), new DecompressionStream("deflate-raw"));
  const [header, ...lines] = new TextDecoder().decode(octets).split("\n");
  const events = lengthen(lines.filter(Boolean).map((line) => JSON.parse(line)));
  return [header, ...events.map((event) => JSON.stringify(event)), ""].join("\n");
}

function shorten(events) {
  let [n, t] = [0, 0];
  return events.map((event) => {
    const { n: number, t: time, ...rest } = event;
    const said = Object.entries(rest).map(([name, value]) => [SHORT[name] ?? name, value]);
    const moved = {
      ...(number !== n + 1 && { n: number - n }),
      ...(time !== t && { t: time - t }),
    };
    [n, t] = [number, time];
    return JSON.stringify({ ...Object.fromEntries(said), ...moved });
  });
}

function lengthen(lines) {
  let [n, t] = [0, 0];
  return lines.map(({ n: numbers = 1, t: time = 0, ...rest }) => {
    [n, t] = [n + numbers, t + time];
    const said = Object.entries(rest).map(([name, value]) => [LONG[name] ?? name, value]);
    return { n, t, ...Object.fromEntries(said) };
  });
}

async function through(octets, transform) {
  const stream = new Blob([octets]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function base64(octets) {
  const letters = Array.from(octets, (octet) => String.fromCharCode(octet)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function octetsOf(packed) {
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
