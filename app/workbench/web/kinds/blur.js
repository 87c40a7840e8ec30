// Rectangles of the item's image that are painted over.

import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow, Shape } from "../types" */

/** @type {Shape} */
const box = { noun: "box", nouns: "boxes", ask: "Draw boxes", begin: "drag", sized: true, filled: true };

/** @type {KeyRow[]} */
const keys = [...ALL.begin(box), ["Alt", "with the arrows: its size; E lets the arrows do that"], ...ALL.end];

export const field = new DrawnField(box, keys);
