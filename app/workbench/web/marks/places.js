// Where what is drawn is, whatever its shape: moved, made larger, dragged, found under the pointer, and said in words.

import {
  dragged,
  GRIP,
  HANDLE_NAMES,
  handlePoint,
  isBox,
  least,
  moved as movedSpot,
  reach,
  sized as sizedSpot,
  tidy,
  tidyPoint,
  toScreen,
} from "../geometry.js";
import { areaInWords, cornersOf, isArea, movedArea, sizeAt, tidyArea } from "./area.js";
import { endsOf, farFromArrow, isArrow, movedArrow, pointed, tidyArrow } from "./arrow.js";

/** @import { Limits, Mark, Point, Rect } from "../types" */

/** @typedef {{ at: Point, to: (point: Point) => Mark }} Grip a place that can be dragged, and what comes of it */

/**
 * As it is stored: inside the image, and rounded.
 * @param {Mark} mark
 * @param {Limits} limits
 * @returns {Mark}
 */
export function tidied(mark, limits) {
  if (isArea(mark)) return tidyArea(mark, limits);
  if (isArrow(mark)) return tidyArrow(mark, limits);
  return isBox(mark) ? tidy(mark, limits) : tidyPoint(mark, limits);
}

/**
 * @param {Mark} mark
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {Mark}
 */
export function moved(mark, dx, dy, limits) {
  if (isArea(mark)) return movedArea(mark, dx, dy, limits);
  return isArrow(mark) ? movedArrow(mark, dx, dy, limits) : movedSpot(mark, dx, dy, limits);
}

/**
 * A box with another size, or an arrow that points elsewhere.
 * @param {Mark} mark
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {Mark}
 */
export function turned(mark, dx, dy, limits) {
  if (isArea(mark)) return mark;
  return isArrow(mark) ? pointed(mark, dx, dy, limits) : sizedSpot(mark, dx, dy, limits);
}

/**
 * What of a mark can be dragged.
 * @param {Mark} mark
 * @param {Limits} limits
 * @returns {Grip[]}
 */
export function gripsOf(mark, limits) {
  if (isArea(mark)) return cornersOf(mark);
  if (isArrow(mark)) return endsOf(mark);
  if (!isBox(mark)) return [];
  return HANDLE_NAMES.map((handle) => ({
    at: handlePoint(mark, handle),
    to: ({ x, y }) => dragged(mark, handle, x, y, limits),
  }));
}

/**
 * What of a mark is dragged from a point of the screen: the nearest.
 * @param {Mark} mark
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 * @param {Limits} limits
 * @returns {Grip | undefined}
 */
export function gripAt(mark, rect, px, py, limits) {
  const grips = gripsOf(mark, limits);
  return grips[least(grips.map(({ at }) => near(toScreen(rect, at.x, at.y), px, py)))];
}

/**
 * @param {Point} at
 * @param {number} px
 * @param {number} py
 */
function near(at, px, py) {
  const far = Math.hypot(at.x - px, at.y - py);
  return far <= GRIP ? far : Infinity;
}

/**
 * The place in the list of what lies under a point of the screen: the nearest, or the smallest; else -1.
 * @param {Mark[]} list
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 */
export const under = (list, rect, px, py) => least(list.map((mark) => size(mark, rect, px, py)));

/**
 * @param {Mark} mark
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 */
function size(mark, rect, px, py) {
  if (isArea(mark)) return sizeAt(mark, rect, px, py);
  if (!isArrow(mark)) return reach(mark, rect, px, py);
  const far = farFromArrow(mark, rect, px, py);
  return far <= GRIP ? far : Infinity;
}

/** @param {number} value */
const percent = (value) => `${(100 * value).toFixed(1)}`;

/**
 * Where it is, as the form lists it.
 * @param {Mark} mark
 */
export function placeInWords(mark) {
  if (isArea(mark)) return areaInWords(mark);
  const place = `${percent(mark.x)}, ${percent(mark.y)}`;
  if (isArrow(mark)) return `${place} → ${percent(mark.to_x)}, ${percent(mark.to_y)} %`;
  return isBox(mark) ? `${place}; ${percent(mark.w)} × ${percent(mark.h)} %` : `${place} %`;
}

/**
 * The first number that no point has.
 * @param {Mark[]} list
 */
export function freeNumber(list) {
  const taken = new Set(list.map((mark) => mark.number));
  let number = 1;
  while (taken.has(number)) number += 1;
  return number;
}
