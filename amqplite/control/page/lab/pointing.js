// @ts-check
/** Pointer and keyboard on a drawing: hover previews, a press or Enter pins; one mark is the tab stop. */

import { alongTime } from "./highlight.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./svg.js").Drawing} Drawing */

/** A mark is hit from this far, in pixels, where none is closer: targets are 24 pixels at least. */
const REACH = 12;

export class Pointing {
  /**
   * @param {Drawing} drawing
   * @param {Element} area  where pointers are watched
   * @param {{
   *   select: (mark: Mark | null, pinned: boolean) => void,
   *   elsewhere?: (x: number, y: number) => boolean,
   * }} means elsewhere: a press beside all marks; tells whether it meant something
   */
  constructor(drawing, area, means) {
    this.drawing = drawing;
    this.means = means;
    this.current = "";
    this.over = "";
    area.addEventListener("pointermove", (event) => this.move(/** @type {PointerEvent} */ (event)));
    area.addEventListener("pointerleave", () => this.hover(null));
    area.addEventListener("click", (event) => this.press(/** @type {MouseEvent} */ (event)));
    // on the area: a drawing that listens for focus itself can be focused in some browsers
    area.addEventListener("focusin", (event) => this.focused(/** @type {FocusEvent} */ (event)));
    area.addEventListener("focusout", () => drawing.showRing(""));
    area.addEventListener("keydown", (given) => {
      const event = /** @type {KeyboardEvent} */ (given);
      if (event.key !== "Enter" || event.altKey || event.ctrlKey || event.metaKey) return;
      const mark = drawing.marks.get(this.current);
      if (mark) means.select(mark, true);
      event.preventDefault();
    });
  }

  /** Key of the mark that Tab reaches: the last that had the focus, else the first. @param {Mark[]} marks */
  tabStop(marks) {
    const reachable = marks.filter((mark) => mark.name);
    if (!reachable.some((mark) => mark.key === this.current))
      this.current = alongTime(reachable)[0]?.key ?? "";
    return this.current;
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (event.pointerType === "touch") return;
    this.hover(this.at(event));
  }

  /** @param {Mark | null} mark */
  hover(mark) {
    const key = mark?.key ?? "";
    if (key === this.over) return;
    this.over = key;
    this.means.select(mark, false);
  }

  /** @param {MouseEvent} event */
  press(event) {
    const mark = this.at(event);
    if (mark) {
      this.current = mark.key;
      this.means.select(mark, true);
      return;
    }
    const { left, top } = this.drawing.root.getBoundingClientRect();
    if (!this.means.elsewhere?.(event.clientX - left, event.clientY - top)) this.means.select(null, true);
  }

  /** @param {FocusEvent} event */
  focused(event) {
    const element = /** @type {Element | null} */ (event.target)?.closest?.("[data-key]");
    const key = element?.getAttribute("data-key") ?? "";
    const mark = this.drawing.marks.get(key);
    if (!element || !mark) return;
    this.current = key;
    this.drawing.showRing(element.matches(":focus-visible") ? key : "");
  }

  /** Moves the focus to a mark. @param {string} key */
  focus(key) {
    const element = /** @type {any} */ (this.drawing.element(key));
    if (!element) return;
    this.current = key;
    element.focus({ preventScroll: true });
    this.drawing.showRing(key);
  }

  /**
   * The mark at a pointer: one that lies there, or the nearest within reach.
   * @param {MouseEvent} event
   * @returns {Mark | null}
   */
  at(event) {
    const element = /** @type {Element | null} */ (event.target)?.closest?.("[data-key]");
    const direct = this.drawing.marks.get(element?.getAttribute("data-key") ?? "");
    if (direct?.name) return direct;
    const matrix = this.drawing.moving.getScreenCTM?.();
    if (!matrix) return null;
    const x = (event.clientX - matrix.e) / matrix.a;
    const y = (event.clientY - matrix.f) / matrix.d;
    let best = null;
    let least = REACH;
    for (const mark of this.drawing.marks.values()) {
      if (!mark.hit || !mark.name) continue;
      const { hit } = mark;
      const apart = Math.hypot(
        Math.max(hit.x - x, 0, x - hit.x - hit.width),
        Math.max(hit.y - y, 0, y - hit.y - hit.height),
      );
      if (apart < least) [best, least] = [mark, apart];
    }
    return best;
  }
}
