// One of the item's own options.

import { Choices } from "./choices.js";
import { PickedOne } from "./picked_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Field } from "../types" */

const NONE = "none_of_these";

class OptionOf extends Choices {
  static showsField = true;
}

class PickedOrNone extends PickedOne {
  /**
   * @param {FieldForm} form
   * @param {Field} field
   */
  entries(form, field) {
    const listed = super.entries(form, field);
    return field.none && listed.length ? [...listed, NONE] : listed;
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  told(field, value) {
    return value === NONE && field.none ? field.none : value;
  }
}

export { OptionOf as control };
export const field = new PickedOrNone();
