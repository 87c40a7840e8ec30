// One of the item's own options.

import { Choices } from "./choices.js";
import { PickedOne } from "./picked_field.js";

class OptionOf extends Choices {
  static showsField = true;
}

export { OptionOf as control };
export const field = new PickedOne();
