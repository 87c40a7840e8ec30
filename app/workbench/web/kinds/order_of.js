// All entries of one of the item's lists, put in order.

import { t } from "../words.js";
import { listed, PickedSeveral } from "./picked_field.js";

/** @import { Asked } from "../types" */

class OrderOf extends PickedSeveral {
  /**
   * @param {unknown} value
   * @param {unknown} entry
   */
  placeOf(value, entry) {
    return `${listed(value).indexOf(entry) + 1}. `;
  }

  /** @param {Asked} asked */
  problem(asked) {
    const lacking = asked.strict && listed(asked.value).length < asked.entries.length;
    return super.problem(asked) ?? (lacking ? t("Give every entry a position.") : null);
  }
}

export const field = new OrderOf();
