// @ts-check
/** What the broker is asked, and what it answers. */

const BASE = `${location.origin}/lab/api`; // without user:password@ of our own URL

/** The broker has refused, or isn't there (status 0). */
export class ApiError extends Error {
  /** @param {number} status @param {string} reason */
  constructor(status, reason) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * @param {string} method
 * @param {string} path below the API's root
 * @param {any} [body] sent as JSON, a string as it is
 * @returns {Promise<Response>}
 * @throws {ApiError}
 */
export async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(BASE + path, {
      method,
      body: typeof body === "string" || body === undefined ? body : JSON.stringify(body),
      headers: body === undefined ? {} : { "content-type": typeOf(body) },
    });
  } catch {
    throw new ApiError(0, "");
  }
  if (response.ok) return response;
  throw new ApiError(response.status, await reasonOf(response));
}

const typeOf = (body) => (typeof body === "string" ? "application/x-ndjson" : "application/json");

async function reasonOf(response) {
  try {
    const { reason, error } = await response.json();
    return reason ?? error ?? response.statusText;
  } catch {
    return response.statusText;
  }
}

const json = async (method, path, body) => (await ask(method, path, body)).json();

/** @param {...string} parts each may hold anything */
const at = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;

/** Words of a language, by key. @param {string} file @returns {Promise<Record<string, string>>} */
export async function words(file) {
  const response = await fetch(`${location.origin}/lab/texts/${file}.json`);
  if (!response.ok) throw new ApiError(response.status, response.statusText);
  return response.json();
}

let catalogue;

/** All scenarios, asked for once. @returns {Promise<any[]>} */
export function scenarios() {
  catalogue ??= json("GET", "/scenarios").then(listed);
  catalogue.catch(() => (catalogue = undefined));
  return catalogue;
}

const listed = (answer) => (Array.isArray(answer) ? answer : (answer.items ?? answer.scenarios));

/** @param {{scenario: string, params: object, seed?: number, mode: string, variant?: string}} what */
export const startRun = (what) => json("POST", "/runs", what);
export const getRun = (id) => json("GET", at("runs", id));
export const getEvents = (id, after) => json("GET", `${at("runs", id)}/events?after=${after}`);
export const listRuns = () => json("GET", "/runs").then(listed);
export const renameRun = (id, name) => json("PUT", at("runs", id), { name });
export const deleteRun = (id) => ask("DELETE", at("runs", id));
/** @param {string} jsonl a trace file */
export const importTrace = (jsonl) => json("POST", "/import", jsonl);
/** What another policy would have made of a run. @param {string} lang of what can't be */
export const whatIf = (id, asked, lang) =>
  json("POST", `${at("runs", id)}/whatif?${new URLSearchParams({ lang })}`, asked);
export const listQueues = () => json("GET", "/queues").then(listed);
export const traceQueue = (v, q) => json("PUT", at("trace", v, q), {});
/** What has come of a queue's order since it is traced. */
export const tracedQueue = (v, q) => json("GET", at("trace", v, q));
/** Keep what a traced queue has told as a run. */
export const keepTrace = (v, q, name) => json("POST", `${at("trace", v, q)}/runs`, { name });
export const untraceQueue = (v, q) => ask("DELETE", at("trace", v, q));
/** @param {{run?: string, v?: string, q?: string, do: string, target: string, confirm?: boolean}} what */
export const strike = (what) => ask("POST", "/faults", what);

/**
 * A run in a format to hand out.
 *
 * @param {string} id
 * @param {string} format `jsonl`, `html`, `svg`, `mermaid`, `csv` or `markdown`
 * @param {string} lang of its words
 */
export const exported = (id, format, lang) => ask("GET", exportOf(id, format, lang));
export const exportUrl = (id, format, lang) => BASE + exportOf(id, format, lang);
const exportOf = (id, format, lang) =>
  `${at("runs", id)}/export?${new URLSearchParams({ format, lang })}`;

export const runStream = (id) => `${BASE}${at("runs", id)}/stream`;
export const liveStream = (v, q) => `${BASE}${at("trace", v, q)}/stream`;
