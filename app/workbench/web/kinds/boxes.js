// Rectangles on the item's image.

import { between } from "../geometry.js";
import { t } from "../words.js";
import { ALL, Drawn, DrawnField } from "./drawn.js";

/** @import { Criterion, KeyRow, Seat, Shape } from "../types" */

/** @type {Shape} */
export const box = {
  noun: t("box"),
  nouns: t("boxes"),
  ask: t("Draw boxes"),
  begin: t("drag"),
  made: ({ x, y }, side) => ({ x: x - side / 2, y: y - side / 2, w: side, h: side }),
  between,
  turns: t("size"),
};

/** @type {KeyRow[]} */
const keys = [
  ...ALL.begin(box),
  ["Alt", t("with the arrow keys: change the size; or press E first")],
  ["1 … 9", t("set the label")],
  ...ALL.end,
];

class Boxes extends Drawn {
  static keys = keys;

  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    super(criterion, seat, box);
    this.slots = criterion.options.length; // their labels
  }
}

export { Boxes as control };
export const field = new DrawnField(box, keys);
