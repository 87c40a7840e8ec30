// Pieces of what is painted over an image.

/** @import { Point, Size } from "../types" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[T]}
 */
export const draw = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
};

/**
 * What can be dragged.
 * @param {Point} at on the screen
 * @param {string} tone
 */
export const handle = ({ x, y }, tone) =>
  draw("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, class: "handle", stroke: tone });

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} tone
 * @param {Size} limit
 */
export function tag(text, x, y, tone, limit) {
  const wide = Math.max(16, 7.4 * [...text].length + 8);
  const left = Math.max(0, Math.min(x, limit.width - wide));
  const top = Math.max(0, Math.min(y, limit.height - 17));
  return draw(
    "g",
    {},
    draw("rect", { x: left, y: top, width: wide, height: 17, rx: 2, fill: tone }),
    Object.assign(
      draw("text", { x: left + wide / 2, y: top + 12.5, "text-anchor": "middle", fill: "#fff", class: "tag" }),
      { textContent: text },
    ),
  );
}
