// Rectangles of the item's image that are painted over.

import { t } from "../words.js";
import { box } from "./boxes.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow } from "../types" */

/** @type {KeyRow[]} */
const keys = [...ALL.begin(box), ["Alt", t("with the arrow keys: change the size; or press E first")], ...ALL.end];

export const field = new DrawnField({ ...box, filled: true }, keys);
