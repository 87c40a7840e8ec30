// Any number of several: a key switches one on or off, Enter goes on.

import { el, key, same } from "../dom.js";
import { t, tn } from "../words.js";
import { KEYS, keyButton, keyIndex, showChosen } from "./keys.js";

/** @import { Control, Criterion, Option, Seat } from "../types" */

const CANNOT_TELL = "cannot_tell";

/** @param {number} count */
const answers = (count) => tn("{n} answer", "{n} answers", count);

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
    this.none = criterion.none ? keyButton(criterion.none, null, () => this.pickNone(), "checkbox") : null;
    this.slots = criterion.options.length + (this.none ? 1 : 0);
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
      this.none,
    );
    this.count = el("span", {});
    this.foot = el("p", { class: "help keyline" }, key("⏎"), ` ${t("done ·")} `, this.count);
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
    const alone = this.criterion.cannot_tell ? CANNOT_TELL : undefined; // it goes with no other answer
    const wanted = (/** @type {Option} */ option) => {
      if (same(option.value, value)) return !on;
      const excluded = alone !== undefined && (value === alone || option.value === alone);
      return !excluded && list.some((entry) => same(entry, option.value));
    };
    this.seat.activate();
    this.seat.set(options.filter(wanted).map((option) => option.value));
  }

  pickNone() {
    this.seat.activate();
    this.seat.done([]);
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
    const none = Array.isArray(value) && !value.length;
    if (this.none) showChosen(this.none, none, keyed ? KEYS[this.buttons.length] : "");
    this.foot.classList.toggle("idle", !keyed);
    this.count.textContent =
      value === undefined
        ? t("nothing selected")
        : list.length
          ? t("{length} selected", { length: list.length })
          : t("none");
  }

  /** @param {unknown} value */
  problem(value) {
    const { min, max } = this.criterion;
    const n = this.list(value).length;
    if (value === undefined)
      return min
        ? t("Choose at least {value}.", { value: answers(min) })
        : t("Choose an option, or press Enter for none.");
    if (min && n < min) return t("Choose at least {value}.", { value: answers(min) });
    return max && n > max ? t("Choose at most {value}. You chose {n}.", { value: answers(max), n }) : null;
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
    const at = keyIndex(event);
    const option = this.criterion.options[at];
    if (option) this.toggle(option.value);
    else if (this.none && at === this.buttons.length) this.pickNone();
    return Boolean(option) || Boolean(this.none && at === this.buttons.length);
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
    const said = list.map((entry) => named(entry)?.label ?? String(entry)).join(", ");
    return said || criterion.none || t("none");
  }
}

export { MultiChoice as control };
