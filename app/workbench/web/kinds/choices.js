// One of several: options of the schema, options of the item, steps of a scale. A key answers and goes on.

import { el, same } from "../dom.js";
import { t } from "../words.js";
import { KEYS, keyButton, keyIndex, showChosen } from "./keys.js";

/** @import { Child, Control, Criterion, Option, Seat } from "../types" */

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
    const short = options.length > 1 && options.length <= 5 && options.every((each) => this.printed(each).length <= 14);
    this.buttons = options.map((option) => keyButton(this.labelOf(option), option.help, () => seat.done(option.value)));
    this.choices = el(
      "div",
      { class: `choices ${short ? "row" : "column"} kind-${kind}`, role: "radiogroup", "aria-labelledby": seat.id },
      this.buttons,
    );
    this.root = this.choices;
  }

  /**
   * What a button says.
   * @param {Option} option
   * @returns {Child}
   */
  labelOf(option) {
    return el("span", { class: "label" }, option.label ?? option.value);
  }

  /**
   * The letters by which it is decided whether all fit into a row.
   * @param {Option} option
   */
  printed(option) {
    return option.label ?? "";
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    this.buttons.forEach((button, index) => {
      const chosen = value !== undefined && same(this.criterion.options[index].value, value);
      showChosen(button, chosen, keyed ? KEYS[index] : "");
    });
  }

  /** @param {unknown} value */
  problem(value) {
    return value === undefined ? t("Choose one.") : null;
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
