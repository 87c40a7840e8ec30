// A value for each of several properties: a key says it about the marked one and goes on to the next.

import { el, fill, key, same } from "../dom.js";
import { t } from "../words.js";
import { keyIndex, slotName } from "./keys.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class PropertyList {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.sayings = criterion.said ?? [];
    this.onTheWay = true;
    this.slots = this.sayings.length;
    this.at = this.firstOpen();
    this.rows = el("div", { class: "properties", role: "group", "aria-labelledby": seat.id });
    this.help = el(
      "p",
      { class: "help keyline" },
      `${t("a key answers the selected entry ·")} `,
      key("↑"),
      key("↓"),
      ` ${t("select an entry ·")} `,
      key("⏎"),
      ` ${t("done")}`,
    );
    this.root = el("div", {}, this.rows, this.help);
  }

  /**
   * @param {unknown} [value]
   * @returns {Map<string, unknown>}
   */
  said(value = this.seat.value()) {
    return new Map((Array.isArray(value) ? value : []).map((entry) => [JSON.stringify(entry.name), entry.value]));
  }

  firstOpen() {
    const said = this.said();
    const at = this.criterion.options.findIndex((option) => !said.has(JSON.stringify(option.value)));
    return Math.max(at, 0);
  }

  /**
   * @param {number} index
   * @param {unknown} value
   */
  say(index, value) {
    const said = this.said();
    said.set(JSON.stringify(this.criterion.options[index].value), value);
    const list = this.criterion.options
      .filter((option) => said.has(JSON.stringify(option.value)))
      .map((option) => ({ name: option.value, value: said.get(JSON.stringify(option.value)) }));
    this.at = Math.min(index + 1, this.criterion.options.length - 1);
    this.seat.activate();
    if (list.length === this.criterion.options.length && index === this.criterion.options.length - 1)
      this.seat.done(list);
    else this.seat.set(list);
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    const said = this.said(value);
    this.help.classList.toggle("idle", !keyed);
    fill(
      this.rows,
      this.criterion.options.map((option, row) => {
        const given = said.get(JSON.stringify(option.value));
        const here = keyed && row === this.at;
        return el(
          "div",
          { class: here ? "property here" : "property", data: { property: String(option.value) }, title: option.help },
          el("span", { class: "label" }, option.label ?? option.value),
          el(
            "span",
            { class: "saids", role: "radiogroup", "aria-label": String(option.label ?? option.value) },
            this.sayings.map((choice, index) => {
              const chosen = given !== undefined && same(given, choice.value);
              return el(
                "button",
                {
                  type: "button",
                  class: chosen ? "said chosen" : "said",
                  role: "radio",
                  "aria-checked": String(chosen),
                  tabindex: "-1",
                  on: { click: () => this.say(row, choice.value) },
                },
                el("kbd", { class: here ? "slot" : "slot empty", "aria-hidden": "true" }, here ? slotName(index) : ""),
                choice.label,
              );
            }),
          ),
        );
      }),
    );
  }

  /** @param {unknown} value */
  problem(value) {
    const open = this.criterion.options.length - this.said(value).size;
    if (open <= 0) return null;
    return open === this.criterion.options.length
      ? t("Answer every entry.")
      : t("Entries without an answer: {open}.", { open });
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
      if (to < 0 || to >= this.criterion.options.length) return false;
      this.at = to;
      this.paint(this.seat.value(), true);
      return true;
    }
    if (event.key === "Enter") {
      const value = this.seat.value();
      if (this.problem(value)) this.seat.set(value, this.problem(value));
      else this.seat.done(value);
      return true;
    }
    const choice = this.sayings[keyIndex(event)];
    if (!choice) return false;
    this.say(this.at, choice.value);
    return true;
  }

  focus() {
    return false;
  }
}

export { PropertyList as control };
