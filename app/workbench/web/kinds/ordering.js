// All entries, put in order. A digit gives the next free place to an entry; or an entry is picked up with Space and moved
// with the arrows; or dragged.

import { el, fill, key, same } from "../dom.js";
import { t } from "../words.js";
import { keyIndex, slotName } from "./keys.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class Ordering {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = criterion.options.length;
    this.at = 0; // the row that Space would pick up
    this.held = false;
    this.rows = el("ol", { class: "ordering", "aria-labelledby": seat.id });
    this.help = el(
      "p",
      { class: "help keyline" },
      `${t("a digit sets the next position ·")} `,
      key("↑"),
      key("↓"),
      ` ${t("and")} `,
      key("Space"),
      ` ${t("pick up, move, drop ·")} `,
      key("⌫"),
      ` ${t("undoes the last position ·")} `,
      key("⏎"),
      ` ${t("done")}`,
    );
    this.root = el("div", {}, this.rows, this.help);
  }

  /**
   * Options that have a place, in order, then those that have none yet: indices into the options.
   * @param {unknown} [value]
   */
  places(value = this.seat.value()) {
    const { options } = this.criterion;
    const left = options.map((_, index) => index);
    const placed = [];
    for (const entry of Array.isArray(value) ? value : []) {
      const at = left.findIndex((index) => same(options[index].value, entry));
      if (at >= 0) placed.push(...left.splice(at, 1));
    }
    return { placed, left };
  }

  /** @param {number[]} indices */
  store(indices) {
    this.seat.activate();
    this.seat.set(indices.length ? indices.map((index) => this.criterion.options[index].value) : undefined);
  }

  /** @param {number} index */
  give(index) {
    const { placed, left } = this.places();
    if (left.includes(index)) this.store([...placed, index]);
    else this.store(placed.filter((other) => other !== index));
  }

  /** @param {number} by */
  move(by) {
    const { placed, left } = this.places();
    const all = [...placed, ...left];
    const to = Math.max(0, Math.min(all.length - 1, this.at + by));
    if (this.held && to !== this.at) {
      [all[this.at], all[to]] = [all[to], all[this.at]];
      this.at = to;
      this.store(all);
      return;
    }
    this.at = to;
    this.paint(this.seat.value(), true);
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    const { options } = this.criterion;
    const { placed, left } = this.places(value);
    if (!keyed) this.held = false;
    this.help.classList.toggle("idle", !keyed);
    fill(
      this.rows,
      [...placed, ...left].map((index, row) => {
        const has = row < placed.length;
        const item = el(
          "li",
          {
            class: `orderrow${has ? " placed" : ""}${keyed && row === this.at ? (this.held ? " held" : " here") : ""}`,
            draggable: "true",
            data: { index: String(index) },
            on: {
              click: () => this.give(index),
              dragstart: (event) => event.dataTransfer?.setData("text/plain", String(row)),
              dragover: (event) => event.preventDefault(),
              drop: (event) => this.dropped(event, row),
            },
          },
          el("span", { class: "place" }, has ? row + 1 : "–"),
          el("kbd", { class: keyed ? "slot" : "slot empty", "aria-hidden": "true" }, keyed ? slotName(index) : ""),
          el("span", { class: "label" }, options[index].label ?? options[index].value),
        );
        return item;
      }),
    );
  }

  /**
   * @param {DragEvent} event
   * @param {number} row
   */
  dropped(event, row) {
    event.preventDefault();
    const from = Number(event.dataTransfer?.getData("text/plain") || NaN);
    const { placed, left } = this.places();
    const all = [...placed, ...left];
    if (!Number.isInteger(from) || from === row || all[from] === undefined) return;
    const [moved] = all.splice(from, 1);
    all.splice(row, 0, moved);
    this.store(all);
  }

  /** @param {unknown} value */
  problem(value) {
    const { left } = this.places(value);
    return left.length
      ? value === undefined
        ? t("Give every entry a position.")
        : t("Entries without a position: {length}.", { length: left.length })
      : null;
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
      const by = event.key === "ArrowUp" ? -1 : 1;
      const edge = by < 0 ? this.at === 0 : this.at === this.criterion.options.length - 1;
      if (edge && !this.held) return false; // on to the criterion before or after
      this.move(by);
      return true;
    }
    if (event.key === " ") {
      this.held = !this.held;
      this.paint(this.seat.value(), true);
      return true;
    }
    if (event.key === "Escape" && this.held) {
      this.held = false;
      this.paint(this.seat.value(), true);
      return true;
    }
    if (event.key === "Backspace") {
      this.store(this.places().placed.slice(0, -1));
      return true;
    }
    if (event.key === "Enter") {
      const { placed, left } = this.places();
      this.held = false;
      // The last one left has only one place to go to.
      if (left.length === 1) this.store([...placed, ...left]);
      const value = this.seat.value();
      if (this.problem(value)) this.seat.set(value, this.problem(value));
      else this.seat.done(value);
      return true;
    }
    const index = keyIndex(event);
    if (index < 0 || index >= this.criterion.options.length) return false;
    this.give(index);
    return true;
  }

  focus() {
    return false;
  }
}

export { Ordering as control };
