// @ts-check
/** A drawing that stands on its own: its look is in its elements, not in a style sheet. */

const LOOK = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-weight",
  "text-anchor",
  "paint-order",
  "font-variant-numeric",
  "visibility",
];

/** What a property is where nobody says anything. @type {Record<string, string>} */
const USUAL = {
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-weight": "400",
  "text-anchor": "start",
  "paint-order": "normal",
  "font-variant-numeric": "normal",
  visibility: "visible",
};

const TEXT_ONLY = new Set(["font-family", "font-weight", "text-anchor", "font-variant-numeric"]);

/**
 * @param {SVGSVGElement} root
 * @returns {SVGSVGElement} a copy, on the ground of the page
 */
export function portrait(root) {
  const copy = /** @type {SVGSVGElement} */ (root.cloneNode(true));
  dress(root, copy);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("class");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: groundOf(root) })) {
    ground.setAttribute(name, value);
  }
  copy.prepend(ground);
  return copy;
}

/** @param {Element} from @param {Element} to */
function dress(from, to) {
  const style = getComputedStyle(from);
  for (const name of LOOK) {
    if (TEXT_ONLY.has(name) && from.tagName !== "text") continue;
    const value = style.getPropertyValue(name);
    if (value && value !== USUAL[name] && !value.startsWith("url(")) to.setAttribute(name, value);
  }
  for (const name of ["tabindex", "role", "data-key"]) if (to.parentNode) to.removeAttribute(name);
  for (let k = 0; k < from.children.length; k++) dress(from.children[k], to.children[k]);
  if (to.parentNode) to.removeAttribute("class");
}

/** @param {Element} root */
function groundOf(root) {
  for (let element = /** @type {Element | null} */ (root); element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    if (colour && colour !== "rgba(0, 0, 0, 0)" && colour !== "transparent") return colour;
  }
  return "#ffffff";
}
