// Boxes, numbered points and arrows, painted over an image.

import { HANDLE_NAMES, handlePoint, isBox, toScreen } from "../geometry.js";

/** @import { Arrow, Box, Mark, Painted, Rect, Size } from "../types" */

/**
 * @param {Mark} mark
 * @returns {mark is Arrow}
 */
const isArrow = (mark) => "to_x" in mark;

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[T]}
 */
const draw = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
};

/** What lies over an image, to be painted on. */
export function layer() {
  return draw("svg", { class: "drawn", "aria-hidden": "true" });
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} tone
 * @param {Size} limit
 */
function tag(text, x, y, tone, limit) {
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

/**
 * Paint entries over an image that lies in `rect` of a frame of that size.
 * @param {SVGElement} svg
 * @param {Painted[]} entries
 * @param {Rect} rect
 * @param {Size} size
 */
export function paint(svg, entries, rect, size) {
  const below = entries.filter(({ filled }) => filled);
  const above = entries.filter(({ filled }) => !filled);
  svg.replaceChildren(...[...below, ...above].flatMap((entry) => nodesOf(entry, rect, size)));
}

/**
 * @param {Painted} entry
 * @param {Rect} rect
 * @param {Size} size
 * @returns {SVGElement[]}
 */
function nodesOf(entry, rect, size) {
  if (isArrow(entry)) return arrowOf(entry, rect);
  return isBox(entry) ? boxOf(entry, rect, size) : dotOf(entry, rect);
}

/**
 * A shaft, and a head whose point is where the arrow points; half of a short one is head.
 * @param {Painted & Arrow} entry
 * @param {Rect} rect
 */
function arrowOf(entry, rect) {
  const tail = toScreen(rect, entry.x, entry.y);
  const tip = toScreen(rect, entry.to_x, entry.to_y);
  const far = Math.hypot(tip.x - tail.x, tip.y - tail.y) || 1;
  const along = { x: (tip.x - tail.x) / far, y: (tip.y - tail.y) / far };
  const head = Math.min(15, far / 2);
  const at = (/** @type {{ x: number, y: number }} */ from, /** @type {number} */ forth, /** @type {number} */ aside) =>
    `${from.x + forth * along.x - aside * along.y},${from.y + forth * along.y + aside * along.x}`;
  const right = [at(tail, 0, 1.25), at(tip, -head, 1.25), at(tip, -head, 6.25)];
  const left = [at(tip, -head, -6.25), at(tip, -head, -1.25), at(tail, 0, -1.25)];
  const points = [...right, at(tip, 0, 0), ...left].join(" ");
  return [draw("polygon", { points, class: "arrow", fill: entry.tone })];
}

/**
 * @param {Painted & Box} entry
 * @param {Rect} rect
 * @param {Size} size
 */
function boxOf(entry, rect, size) {
  const from = toScreen(rect, entry.x, entry.y);
  const shape = { x: from.x, y: from.y, width: entry.w * rect.width, height: entry.h * rect.height };
  if (entry.filled) return [draw("rect", { ...shape, fill: entry.filled })];
  /** @type {SVGElement[]} */
  const nodes = [
    draw("rect", { ...shape, class: "halo" }),
    draw("rect", { ...shape, class: entry.chosen ? "outline chosen" : "outline", stroke: entry.tone }),
  ];
  if (entry.text) nodes.push(tag(entry.text, from.x - 1, from.y - 18 < 0 ? from.y : from.y - 18, entry.tone, size));
  if (!entry.chosen) return nodes;
  for (const handle of HANDLE_NAMES) {
    const point = handlePoint(entry, handle);
    const at = toScreen(rect, point.x, point.y);
    const square = { x: at.x - 4.5, y: at.y - 4.5, width: 9, height: 9 };
    nodes.push(draw("rect", { ...square, class: "handle", stroke: entry.tone }));
  }
  return nodes;
}

/**
 * @param {Painted} entry
 * @param {Rect} rect
 */
function dotOf(entry, rect) {
  const { x, y } = toScreen(rect, entry.x, entry.y);
  const number = draw("text", { x, y: y + 4.5, "text-anchor": "middle", fill: "#fff", class: "tag" });
  number.textContent = entry.text;
  /** @type {SVGElement[]} */
  const nodes = [
    draw("circle", { cx: x, cy: y, r: 12, class: entry.chosen ? "point chosen" : "point", fill: entry.tone }),
    number,
  ];
  if (entry.chosen) nodes.push(draw("circle", { cx: x, cy: y, r: 16, class: "ring", stroke: entry.tone }));
  return nodes;
}
