// @ts-check
/** Two fingers, or a wheel with Ctrl, zoom time and nothing else. */

const WHEEL = 0.0025;

/**
 * @param {Element} area
 * @param {{down: () => boolean, zoom: (factor: number, along: number) => void}} means
 *   along: what stays where it is, from the area's edge
 */
export function pinch(area, { down, zoom }) {
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  const along = (/** @type {{clientX: number, clientY: number}} */ point) => {
    const { left, top } = area.getBoundingClientRect();
    return down() ? point.clientY - top : point.clientX - left;
  };
  const apart = () => {
    const [a, b] = [...fingers.values()].map(along);
    return { apart: Math.max(20, Math.abs(a - b)), middle: (a + b) / 2 };
  };
  area.addEventListener(
    "wheel",
    (given) => {
      const event = /** @type {WheelEvent} */ (given);
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * WHEEL), along(event));
    },
    { passive: false },
  );
  area.addEventListener("pointerdown", (given) => {
    const event = /** @type {PointerEvent} */ (given);
    if (event.pointerType === "touch") fingers.set(event.pointerId, event);
  });
  area.addEventListener("pointermove", (given) => {
    const event = /** @type {PointerEvent} */ (given);
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? apart().apart : 0;
    fingers.set(event.pointerId, event);
    if (!before) return;
    const now = apart();
    zoom(now.apart / before, now.middle);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    area.addEventListener(end, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
  }
}
