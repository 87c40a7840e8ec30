// One of several: options of the schema, options of the item, steps of a scale. A key answers and goes on.

import { el, same } from "../dom.js";
import { KEYS, keyButton, keyIndex, mark } from "./keys.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class Choices {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    const { options, kind } = criterion;
    this.slots = options.length;
    const short =
      options.length > 1 &&
      options.length <= 5 &&
      options.every((option) => `${option.label ?? ""}${kind === "scale" ? option.value : ""}`.length <= 14);
    this.buttons = options.map((option) => {
      const label =
        kind === "scale"
          ? [
              el("span", { class: "step" }, option.value),
              option.label ? el("span", { class: "steplabel" }, option.label) : null,
            ]
          : el("span", { class: "label" }, option.label ?? option.value);
      return keyButton(label, option.help, () => seat.done(option.value));
    });
    this.choices = el(
      "div",
      { class: `choices ${short ? "row" : "column"} kind-${kind}`, role: "radiogroup", "aria-labelledby": seat.id },
      this.buttons,
    );
    this.root = this.choices;
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    this.buttons.forEach((button, index) => {
      const chosen = value !== undefined && same(this.criterion.options[index].value, value);
      mark(button, chosen, keyed ? KEYS[index] : "");
    });
  }

  /** @param {unknown} value */
  problem(value) {
    return value === undefined ? "Choose one." : null;
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  /** @param {unknown} value */
  reasons(value) {
    const option = this.criterion.options.find((candidate) => same(candidate.value, value));
    return option?.reasons.length ? { list: option.reasons, typed: true } : null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const option = this.criterion.options[keyIndex(event)];
    if (!option) return false;
    this.seat.done(option.value);
    return true;
  }

  focus() {
    return false;
  }
}
