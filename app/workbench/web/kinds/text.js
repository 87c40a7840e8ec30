// Text: what a rater writes, and a field with one line.

import { el } from "../dom.js";
import { t } from "../words.js";
import { fitHeight } from "./keys.js";
import { Written } from "./typed_field.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class Text {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.seat = seat;
    this.slots = 0;
    this.onTheWay = false;
    this.area = el("textarea", {
      class: "box",
      rows: "2",
      "aria-labelledby": seat.id,
      data: { criterion: criterion.name },
      on: {
        input: () => {
          fitHeight(this.area);
          seat.set(this.area.value);
        },
        focus: () => seat.activate(),
      },
    });
    this.area.value = String(seat.value() ?? "");
    this.root = this.area;
  }

  paint() {
    fitHeight(this.area);
  }

  /** @param {unknown} value */
  problem(value) {
    return value === undefined || !String(value).trim() ? t("Enter some text.") : null;
  }

  /** @param {unknown} value */
  read(value) {
    return this.problem(value) ? undefined : value;
  }

  reasons() {
    return null;
  }

  key() {
    return false;
  }

  focus() {
    this.area.focus();
    return true;
  }
}

export { Text as control };
export const field = new Written({ rows: 2 });
