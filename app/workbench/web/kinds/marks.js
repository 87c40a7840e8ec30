// Numbered points on the item's image.

import { t } from "../words.js";
import { ALL, Drawn, DrawnField } from "./drawn.js";

/** @import { Criterion, KeyRow, Seat, Shape } from "../types" */

/** @type {Shape} */
const mark = {
  noun: t("mark"),
  nouns: t("marks"),
  ask: t("Set marks"),
  begin: t("click"),
  made: (middle) => middle,
  numbered: true,
};

/** @type {KeyRow[]} */
const keys = [
  ...ALL.begin(mark),
  ["1 … 9", t("set its number; if another mark has this number, the marks swap numbers")],
  ...ALL.end,
];

class Marks extends Drawn {
  static keys = keys;

  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    super(criterion, seat, mark);
  }
}

export { Marks as control };
export const field = new DrawnField(mark, keys);
