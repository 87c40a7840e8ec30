// One of the values that have an order.

import { el } from "../dom.js";
import { Choices } from "./choices.js";

/** @import { Child, Option } from "../types" */

class Scale extends Choices {
  /**
   * @param {Option} option
   * @returns {Child}
   */
  labelOf(option) {
    const label = option.label ? el("span", { class: "steplabel" }, option.label) : null;
    return [el("span", { class: "step" }, option.value), label];
  }

  /** @param {Option} option */
  printed(option) {
    return `${super.printed(option)}${option.value}`;
  }
}

export { Scale as control };
