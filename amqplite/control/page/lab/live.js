// @ts-check
/** Live: any queue of the broker, with whatever clients it has. */

import { listQueues } from "./api.js";
import { el, put } from "./dom.js";
import { number, text } from "./i18n.js";
import { amqpUrl } from "./own.js";
import { problem } from "./problem.js";
import { format } from "./route.js";
import { LiveQueue } from "./live_queue.js";
import { causeWords } from "./told.js";

const PERIOD_MS = 2000;

/** @type {(main: any, context: import("./app.js").Context) => Promise<import("./app.js").View>} */
export async function show(main, context) {
  const [v, q] = context.route.path;
  if (q !== undefined) return new LiveQueue(main, context, v, q).begin();
  context.title(text("nav.live"));
  const list = el("div", { class: "queues" });
  put(
    main,
    el(
      "header",
      { class: "masthead" },
      el("h1", {}, text("live.title")),
      el("p", { class: "lede" }, text("live.lede")),
    ),
    list,
  );
  let drawn = "";
  const look = async () => {
    try {
      const queues = await listQueues();
      const key = JSON.stringify(queues);
      if (key !== drawn) put(list, queues.length ? table(queues) : noQueue());
      drawn = key;
      return true;
    } catch (error) {
      drawn = "";
      put(
        list,
        problem(error, () => void keepLooking()),
      );
      return false;
    }
  };
  let timer;
  let gone = false;
  const keepLooking = async () => {
    clearTimeout(timer);
    if (gone || (!document.hidden && !(await look()))) return;
    timer = window.setTimeout(keepLooking, PERIOD_MS);
  };
  await keepLooking();
  return {
    destroy() {
      gone = true;
      clearTimeout(timer);
    },
  };
}

const COLUMNS = [
  "live.queue",
  "live.vhost",
  "live.ready",
  "live.unacked",
  "live.consumers",
  "live.verdict",
  "live.state",
];

function table(queues) {
  const sorted = [...queues].sort((a, b) => b.consumers - a.consumers || (a.q < b.q ? -1 : 1));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "plain-table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          COLUMNS.map((key, at) =>
            el("th", { scope: "col", class: at >= 2 && at <= 4 ? "number" : "" }, text(key)),
          ),
        ),
      ),
      el("tbody", {}, sorted.map(row)),
    ),
  );
}

function row({ v, q, ready, unacked, consumers, traced, order }) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, el("a", { href: format({ page: "live", path: [v, q] }) }, q)),
    el("td", { class: "quiet" }, v),
    [ready, unacked, consumers].map((count) =>
      el("td", { class: `number${count ? "" : " quiet"}` }, number(count ?? 0)),
    ),
    verdict(order ?? {}),
    el(
      "td",
      { class: traced ? "" : "quiet" },
      text(traced ? "live.traced" : consumers ? "live.untraced" : "live.idle"),
    ),
  );
}

/** What the meter of every queue says, traced or not. */
function verdict({ completed = 0, inversions = 0, by_cause: causes = {} }) {
  if (!completed) return el("td", { class: "quiet" }, text("live.nothing"));
  if (!inversions)
    return el(
      "td",
      { class: "fine" },
      text("live.order", { n: number(completed), of: number(completed) }),
    );
  const [[worst] = [""]] = Object.entries(causes).sort(
    ([, a], [, b]) => b.inversions - a.inversions,
  );
  return el(
    "td",
    { class: "trouble" },
    text("gallery.came", { n: number(inversions) }),
    worst && el("span", { class: "quiet" }, ` · ${causeWords(worst)}`),
  );
}

/** Three lines that make one. */
function noQueue() {
  const lines = [
    "pip install pika",
    `python3 -c "import pika; c = pika.BlockingConnection(pika.URLParameters('${amqpUrl()}')).channel()`,
    `c.queue_declare('q'); [c.basic_publish('', 'q', b'm%d' % i) for i in range(1, 6)]"`,
  ];
  return el(
    "div",
    { class: "empty" },
    el("h2", {}, text("empty.noq")),
    el("p", { class: "lede" }, text("empty.noq.how")),
    el("pre", { class: "mono", tabindex: "0" }, lines.join("\n")),
    el("p", { class: "row" }, el("a", { class: "button main", href: "#/" }, text("empty.noq.go"))),
  );
}
