// Arrows on the item's image.

import { arrowBetween } from "../marks/arrow.js";
import { t } from "../words.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow, Shape } from "../types" */

/** @type {Shape} */
const arrow = {
  noun: t("arrow"),
  nouns: t("arrows"),
  ask: t("Draw arrows"),
  begin: t("drag"),
  made: ({ x, y }, side) => ({ x: x - side / 2, y, to_x: x + side / 2, to_y: y }),
  between: arrowBetween,
  turns: t("head"),
};

/** @type {KeyRow[]} */
const keys = [...ALL.begin(arrow), ["Alt", t("with the arrow keys: move the tip; or press E first")], ...ALL.end];

export const field = new DrawnField(arrow, keys);
