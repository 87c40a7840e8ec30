// A typed number. Digits begin it from anywhere while it is active; Enter goes on.

import { el, key } from "../dom.js";
import { t } from "../words.js";

/** @import { Control, Criterion, Seat } from "../types" */

const DIGIT = /^[0-9.,-]$/;

/**
 * @param {number | null | undefined} bound
 * @returns {bound is number}
 */
const isNumber = (bound) => typeof bound === "number";

/** @implements {Control} */
export class NumberBox {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = 10; // the digits
    this.box = el("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      class: "box number",
      "aria-labelledby": seat.id,
      data: { criterion: criterion.name, enter: "own" },
      on: { input: () => this.typed(), focus: () => seat.activate() },
    });
    const value = seat.value();
    this.box.value = value === undefined || value === null ? "" : String(value);
    this.root = el(
      "div",
      { class: "numberline" },
      this.box,
      criterion.unit ? el("span", {}, criterion.unit) : null,
      el("span", { class: "quiet" }, this.bounds(), " ", key("⏎"), ` ${t("done")}`),
    );
  }

  bounds() {
    const { min, max, step } = this.criterion;
    const above = isNumber(min) ? t("from {min}", { min }) : "";
    const below = isNumber(max) ? t("up to {max}", { max }) : "";
    const range = above && below ? t("{min} to {max}", { min, max }) : above || below;
    return [range, step ? t("in steps of {step}", { step }) : ""].filter(Boolean).join(", ");
  }

  // What stands in the box as a number; what is none stays text, so that a draft keeps it.
  typed() {
    const text = this.box.value.trim().replace(",", ".");
    const value = Number(text);
    this.seat.set(text === "" ? undefined : Number.isFinite(value) && /\d/.test(text) ? value : this.box.value);
  }

  /** @param {unknown} value */
  paint(value) {
    if (value === undefined && !this.box.matches(":focus")) this.box.value = "";
  }

  /** @param {unknown} value */
  problem(value) {
    const { min, max, step } = this.criterion;
    if (value === undefined) return t("Enter a number.");
    if (typeof value !== "number") return t("Enter a number, such as 12.5.");
    if (isNumber(min) && value < min) return t("At least {min}.", { min });
    if (isNumber(max) && value > max) return t("At most {max}.", { max });
    const steps = step ? (value - (min ?? 0)) / step : 0;
    return Math.abs(steps - Math.round(steps)) > 1e-6 ? t("Use steps of {step}.", { step }) : null;
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !DIGIT.test(event.key)) return false;
    this.box.focus();
    this.box.value = event.key;
    this.typed();
    return true;
  }

  /** @param {KeyboardEvent} event */
  boxKey(event) {
    if (event.key !== "Enter") return false;
    const value = this.seat.value();
    if (value === undefined || this.problem(value)) this.seat.set(value, this.problem(value));
    else this.seat.done(value);
    return true;
  }

  focus() {
    this.box.focus();
    this.box.select();
    return true;
  }
}

export { NumberBox as control };
