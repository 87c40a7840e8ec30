// One of the listed options.

import { same } from "../dom.js";
import { PickedOne } from "./picked_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Field } from "../types" */

class Choice extends PickedOne {
  /**
   * @param {FieldForm} form
   * @param {Field} field
   */
  entries(form, field) {
    const allowed = field.by_dimension[form.dimension];
    const values = field.options.map((option) => option.value);
    return allowed ? values.filter((value) => allowed.some((each) => same(each, value))) : values;
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
