// Rectangles of the item's image that are painted over.

import { box } from "./boxes.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow } from "../types" */

/** @type {KeyRow[]} */
const keys = [...ALL.begin(box), ["Alt", "with the arrows: its size; E lets the arrows do that"], ...ALL.end];

export const field = new DrawnField({ ...box, filled: true }, keys);
