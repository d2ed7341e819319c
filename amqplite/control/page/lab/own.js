// @ts-check
/** How people bring a consumer of their own: programs to copy. */

import { button, el } from "./dom.js";
import { text } from "./i18n.js";
import { say } from "./said.js";

/** Where clients find the broker. */
export function amqpUrl() {
  const { amqpAddress = "", amqpPort = "5672" } = document.body.dataset;
  const host = amqpAddress.replace(/:\d+$/, "");
  const everywhere = host === "" || host === "0.0.0.0" || host === "[::]" || host.startsWith("{");
  return `amqp://guest:guest@${everywhere ? location.hostname : host}:${amqpPort.startsWith("{") ? 5672 : amqpPort}/`;
}

/** @param {any} scenario */
export function showOwn(scenario) {
  const queue = scenario.queues?.[0]?.name ?? "q";
  const fill = (code) => code.replaceAll("{url}", amqpUrl()).replaceAll("{queue}", queue);
  return el(
    "section",
    { class: "own" },
    el("h2", {}, text("own.title")),
    el("p", { class: "lede" }, text("own.lede", { queue })),
    scenario.snippets.map((snippet) =>
      el(
        "details",
        {},
        el("summary", {}, snippet.title),
        el("p", {}, el("code", {}, fill(snippet.install))),
        el("pre", { class: "mono", tabindex: "0" }, fill(snippet.code)),
        el(
          "p",
          {},
          button(text("own.copy"), () => void copy(fill(snippet.code))),
        ),
      ),
    ),
  );
}

/** @param {string} words @returns {Promise<boolean>} whether it is in the clipboard */
export async function copy(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    if (!copyOldWay(words)) return false;
  }
  say(text("exp.copied"));
  return true;
}

/** Without TLS a browser has no clipboard, but still what was there before. */
function copyOldWay(words) {
  const field = el("textarea", { class: "unseen", readonly: true, value: words });
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
