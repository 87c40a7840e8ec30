// Masks in fractions of an image: rings of points, or pixels. The even-odd rule says what is filled.

import { rounded, toScreen, within } from "../geometry.js";
import { t, tn } from "../words.js";
import { stays } from "./arrow.js";
import { linesAround } from "./runs.js";

/** @import { Area, Limits, Mark, Point, Rect } from "../types" */

/**
 * @param {Mark} mark
 * @returns {mark is Area}
 */
export const isArea = (mark) => "rings" in mark || "rle" in mark;

/**
 * The lines of a mask.
 * @param {Area} area
 * @returns {number[][][]}
 */
export const ringsOf = (area) => area.rings ?? (area.rle ? linesAround(area.rle) : []);

/**
 * Whether a value that calls itself a mask can be painted.
 * @param {Area} area
 */
export const isPaintable = ({ rings, rle }) =>
  rings
    ? rings.every((ring) => ring.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y)))
    : rle?.size.length === 2;

/**
 * A square, of four points.
 * @param {Point} middle
 * @param {number} side
 * @returns {Area}
 */
export function square({ x, y }, side) {
  const [left, top] = [within(x - side / 2, 0, 1 - side), within(y - side / 2, 0, 1 - side)];
  const [right, bottom] = [left + side, top + side];
  return {
    rings: [
      [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ],
    ],
  };
}

/**
 * The mask as it is stored: its points inside the image, and rounded.
 * @template {Area} T
 * @param {T} area
 * @param {Limits} limits
 * @returns {T}
 */
export function tidyArea(area, limits) {
  const tidy = (/** @type {number} */ place) => rounded(within(place, 0, 1), limits);
  if (!area.rings) return area;
  return { ...area, rings: area.rings.map((ring) => ring.map(([x, y]) => [tidy(x), tidy(y)])) };
}

/**
 * All of its points moved, and none out of the image; pixels stay.
 * @template {Area} T
 * @param {T} area
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {T}
 */
export function movedArea(area, dx, dy, limits) {
  const points = area.rings?.flat() ?? [];
  if (!area.rings || !points.length) return area;
  const x = stays(dx, ...points.map((point) => point[0]));
  const y = stays(dy, ...points.map((point) => point[1]));
  return tidyArea(
    { ...area, rings: area.rings.map((ring) => ring.map((point) => [point[0] + x, point[1] + y])) },
    limits,
  );
}

/**
 * How large a mask is on the screen (the rectangle around it), if a point of the screen lies in it; else Infinity.
 * @param {Area} area
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 */
export function sizeAt(area, rect, px, py) {
  const rings = ringsOf(area).map((ring) => ring.map(([x, y]) => toScreen(rect, x, y)));
  let filled = false;
  for (const ring of rings)
    ring.forEach((one, index) => {
      const other = ring[(index + 1) % ring.length];
      const crosses = one.y > py !== other.y > py;
      if (crosses && px < one.x + ((py - one.y) * (other.x - one.x)) / (other.y - one.y)) filled = !filled;
    });
  if (!filled) return Infinity;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of rings.flat())
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  return (right - left) * (bottom - top);
}

/**
 * The points of a mask, and the mask with one of them elsewhere; none of one of pixels.
 * @param {Area} area
 * @returns {{ at: Point, to: (point: Point) => Area }[]}
 */
export const cornersOf = (area) =>
  (area.rings ?? []).flatMap((ring, number) =>
    ring.map(([x, y], place) => ({
      at: { x, y },
      to: (point) => ({
        ...area,
        rings: area.rings?.map((other, at) =>
          at === number ? other.map((old, index) => (index === place ? [point.x, point.y] : old)) : other,
        ),
      }),
    })),
  );

/**
 * What is there of a mask, in words.
 * @param {Area} area
 */
export function areaInWords({ rings, rle }) {
  if (!rings) return rle ? t("{width} × {height} pixels", { width: rle.size[1], height: rle.size[0] }) : "";
  const points = rings.reduce((all, ring) => all + ring.length, 0);
  const said = tn("{n} point", "{n} points", points);
  return rings.length > 1 ? t("{points}, {n} rings", { points: said, n: rings.length }) : said;
}

/**
 * What is missing in masks that someone draws, as a sentence.
 * @param {unknown[]} list
 */
export function unfinished(list) {
  const masks = /** @type {Mark[]} */ (list);
  const at = masks.findIndex((mark) => isArea(mark) && mark.rings?.some((ring) => ring.length < 3));
  return at < 0
    ? null
    : t("Mask {number} is not finished. Add points until the area has at least three.", { number: at + 1 });
}
