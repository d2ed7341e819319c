// @ts-check
/** Elements from plain values. Text goes in as text, never as markup: names here may be hostile. */

/**
 * Make an element.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes] `on` holds listeners by event; `undefined`, `null` and
 *   `false` leave an attribute out, `true` is an empty one; `value` and `checked` are set as
 *   properties.
 * @param {...any} children nodes, strings, numbers, lists of them; `null` and `false` are left out
 * @returns {any}
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  fill(element, attributes);
  element.append(...flat(children));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for a part of a drawing. @param {string} name @returns {any} */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  fill(element, attributes);
  element.append(...flat(children));
  return element;
}

/** Put `children` in the place of what `parent` has. @param {any} parent @param {...any} children */
export function put(parent, ...children) {
  parent.replaceChildren(...flat(children));
  return parent;
}

function fill(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value))
        element.addEventListener(event, listener);
    } else if (name === "value" || name === "checked") {
      element[name] = value;
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : child));
}

/** A button. @param {any} label @param {() => void} press @param {Record<string, any>} [attributes] */
export function button(label, press, attributes = {}) {
  const { class: extra = "", ...rest } = attributes;
  return el(
    "button",
    { type: "button", class: `button ${extra}`.trim(), on: { click: press }, ...rest },
    label,
  );
}
