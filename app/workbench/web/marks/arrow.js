// Arrows in fractions of an image: from where they begin to where they point, never to the same place.

import { rounded, toScreen, within } from "../geometry.js";

/** @import { Arrow, Limits, Mark, Point, Rect } from "../types" */

/**
 * @param {Mark} mark
 * @returns {mark is Arrow}
 */
export const isArrow = (mark) => "to_x" in mark;

/**
 * The arrow as it is stored: inside the image, rounded, and with a direction.
 * @template {Arrow} T
 * @param {T} arrow
 * @param {Limits} limits
 * @returns {T}
 */
export function tidyArrow(arrow, limits) {
  const [x, y, to_x, to_y] = [arrow.x, arrow.y, arrow.to_x, arrow.to_y].map((each) =>
    rounded(within(each, 0, 1), limits),
  );
  if (x !== to_x || y !== to_y) return { ...arrow, x, y, to_x, to_y };
  const aside = x > 0.5 ? -limits.fine : limits.fine;
  return { ...arrow, x, y, to_x: rounded(x + aside, limits), to_y };
}

/**
 * The arrow between two places.
 * @param {Point} start
 * @param {Point} end
 * @param {Limits} limits
 * @returns {Arrow}
 */
export const arrowBetween = (start, end, limits) => tidyArrow({ ...start, to_x: end.x, to_y: end.y }, limits);

/**
 * As long as before, and inside the image.
 * @template {Arrow} T
 * @param {T} arrow
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {T}
 */
export function movedArrow(arrow, dx, dy, limits) {
  const [x, y] = [stays(dx, arrow.x, arrow.to_x), stays(dy, arrow.y, arrow.to_y)];
  return tidyArrow({ ...arrow, x: arrow.x + x, y: arrow.y + y, to_x: arrow.to_x + x, to_y: arrow.to_y + y }, limits);
}

/**
 * How far all of some places can be moved along one side of the image.
 * @param {number} by
 * @param {...number} places
 */
export const stays = (by, ...places) => within(by, -Math.min(...places), 1 - Math.max(...places));

/**
 * It points elsewhere; over the place where it begins it jumps.
 * @template {Arrow} T
 * @param {T} arrow
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {T}
 */
export function pointed(arrow, dx, dy, limits) {
  const near = Math.hypot(arrow.to_x + dx - arrow.x, arrow.to_y + dy - arrow.y) < limits.fine / 2;
  const by = near ? 2 : 1;
  return tidyArrow({ ...arrow, to_x: arrow.to_x + by * dx, to_y: arrow.to_y + by * dy }, limits);
}

/**
 * How far its line is from a point of the screen.
 * @param {Arrow} arrow
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 */
export function farFromArrow(arrow, rect, px, py) {
  const tail = toScreen(rect, arrow.x, arrow.y);
  const tip = toScreen(rect, arrow.to_x, arrow.to_y);
  const [dx, dy] = [tip.x - tail.x, tip.y - tail.y];
  const along = within(((px - tail.x) * dx + (py - tail.y) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(tail.x + along * dx - px, tail.y + along * dy - py);
}

/**
 * The ends of an arrow: where it points comes first, as it is dragged more often.
 * @param {Arrow} arrow
 * @returns {{ at: Point, to: (point: Point) => Arrow }[]}
 */
export const endsOf = (arrow) => [
  { at: { x: arrow.to_x, y: arrow.to_y }, to: ({ x, y }) => ({ ...arrow, to_x: x, to_y: y }) },
  { at: { x: arrow.x, y: arrow.y }, to: ({ x, y }) => ({ ...arrow, x, y }) },
];
