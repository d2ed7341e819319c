// @ts-check
/** Step one: say what will happen before it does. */

import { button, el, put } from "./dom.js";
import { pick, text } from "./i18n.js";
import { say } from "./said.js";
import { isAboutOrder, publishedIn } from "./scenario_facts.js";
import { formatOrder, inversions, moved, parseOrder } from "./score.js";
import { rows, sign } from "./threads.js";

/**
 * @param {any} host
 * @param {any} scenario
 * @param {{params: Record<string, string>, update: (params: any) => void, run: () => void}} options
 */
export function showPredict(host, scenario, { params, update, run }) {
  const { question } = scenario;
  const labels = publishedIn(scenario);
  const order =
    isAboutOrder(scenario) &&
    boxes(labels, parseOrder(params.guess, labels), (guess) =>
      update({ guess: formatOrder(guess, labels) }),
    );
  put(
    host,
    el(
      "div",
      { class: "columns predicting" },
      el("div", { class: "prose story" }, pick(scenario.story)),
      el(
        "form",
        { class: "predict", on: { submit: (event) => (event.preventDefault(), run()) } },
        el("h2", {}, pick(question)),
        order,
        el(
          "fieldset",
          {},
          el("legend", { class: order ? "" : "unseen" }, text("predict.closest")),
          question.answers.map((answer) => choice(answer, params, update)),
        ),
        el(
          "p",
          { class: "row" },
          el("button", { type: "submit", class: "button main" }, text("predict.run")),
          el("span", { class: "quiet" }, text("predict.kept")),
        ),
      ),
    ),
  );
}

function choice(answer, params, update) {
  const radio = el("input", {
    type: "radio",
    name: "answer",
    checked: params.answer === answer.id,
  });
  radio.addEventListener("change", () => update({ answer: answer.id }));
  return el("label", { class: "check answer" }, radio, pick(answer));
}

/**
 * Boxes to be put in order: by dragging, or with the arrow keys on the one that has the focus.
 *
 * @param {string[]} labels
 * @param {string[] | null} guess
 * @param {(order: string[]) => void} change
 */
function boxes(labels, guess, change) {
  let order = guess ?? [...labels];
  const list = el("ol", { class: "boxes" });
  const items = new Map(labels.map((label) => [label, item(label)]));

  function item(label) {
    const box = el(
      "button",
      {
        type: "button",
        class: "box",
        "data-own-keys": true,
        on: { keydown: (event) => key(event, label), pointerdown: (event) => drag(event, label) },
      },
      label,
    );
    return el("li", {}, box);
  }

  function place(label, to) {
    const from = order.indexOf(label);
    const next = moved(order, from, to);
    if (next[from] === label) return;
    order = next;
    draw();
    change(order);
    say(text("predict.moved", { m: label, n: order.indexOf(label) + 1, of: order.length }));
  }

  function key(event, label) {
    const at = order.indexOf(label);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: order.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    place(label, to);
    items.get(label)?.querySelector("button")?.focus();
  }

  function drag(event, label) {
    const box = event.currentTarget;
    if (event.button !== 0) return;
    let from = event.clientX;
    box.setPointerCapture(event.pointerId);
    box.classList.add("held");
    const move = ({ clientX }) => {
      const step = slot();
      const by = clientX - from;
      const steps = Math.round(by / step);
      const before = order.indexOf(label);
      if (steps) place(label, before + steps);
      from += (order.indexOf(label) - before) * step;
      box.style.setProperty("translate", `${clientX - from}px`);
    };
    const drop = () => {
      box.classList.remove("held");
      box.style.removeProperty("translate");
      for (const [name, listener] of Object.entries(listeners))
        box.removeEventListener(name, listener);
    };
    const listeners = { pointermove: move, pointerup: drop, pointercancel: drop };
    for (const [name, listener] of Object.entries(listeners)) box.addEventListener(name, listener);
  }

  /** Distance from one box to the next. */
  function slot() {
    const [first, second] = list.children;
    return Math.max(1, second.offsetLeft - first.offsetLeft);
  }

  function draw() {
    order.forEach((label, at) => {
      const one = items.get(label);
      const button = one.firstChild;
      button.setAttribute(
        "aria-label",
        text("predict.box", { m: label, n: at + 1, of: order.length }),
      );
    });
    if ([...list.children].some((one, at) => one !== items.get(order[at]))) arrange();
  }

  /** Puts the elements in order too, but lets the one that is held stay where it is. */
  function arrange() {
    const held = list.querySelector(".held")?.parentElement;
    const all = order.map((label) => items.get(label));
    if (!held) return put(list, all);
    const at = all.indexOf(held);
    held.before(...all.slice(0, at));
    held.after(...all.slice(at + 1));
    return list;
  }

  put(
    list,
    order.map((label) => items.get(label)),
  );
  draw();
  return el(
    "section",
    { class: "expected", "aria-label": text("predict.order") },
    el("h3", {}, text("predict.order")),
    el("p", { class: "quiet" }, text("predict.how")),
    list,
  );
}

/**
 * What became of the prediction.
 *
 * @param {any} scenario
 * @param {Record<string, string>} params
 * @param {string[]} truth labels in the order they were completed
 */
export function showOutcome(scenario, params, truth) {
  const { question } = scenario;
  const labels = publishedIn(scenario);
  const guess = parseOrder(params.guess, labels);
  const given = question.answers.find((answer) => answer.id === params.answer);
  const right = question.answers.find((answer) => answer.id === question.right);
  if (!guess && !given) return null;
  return el(
    "section",
    { class: "outcome", "aria-labelledby": "outcome" },
    el("h2", { id: "outcome" }, text("outcome.title")),
    given && answered(question, given, right),
    guess && ordered(guess, truth),
  );
}

function answered(question, given, right) {
  const hit = given.id === right.id;
  return el(
    "div",
    {},
    el(
      "p",
      { class: "said" },
      sign(!hit),
      text(hit ? "outcome.right" : "outcome.wrong", { answer: pick(given), right: pick(right) }),
    ),
    el("p", {}, pick(question.why)),
  );
}

function ordered(guess, truth) {
  const off = inversions(guess, truth);
  const shared = truth.filter((label) => guess.includes(label));
  return el(
    "figure",
    {},
    rows(guess, shared, [text("outcome.you"), text("outcome.broker")]),
    el(
      "figcaption",
      { class: off ? "" : "fine" },
      text(off ? "outcome.off" : "outcome.exact", { n: off }),
    ),
  );
}
