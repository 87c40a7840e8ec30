// Boxes, numbered points, arrows and masks, painted over an image.

import { HANDLE_NAMES, handlePoint, isBox, toScreen } from "../geometry.js";
import { isArea } from "./area.js";
import { endsOf, isArrow } from "./arrow.js";
import { coversOf, misfits, tintOf } from "./paint_area.js";
import { draw, handle, tag } from "./svg.js";

/** @import { Area, Arrow, Box, Dot, Mark, Painted, Rect, Size } from "../types" */

/** What lies over an image, to be painted on. */
export function layer() {
  return draw("svg", { class: "drawn", "aria-hidden": "true" });
}

/**
 * Paint entries over an image that lies in `rect` of a frame of that size.
 * @param {SVGElement} svg
 * @param {Painted[]} entries
 * @param {Rect} rect
 * @param {Size} size
 */
export function paint(svg, entries, rect, size) {
  const areas = entries.filter(isPaintedArea);
  const rest = entries.filter((entry) => !isPaintedArea(entry));
  const below = rest.filter(({ filled }) => filled);
  const above = rest.filter(({ filled }) => !filled);
  svg.replaceChildren(
    ...coversOf(areas, rect),
    ...below.flatMap((entry) => nodesOf(entry, rect, size)),
    ...areas.filter(({ cover }) => !cover).flatMap((area) => tintOf(area, rect)),
    ...above.flatMap((entry) => nodesOf(entry, rect, size)),
    ...misfits(areas, rect).map((words, at) => tag(words, rect.left, rect.top + 18 * at, "#444", size)),
  );
}

/**
 * @param {Painted} entry
 * @returns {entry is Painted & Area}
 */
const isPaintedArea = (entry) => isArea(entry);

/**
 * @param {Painted} entry
 * @param {Rect} rect
 * @param {Size} size
 * @returns {SVGElement[]}
 */
function nodesOf(entry, rect, size) {
  if (isArea(entry)) return [];
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
  /** @type {SVGElement[]} */
  const nodes = [draw("polygon", { points, class: "arrow", fill: entry.tone })];
  if (entry.chosen)
    for (const { at: end } of endsOf(entry)) nodes.push(handle(toScreen(rect, end.x, end.y), entry.tone));
  return nodes;
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
  for (const name of HANDLE_NAMES) {
    const point = handlePoint(entry, name);
    nodes.push(handle(toScreen(rect, point.x, point.y), entry.tone));
  }
  return nodes;
}

/**
 * @param {Painted & Dot} entry
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
