// @ts-check
/**
 * Draws marks, and changes only what is different from before.
 *
 * A mark keeps its element as long as it is drawn, so that it keeps the focus. What moves with time
 * lies in one group that is shifted as a whole.
 */

import { svg } from "./dom.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./frame.js").Frame} Frame */

const LAYERS = /** @type {const} */ (["grid", "state", "link", "bar", "label", "fault"]);
const FILLS = new Set(["hatch", "dots", "dead"]);

let drawings = 0;

class Layer {
  /** @param {string} name */
  constructor(name) {
    /** @type {SVGGElement} */
    this.group = svg("g", { class: `layer ${name}` });
    /** @type {Map<string, {element: SVGGElement, look: string, mark: Mark}>} */
    this.drawn = new Map();
  }
}

export class Drawing {
  constructor() {
    this.id = `dia${++drawings}`;
    /** @type {Record<string, Layer>} */
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, new Layer(name)]));
    this.clip = svg("rect", {});
    this.moving = svg("g", {}, ...LAYERS.map((name) => this.layers[name].group));
    this.ring = svg("rect", { class: "focusring", rx: 9, visibility: "hidden" });
    this.moving.append(this.ring);
    this.front = svg("g", { class: "front", "aria-hidden": "true" });
    this.head = svg("g", { class: "playhead", "aria-hidden": "true" });
    /** @type {SVGSVGElement} */
    this.root = svg(
      "svg",
      { class: "", role: "graphics-document document", tabindex: -1 },
      this.defs(),
      svg("g", { "clip-path": `url(#${this.id}-clip)` }, this.moving, this.head),
      this.front,
    );
    /** Elements made so far. */
    this.made = 0;
    /** @type {Map<string, Mark>} */
    this.marks = new Map();
    this.frontLook = "";
    this.ringed = "";
  }

  defs() {
    const line = (/** @type {string} */ cls, /** @type {string} */ d) => svg("path", { class: cls, d });
    const pattern = (
      /** @type {string} */ name,
      /** @type {number} */ size,
      /** @type {any[]} */ parts,
      turn = 0,
    ) =>
      svg(
        "pattern",
        {
          id: `${this.id}-${name}`,
          class: `pattern ${name}`,
          width: size,
          height: size,
          patternUnits: "userSpaceOnUse",
          patternTransform: turn ? `rotate(${turn})` : null,
        },
        svg("rect", { class: "ground", width: size, height: size }),
        ...parts,
      );
    return svg(
      "defs",
      {},
      svg("clipPath", { id: `${this.id}-clip` }, this.clip),
      pattern("hatch", 7, [line("stripe", "M0 0V7")], 45),
      pattern("dots", 8, [
        svg("circle", { class: "dot", cx: 2, cy: 2, r: 1.2 }),
        svg("circle", { class: "dot", cx: 6, cy: 6, r: 1.2 }),
      ]),
      pattern("dead", 9, [line("stripe", "M0 0V9")], -45),
    );
  }

  /**
   * @param {Mark[]} marks
   * @param {{shift: [number, number], width: number, height: number, clip: Record<string, number>}} where
   * @param {(mark: Mark) => boolean} hot
   * @param {string} current key of the mark that Tab reaches
   */
  draw(marks, where, hot, current) {
    const { shift, width, height, clip } = where;
    set(this.root, { width, height, viewBox: `0 0 ${width} ${height}` });
    set(this.clip, clip);
    set(this.moving, { transform: `translate(${shift[0]} ${shift[1]})` });
    this.marks = new Map(marks.map((mark) => [mark.key, mark]));
    for (const name of LAYERS) {
      this.drawLayer(
        this.layers[name],
        marks.filter((mark) => mark.layer === name),
        hot,
        current,
      );
    }
    this.showRing(this.ringed);
  }

  /**
   * @param {Layer} layer
   * @param {Mark[]} marks
   * @param {(mark: Mark) => boolean} hot
   * @param {string} current
   */
  drawLayer(layer, marks, hot, current) {
    const keys = new Set(marks.map((mark) => mark.key));
    for (const [key, { element }] of layer.drawn) {
      if (keys.has(key)) continue;
      element.remove();
      layer.drawn.delete(key);
    }
    let next = layer.group.firstElementChild;
    for (const mark of marks) {
      const { element } = this.drawMark(layer, mark);
      if (element === next) next = next.nextElementSibling;
      else layer.group.insertBefore(element, next);
      set(element, { class: `mark ${mark.cls}${hot(mark) ? " hot" : ""}` });
      if (!mark.name) continue;
      set(element, { "aria-label": mark.name, tabindex: mark.key === current ? 0 : -1 });
    }
  }

  /** @param {Layer} layer @param {Mark} mark */
  drawMark(layer, mark) {
    const look = JSON.stringify(mark.shapes);
    let drawn = layer.drawn.get(mark.key);
    if (!drawn) {
      const role = mark.name ? { role: "button" } : { "aria-hidden": "true" };
      drawn = { element: svg("g", { "data-key": mark.key, ...role }), look: "", mark };
      layer.drawn.set(mark.key, drawn);
    }
    drawn.mark = mark;
    if (drawn.look !== look) {
      drawn.look = look;
      this.fill(drawn.element, mark.shapes);
    }
    return drawn;
  }

  /**
   * Changes the shapes of an element that are different.
   * @param {SVGGElement} element
   * @param {Shape[]} shapes
   */
  fill(element, shapes) {
    shapes.forEach((shape, k) => {
      let part = element.children[k];
      if (part?.tagName !== shape.tag) {
        const made = svg(shape.tag);
        this.made += 1;
        if (part) part.replaceWith(made);
        else element.append(made);
        part = made;
      }
      for (const { name } of [...part.attributes]) {
        if (name !== "class" && !(name in shape.at)) part.removeAttribute(name);
      }
      set(part, { class: shape.cls });
      for (const [name, value] of Object.entries(shape.at)) {
        set(part, { [name]: FILLS.has(String(value)) ? `url(#${this.id}-${value})` : value });
      }
      if (shape.text !== undefined && part.textContent !== shape.text) part.textContent = shape.text;
    });
    while (element.children.length > shapes.length) element.lastElementChild?.remove();
  }

  /** What does not move: the lanes' names. @param {Shape[]} shapes */
  drawFront(shapes) {
    const look = JSON.stringify(shapes);
    if (look === this.frontLook) return;
    this.frontLook = look;
    this.fill(/** @type {any} */ (this.front), shapes);
  }

  /** @param {Shape[]} shapes */
  drawHead(shapes) {
    this.fill(/** @type {any} */ (this.head), shapes);
  }

  /** @param {string} key */
  element(key) {
    for (const name of LAYERS) {
      const drawn = this.layers[name].drawn.get(key);
      if (drawn) return drawn.element;
    }
    return null;
  }

  /**
   * Shows the ring of the keyboard around a mark, wherever it is drawn next, or nowhere.
   * @param {string} key
   */
  showRing(key) {
    this.ringed = key;
    const hit = this.marks.get(key)?.hit;
    set(this.ring, { visibility: hit ? "visible" : "hidden" });
    if (hit) set(this.ring, { x: hit.x - 5, y: hit.y - 5, width: hit.width + 10, height: hit.height + 10 });
  }
}

/** @param {Element} element @param {Record<string, string | number>} attributes */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}
