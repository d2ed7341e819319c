// @ts-check
/** What is written on bars. */

import { shape, words } from "./glyphs.js";
import { fitting, shortened, textWidth } from "./labels.js";

/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./layout.js").Bar} Bar */
/** @typedef {import("./scene.js").Context} Context */

/** Whether it left the queue for nowhere. @param {Bar} bar */
export const isGone = ({ open, box }) => !open && !["delivered", "purged"].includes(box.end);

/** @param {Bar} bar */
export const failed = ({ kind, open, box }) => kind === "failed" || (!open && box.end === "crashed");

/** @param {Bar} bar @param {import("./labels.js").Rect} hit @param {Context} cx @returns {Shape[]} */
export function waitLabel(bar, hit, cx) {
  const { m } = bar.box.message;
  const size = Math.min(cx.frame.sizes.small, (cx.frame.down ? hit.width + 2 : hit.height) - 4);
  const [x, y] = [hit.x + hit.width / 2, hit.y + hit.height / 2];
  if (size < 9) return [];
  const d = cx.words.span(bar.to - bar.box.from);
  const gone = isGone(bar) ? `${m} ${cx.words.text(`end.${bar.box.end}`)}` : "";
  const whole = bar.open ? m : gone || cx.words.text("dia.waits", { m, d });
  const texts = bar.open ? [m] : [whole, cx.words.text("dia.waits.short", { m, d }), m];
  if (!cx.frame.down) {
    const label = fitting(texts, hit.width - 4, size);
    return label ? [words(label, x, y, size, "inside")] : [];
  }
  const room = hit.width - 2;
  const label = fitting([whole], room, size);
  if (label) return [words(label, x, y, size, "inside")];
  if (
    !bar.open &&
    !gone &&
    hit.height > size * 2.6 &&
    Math.max(textWidth(d, size), textWidth(m, size) * 0.8) <= room
  ) {
    return [words(m, x, y - size * 0.6, size, "inside"), words(d, x, y + size * 0.6, size, "inside")];
  }
  return turned(texts, x, y, Math.min(size, hit.width), hit.height - 8, "inside");
}

/**
 * Words that go down with time, where that is down.
 * @param {string[]} texts
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {number} room
 * @param {string} cls
 */
function turned(texts, x, y, size, room, cls) {
  const label = size < 10 ? "" : fitting(texts, room, size);
  if (!label) return [];
  const text = words(label, x, y, size, cls);
  text.at.transform = `rotate(90 ${x} ${y})`;
  return [text];
}

/**
 * @param {Bar} bar
 * @param {import("./labels.js").Rect} room
 * @param {boolean} thin
 * @param {Context} cx
 * @returns {Shape[]}
 */
export function heldLabel(bar, room, thin, cx) {
  const { message, attempt, again } = bar.box;
  const { down, sizes } = cx.frame;
  const size = Math.min(sizes.font, Math.max(11, (down ? room.width + 2 : room.height) - 6));
  if (room.height < 11 || room.width < 11) return [];
  const [x, y] = [room.x + room.width / 2, room.y + room.height / 2];
  const whole = again ? `${message.m} ↻${attempt}` : message.m;
  if (down) return downLabel(bar, room, whole, size, [x, y]);
  const choices = [size, size * 0.85, size * 0.72].filter((one) => one >= 11.5);
  const least = choices.at(-1) ?? size;
  let [label, chosen] = ["", size];
  for (const text of new Set([whole, message.m])) {
    for (const smaller of choices) {
      if (!label) [label, chosen] = [fitting([text], room.width - 6, smaller, true), smaller];
    }
  }
  if (!label && room.width > 44) [label, chosen] = [shortened(message.m, room.width - 5, least, true), least];
  return label ? labelShapes(bar, label, [x, y], chosen, thin, room.width) : [];
}

/**
 * A label on what has a pattern has ground of its own.
 * @param {Bar} bar
 * @param {string} label
 * @param {[number, number]} place
 * @param {number} size
 * @param {boolean} thin
 * @param {number} room
 * @returns {Shape[]}
 */
function labelShapes(bar, label, [x, y], size, thin, room) {
  const plain = bar.kind === "held" && !failed(bar) && !thin;
  const width = textWidth(label, size, true) + 10;
  if (plain) return [words(label, x, y, size, "inside bold")];
  if (!thin && width + 26 > room) return [words(label, x, y, size, "inside bold on")];
  return [pillOf(x, y, width, size + 7), words(label, x, y, size, "inside bold")];
}

/**
 * The same where time goes down: in two lines, or turned.
 * @param {Bar} bar
 * @param {import("./labels.js").Rect} room
 * @param {string} whole
 * @param {number} size
 * @param {[number, number]} place
 * @returns {Shape[]}
 */
function downLabel(bar, room, whole, size, [x, y]) {
  const { m } = bar.box.message;
  const plain = bar.kind === "held" && !failed(bar);
  const cls = plain ? "inside bold" : "inside bold on";
  const parts = whole === m ? [m] : [m, whole.slice(m.length + 1)];
  if (
    room.height > size * 1.3 * parts.length &&
    Math.max(...parts.map((part) => textWidth(part, size, true))) <= room.width - 2
  ) {
    const width = Math.min(
      room.width - 6,
      Math.max(...parts.map((part) => textWidth(part, size, true))) + 10,
    );
    const shapes = parts.map((part, k) =>
      words(part, x, y + (k - (parts.length - 1) / 2) * size * 1.2, size, "inside bold"),
    );
    return plain ? shapes : [pillOf(x, y, width, size * 1.2 * parts.length + 6), ...shapes];
  }
  return turned([whole, m], x, y, Math.min(size, room.width - 3), room.height - 6, cls);
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
function pillOf(x, y, width, height) {
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  return shape("rect", "pill", {
    x: round(x - width / 2),
    y: round(y - height / 2),
    width: round(width),
    height: round(height),
    rx: 5,
  });
}
