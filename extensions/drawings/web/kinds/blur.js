// Rectangles of the item's image that are painted over.

import { t } from "../words.js";
import { box } from "./boxes.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow } from "../types" */

/** @type {KeyRow[]} */
const keys = [...ALL.begin(box), ["Alt", t("arrow keys change its size; E switches to the size")], ...ALL.end];

export const field = new DrawnField({ ...box, filled: true }, keys);
