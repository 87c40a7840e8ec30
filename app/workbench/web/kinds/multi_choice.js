// Any number of several: a key switches one on or off, Enter goes on.

import { el, key, same } from "../dom.js";
import { KEYS, keyButton, keyIndex, showChosen } from "./keys.js";

/** @import { Control, Criterion, Option, Seat } from "../types" */

/**
 * @param {number} count
 * @param {string} noun
 */
const entries = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @implements {Control} */
export class MultiChoice {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = criterion.options.length;
    this.buttons = criterion.options.map((option) =>
      keyButton(
        el("span", { class: "label" }, option.label ?? option.value),
        option.help,
        () => this.toggle(option.value),
        "checkbox",
      ),
    );
    this.choices = el(
      "div",
      { class: "choices column kind-multi_choice", role: "group", "aria-labelledby": seat.id },
      this.buttons,
    );
    this.count = el("span", {});
    this.foot = el("p", { class: "help keyline" }, key("⏎"), " done · ", this.count);
    this.root = el("div", {}, this.choices, this.foot);
  }

  /**
   * @param {unknown} [value]
   * @returns {unknown[]}
   */
  list(value = this.seat.value()) {
    return Array.isArray(value) ? value : [];
  }

  /** @param {unknown} value */
  toggle(value) {
    const { options } = this.criterion;
    const list = this.list();
    const on = list.some((entry) => same(entry, value));
    const wanted = (/** @type {Option} */ option) =>
      same(option.value, value) ? !on : list.some((entry) => same(entry, option.value));
    this.seat.activate();
    this.seat.set(options.filter(wanted).map((option) => option.value));
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    const list = this.list(value);
    this.buttons.forEach((button, index) => {
      const chosen = list.some((entry) => same(entry, this.criterion.options[index].value));
      showChosen(button, chosen, keyed ? KEYS[index] : "");
    });
    this.foot.classList.toggle("idle", !keyed);
    this.count.textContent =
      value === undefined ? "nothing chosen yet" : list.length ? `${list.length} chosen` : "none of them";
  }

  /** @param {unknown} value */
  problem(value) {
    const { min, max } = this.criterion;
    const n = this.list(value).length;
    if (value === undefined)
      return min ? `Choose at least ${entries(min, "answer")}.` : "Choose, or press Enter for none of them.";
    if (min && n < min) return `Choose at least ${entries(min, "answer")}.`;
    return max && n > max ? `At most ${entries(max, "answer")}; ${n} now.` : null;
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
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      const list = this.list();
      if (this.problem(list)) this.seat.set(list, this.problem(list));
      else this.seat.done(list);
      return true;
    }
    const option = this.criterion.options[keyIndex(event)];
    if (!option) return false;
    this.toggle(option.value);
    return true;
  }

  focus() {
    return false;
  }

  /**
   * @param {unknown} value
   * @param {Criterion} criterion
   */
  static words(value, criterion) {
    const list = Array.isArray(value) ? value : [];
    const named = (/** @type {unknown} */ entry) => criterion.options.find((option) => same(option.value, entry));
    return list.map((entry) => named(entry)?.label ?? String(entry)).join(", ") || "none of them";
  }
}

export { MultiChoice as control };
