// Masks on the item's image: polygons that are drawn, or pixels that came from files.

import { square, unfinished } from "../marks/area.js";
import { t } from "../words.js";
import { ALL, DrawnField } from "./drawn.js";

/** @import { KeyRow, Shape } from "../types" */

/** @type {Shape} */
const mask = {
  noun: t("mask"),
  nouns: t("masks"),
  ask: t("Draw masks"),
  begin: t("click its points"),
  made: square,
  points: true,
  missing: unfinished,
};

/** @type {KeyRow[]} */
const keys = [
  ...ALL.begin(mask),
  ["Enter", t("close what is being drawn; Escape takes its last point back")],
  ["E", t("type its points in percent, a ring on each line; Escape goes back")],
  ["R", t("another ring of it, by its points: a hole, or a part elsewhere")],
  ...ALL.end,
];

export const field = new DrawnField(mask, keys);
