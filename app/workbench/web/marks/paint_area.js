// Masks, painted over an image: tinted between lines, or what they cover.

import { toScreen } from "../geometry.js";
import { t } from "../words.js";
import { cornersOf, ringsOf } from "./area.js";
import { draw, handle } from "./svg.js";

/** @import { Area, Painted, Rect } from "../types" */

let veils = 0; // each has a name of its own

/**
 * @param {Area & { open?: boolean }} area
 * @param {Rect} rect
 */
function lines(area, rect) {
  const rings = ringsOf(area);
  return rings
    .filter((ring) => ring.length)
    .map((ring, index) => {
      const points = ring.map(([x, y]) => toScreen(rect, x, y)).map(({ x, y }) => `${x} ${y}`);
      return `M${points.join("L")}${area.open && index === rings.length - 1 ? "" : "Z"}`;
    })
    .join("");
}

/**
 * Whether a mask of pixels has the proportions of the image; of points any has.
 * @param {Area} area
 * @param {Rect} rect
 */
function fits({ rle }, { width, height }) {
  if (!rle) return true;
  const [high, wide] = rle.size;
  return Math.abs(wide * height - high * width) < Math.max(width, height);
}

/**
 * What stands in place of masks that do not fit.
 * @param {Area[]} areas
 * @param {Rect} rect
 */
export const misfits = (areas, rect) =>
  areas.flatMap((area) =>
    area.rle && !fits(area, rect)
      ? [
          t("A mask of {value} × {value2} pixels does not fit this image, because its proportions differ.", {
            value: area.rle.size[1],
            value2: area.rle.size[0],
          }),
        ]
      : [],
  );

/**
 * What is painted over: the insides of some, and all that lies in none of others.
 * @param {(Painted & Area)[]} areas
 * @param {Rect} rect
 * @returns {SVGElement[]}
 */
export function coversOf(areas, rect) {
  const there = areas.filter((area) => fits(area, rect));
  /** @type {SVGElement[]} */
  const found = [];
  const outside = there.filter(({ cover }) => cover === "outside");
  if (outside.length) {
    veils += 1;
    const id = `veil-${veils}`;
    const whole = { x: rect.left, y: rect.top, width: rect.width, height: rect.height };
    const left = outside.map((area) => draw("path", { d: lines(area, rect), "fill-rule": "evenodd", fill: "#000" }));
    found.push(
      draw("mask", { id, maskUnits: "userSpaceOnUse", ...whole }, draw("rect", { ...whole, fill: "#fff" }), ...left),
      draw("rect", { ...whole, class: "veil", fill: outside[0].filled ?? "", mask: `url(#${id})` }),
    );
  }
  for (const area of there.filter(({ cover }) => cover === "inside"))
    found.push(draw("path", { d: lines(area, rect), class: "veil", "fill-rule": "evenodd", fill: area.filled ?? "" }));
  return found;
}

/**
 * A tint, and a line around it; of one that is chosen its points, too.
 * @param {Painted & Area} area
 * @param {Rect} rect
 * @returns {SVGElement[]}
 */
export function tintOf(area, rect) {
  if (!fits(area, rect)) return [];
  const d = lines(area, rect);
  const nodes = [
    draw("path", { d, class: "tint", "fill-rule": "evenodd", fill: area.tone, "fill-opacity": area.tint ?? 0 }),
    draw("path", { d, class: "halo" }),
    draw("path", { d, class: area.chosen ? "edge chosen" : "edge", stroke: area.tone }),
  ];
  if (area.chosen) for (const { at } of cornersOf(area)) nodes.push(handle(toScreen(rect, at.x, at.y), area.tone));
  return /** @type {SVGElement[]} */ (nodes);
}
