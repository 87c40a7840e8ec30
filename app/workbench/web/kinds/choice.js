// One of the listed options.

import { same } from "../dom.js";
import { PickedOne } from "./picked_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Field } from "../types" */

class Choice extends PickedOne {
  /**
   * @param {FieldForm} _form
   * @param {Field} field
   */
  entries(_form, field) {
    return field.options.map((option) => option.value);
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  told(field, value) {
    return field.options.find((option) => same(option.value, value))?.label ?? value;
  }

  problem() {
    return null;
  }
}

export { Choices as control } from "./choices.js";
export const field = new Choice();
