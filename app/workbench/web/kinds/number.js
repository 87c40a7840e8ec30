// A typed number. Digits begin it from anywhere while it is active; Enter goes on.

import { el, key } from "../dom.js";

const DIGIT = /^[0-9.,-]$/;

export class NumberBox {
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
      el("span", { class: "quiet" }, this.bounds(), " ", key("⏎"), " done"),
    );
  }

  bounds() {
    const { min, max, step } = this.criterion;
    const range =
      min !== null && max !== null
        ? `${min} to ${max}`
        : min !== null
          ? `from ${min}`
          : max !== null
            ? `up to ${max}`
            : "";
    return [range, step ? `in steps of ${step}` : ""].filter(Boolean).join(", ");
  }

  // What stands in the box as a number; what is none stays text, so that a draft keeps it.
  typed() {
    const text = this.box.value.trim().replace(",", ".");
    const value = Number(text);
    this.seat.set(text === "" ? undefined : Number.isFinite(value) && /\d/.test(text) ? value : this.box.value);
  }

  paint(value) {
    if (value === undefined && !this.box.matches(":focus")) this.box.value = "";
  }

  problem(value) {
    const { min, max, step } = this.criterion;
    if (value === undefined) return "Write a number.";
    if (typeof value !== "number") return "This is not a number.";
    if (min !== null && value < min) return `At least ${min}.`;
    if (max !== null && value > max) return `At most ${max}.`;
    const steps = step ? (value - (min ?? 0)) / step : 0;
    return Math.abs(steps - Math.round(steps)) > 1e-6 ? `In steps of ${step}.` : null;
  }

  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !DIGIT.test(event.key)) return false;
    this.box.focus();
    this.box.value = event.key;
    this.typed();
    return true;
  }

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
