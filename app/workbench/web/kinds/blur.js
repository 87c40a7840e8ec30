// Rectangles of the item's image that are painted over.

import { between } from "../geometry.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow, Shape } from "../types" */

/** @type {Shape} */
const box = {
  noun: "box",
  nouns: "boxes",
  ask: "Draw boxes",
  begin: "drag",
  made: ({ x, y }, side) => ({ x: x - side / 2, y: y - side / 2, w: side, h: side }),
  between,
  turns: "size",
  filled: true,
};

/** @type {KeyRow[]} */
const keys = [...ALL.begin(box), ["Alt", "with the arrows: its size; E lets the arrows do that"], ...ALL.end];

export const field = new DrawnField(box, keys);
