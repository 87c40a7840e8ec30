// A plan, step by step, with what was found about each step as help; tags say what is wrong with which.

import { el, fill, key, same } from "../dom.js";
import { t } from "../words.js";
import { keyIndex, slotName } from "./keys.js";

/** @import { Control, Child, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class Plan {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = criterion.options.length;
    this.steps = seat.plan;
    this.at = this.steps.length ? 1 : 0; // 0: the plan as a whole
    this.rows = el("ol", { class: "plan", "aria-labelledby": seat.id });
    this.tags = el("div", { class: "choices column tags" });
    this.help = el(
      "p",
      { class: "help keyline" },
      key("↑"),
      key("↓"),
      ` ${t("step (0: the whole plan) · a key tags it; the same key again removes the tag ·")} `,
      key("⏎"),
      ` ${t("done")}`,
    );
    this.note = el(
      "p",
      { class: "help" },
      t("Notes below a step come from a program. They show where to look and are not a grade."),
    );
    this.root = el("div", { class: "plankind" }, this.rows, this.note, this.tags, this.help);
  }

  /**
   * @param {unknown} [value]
   * @returns {{ step: number, tag: unknown }[]}
   */
  list(value = this.seat.value()) {
    return Array.isArray(value) ? value : [];
  }

  /** @param {number} index */
  tag(index) {
    const entry = { step: this.at, tag: this.criterion.options[index].value };
    const rest = this.list().filter((other) => !(other.step === entry.step && same(other.tag, entry.tag)));
    if (rest.length === this.list().length) rest.push(entry);
    const rank = (/** @type {unknown} */ tag) => this.criterion.options.findIndex((option) => same(option.value, tag));
    rest.sort((one, other) => one.step - other.step || rank(one.tag) - rank(other.tag));
    this.seat.activate();
    this.seat.set(rest);
  }

  /** @param {number} step */
  go(step) {
    this.at = step;
    this.seat.activate();
    this.paint(this.seat.value(), true);
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    const { options } = this.criterion;
    const tagged = (/** @type {number} */ step) =>
      this.list(value)
        .filter((entry) => entry.step === step)
        .map((entry) =>
          el(
            "span",
            { class: "tagname" },
            String(options.find((option) => same(option.value, entry.tag))?.label ?? entry.tag),
          ),
        );
    const row = (/** @type {number} */ number, /** @type {string} */ text, /** @type {Child} */ notes) =>
      el(
        "li",
        {
          class: keyed && this.at === number ? "step here" : "step",
          data: { step: String(number) },
          on: { click: () => this.go(number) },
        },
        el("span", { class: "place" }, number),
        el("span", { class: "label" }, text, tagged(number), notes),
      );
    fill(
      this.rows,
      row(0, t("Whole plan"), null),
      this.steps.map((step, index) =>
        row(index + 1, step.line.replace(/^(\d{1,3}\s*[.):]|[-*•])\s*/, ""), [
          step.problems.map((said) => el("span", { class: "found bad" }, said)),
          step.open.length
            ? el("span", { class: "found" }, t("assumes: {facts}", { facts: step.open.join("; ") }))
            : null,
        ]),
      ),
    );
    if (!this.steps.length)
      this.rows.append(el("li", { class: "step quiet" }, t("Touchstone could not read any steps in this answer.")));
    fill(
      this.tags,
      options.map((option, index) => {
        const on = this.list(value).some((entry) => entry.step === this.at && same(entry.tag, option.value));
        return el(
          "button",
          {
            type: "button",
            class: on ? "choice chosen" : "choice",
            role: "checkbox",
            "aria-checked": String(on),
            tabindex: "-1",
            title: option.help,
            on: { click: () => this.tag(index) },
          },
          el("kbd", { class: keyed ? "slot" : "slot empty", "aria-hidden": "true" }, keyed ? slotName(index) : ""),
          el("span", { class: "label" }, option.label ?? option.value),
        );
      }),
    );
    this.tags.hidden = !keyed;
    this.help.classList.toggle("idle", !keyed);
    if (keyed) this.rows.querySelector(".here")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {unknown} value */
  problem(value) {
    return value === undefined ? t("Tag what is wrong, or press Enter if nothing is wrong.") : null;
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
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const to = this.at + (event.key === "ArrowUp" ? -1 : 1);
      if (to < 0 || to > this.steps.length) return false;
      this.go(to);
      return true;
    }
    if (event.key === "Enter") {
      this.seat.done(this.list());
      return true;
    }
    const index = keyIndex(event);
    if (index < 0 || index >= this.criterion.options.length) return false;
    this.tag(index);
    return true;
  }

  focus() {
    return false;
  }
}

export { Plan as control };
