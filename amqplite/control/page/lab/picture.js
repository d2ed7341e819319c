// @ts-check
/** Pictures of a diagram as files. */

import { el } from "./dom.js";

const SCALE = 2;

/** @param {SVGSVGElement} picture with all its styles in it */
export function svgText(picture) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}

/**
 * Draw a picture on a canvas, twice as large.
 *
 * It has to have an address of our own origin: the page's policy lets it load no others, nor any
 * that it made itself.
 *
 * @param {string} url
 * @returns {Promise<Blob>}
 */
export async function pngOf(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const [width, height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
  const canvas = el("canvas", { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

/** Hand a file to the reader. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
