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
  begin: t("click the points"),
  made: square,
  points: true,
  missing: unfinished,
};

/** @type {KeyRow[]} */
const keys = [
  ...ALL.begin(mask),
  ["Enter", t("close the ring; Escape removes the last point")],
  ["E", t("type the points in percent, one ring per line; Escape cancels")],
  ["R", t("add another ring by its points: a hole or a separate part")],
  ...ALL.end,
];

export const field = new DrawnField(mask, keys);
