// A whole number.

import { t } from "../words.js";
import { Typed } from "./typed_field.js";

/** @import { Asked, Field } from "../types" */

class Integer extends Typed {
  /**
   * @param {Field} _field
   * @param {unknown} value
   */
  submitted(_field, value) {
    return /^[+-]?\d+$/.test(String(value)) ? Number(value) : value;
  }

  /** @param {Asked} asked */
  problem({ value }) {
    return Number.isInteger(value) ? null : t("Enter a whole number.");
  }
}

export const field = new Integer({ rows: 1 });
