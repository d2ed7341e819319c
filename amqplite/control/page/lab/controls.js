// @ts-check
/** What the reader may do to a run: knobs of its policy, and faults at the press of a key. */

import { strike } from "./api.js";
import { button, el, put } from "./dom.js";
import { pick, text } from "./i18n.js";
import { lettersOn } from "./keys.js";
import { say } from "./said.js";

/** Faults by the key that strikes them. */
export const FAULTS = ["crash", "silence", "lose_ack", "slow", "nack", "cancel"];

/** Those that can be done to a client that isn't an actor of ours. */
const TO_REAL_CLIENTS = new Set(["crash", "lose_ack", "cancel"]);

/**
 * Knobs for a scenario's parameters.
 *
 * @param {any} scenario
 * @param {Record<string, any>} values
 * @param {(name: string, value: any) => void} turn
 */
export function knobs(scenario, values, turn) {
  return el(
    "div",
    { class: "knobs" },
    scenario.params.map((param) => knob(param, values[param.name], turn)),
  );
}

function knob(param, value, turn) {
  const name = pick(param);
  const id = `knob-${param.name}`;
  const [control, more] =
    { bool: toggle, choice }[param.kind]?.(param, value, id, turn) ??
    stepper(param, value, id, turn);
  const label =
    param.kind === "choice"
      ? el("span", { id }, name)
      : el(
          "label",
          { for: id },
          name,
          param.unit && el("span", { class: "quiet" }, ` (${text("knob.ticks")})`),
        );
  return el("div", { class: "knob" }, label, control, more && el("span", { class: "quiet" }, more));
}

function toggle(param, value, id, turn) {
  const box = el("input", { id, type: "checkbox", checked: value === true });
  box.addEventListener("change", () => turn(param.name, box.checked));
  return [el("span", { class: "check" }, box), ""];
}

function choice(param, value, id, turn) {
  const options = param.choices.map((one) =>
    button(pick(one), () => turn(param.name, one.id), {
      id: `${id}-${one.id}`,
      "aria-pressed": String(one.id === value),
    }),
  );
  return [el("div", { class: "segments", role: "group", "aria-labelledby": id }, options), ""];
}

function stepper(param, value, id, turn) {
  const name = pick(param);
  const least = param.zero ? 0 : param.min;
  const set = (wanted) => turn(param.name, within(param, wanted));
  const field = el("input", {
    id,
    type: "number",
    value,
    min: least,
    max: param.max,
    step: param.kind === "int" ? 1 : "any",
    on: { change: () => field.value !== "" && set(Number(field.value)) },
  });
  const steps = el(
    "div",
    { class: "stepper" },
    button("−", () => set(below(param, Number(value))), {
      id: `${id}-less`,
      "aria-label": text("knob.less", { name }),
      disabled: value <= least,
    }),
    field,
    button("+", () => set(Number(value) === 0 ? param.min || 1 : Number(value) + 1), {
      id: `${id}-more`,
      "aria-label": text("knob.more", { name }),
      disabled: value >= param.max,
    }),
  );
  const zero = param.zero
    ? Number(value) === 0
      ? pick(param.zero)
      : text("knob.zero", { what: pick(param.zero) })
    : "";
  return [steps, zero];
}

/** One less; below the least there may be 0, that stands for something else. */
const below = (param, value) =>
  value - 1 < param.min && param.zero ? 0 : Number((value - 1).toFixed(6));

function within(param, value) {
  if (param.zero && value <= 0) return 0;
  return Math.min(param.max, Math.max(param.min, param.kind === "int" ? Math.round(value) : value));
}

/**
 * Fault buttons for one consumer of a run that goes on.
 *
 * @param {any} host
 * @param {{
 *   consumers: () => string[], focused?: () => string, hub: import("./selection.js").Hub,
 *   at: () => object | null, ask?: (words: string) => Promise<boolean>
 * }} options focused: the consumer that the keyboard is on; at: which run or queue they strike,
 *   `null` while they can't; ask: makes sure of it, where the consumers are somebody's own
 */
export function createFaults(host, { consumers, focused = () => "", hub, at, ask }) {
  const able = (fault) => !ask || TO_REAL_CLIENTS.has(fault);
  let target = "";
  const told = el("p", { class: "quiet", role: "status" });

  function aim() {
    const all = consumers();
    const selected = focused() || (hub.pinned?.c ?? "");
    if (all.includes(selected)) target = selected;
    if (!all.includes(target)) target = all.at(-1) ?? "";
    return target;
  }

  async function hit(fault) {
    const where = at();
    const c = aim();
    if (!where || !c || !able(fault)) return;
    const name = text(`fault.${fault}`);
    if (ask && !(await ask(text("fault.sure", { fault: name, c })))) return;
    try {
      await strike({ ...where, do: fault, target: c, ...(ask && { confirm: true }) });
      told.textContent = text("fault.done", { fault: name, c });
    } catch (error) {
      told.textContent = error.reason || text("err.0");
    }
    say(told.textContent);
  }

  function draw() {
    const may = at() !== null && aim() !== "";
    const picker = el(
      "select",
      {
        "aria-label": text("fault.target"),
        on: { change: () => hub.set({ c: picker.value }, true) },
      },
      consumers().map((c) => el("option", { value: c, selected: c === target }, c)),
    );
    const buttons = FAULTS.map((fault, key) =>
      button(
        [text(`fault.${fault}`), lettersOn() && el("kbd", { "aria-hidden": "true" }, key + 1)],
        () => void hit(fault),
        {
          disabled: !may || !able(fault),
          "aria-keyshortcuts": String(key + 1),
          title: text(`fault.${fault}.note`),
        },
      ),
    );
    put(
      host,
      el("div", { class: "row" }, el("label", { class: "row" }, text("fault.on"), picker), buttons),
      told,
    );
  }

  hub.listen((_, from) => from !== host && draw());
  draw();
  return {
    draw,
    /** @param {KeyboardEvent} event */
    key(event) {
      const fault = FAULTS[Number(event.key) - 1];
      if (!fault || event.shiftKey) return false;
      void hit(fault);
      return true;
    },
  };
}
