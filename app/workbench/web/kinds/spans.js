// Passages of a text with tags. Words are chosen with the arrows (Shift extends) or the pointer; a key tags them.
//
// Places are counted in characters as people see them stored (code points), not in the halves that JavaScript counts.

import { el, fill, key, same } from "../dom.js";
import { t } from "../words.js";
import { keyIndex, slotName } from "./keys.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @typedef {{ start: number, end: number, text: string }} Word */

/** @typedef {{ start: number, end: number, tag: unknown }} Span */

/** @param {string} text */
const points = (text) => [...text].length;

/**
 * The words of a text: where each begins and ends, in code points.
 * @param {string} text
 * @returns {Word[]}
 */
export function wordsOf(text) {
  const found = [];
  for (const match of text.matchAll(/\S+/gu)) {
    const start = points(text.slice(0, match.index));
    found.push({ start, end: start + points(match[0]), text: match[0] });
  }
  return found;
}

/**
 * The place of the word that a node of the text is in.
 * @param {Node | null} node
 */
function wordOf(node) {
  const word = (node instanceof Element ? node : node?.parentElement)?.closest("[data-word]");
  return word instanceof HTMLElement ? Number(word.dataset.word) : null;
}

/** @implements {Control} */
export class Spans {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = criterion.options.length;
    this.text = seat.text(criterion.of);
    this.letters = [...this.text];
    this.words = wordsOf(this.text);
    this.anchor = 0;
    this.at = 0;
    this.box = el("div", { class: "spantext", "aria-labelledby": seat.id });
    this.list = el("ul", { class: "spanlist" });
    this.tags = el("div", { class: "choices row" });
    this.help = el(
      "p",
      { class: "help keyline" },
      key("←"),
      key("→"),
      ` ${t("word,")} `,
      key("↑"),
      key("↓"),
      ` ${t("line ·")} `,
      key("Shift"),
      ` ${t("extends the selection · a key tags it ·")} `,
      key("⌫"),
      ` ${t("removes tags ·")} `,
      key("⏎"),
      ` ${t("done")}`,
    );
    this.root = el("div", { class: "spans" }, this.box, this.tags, this.list, this.help);
    this.box.addEventListener("pointerup", () => this.selected());
  }

  /**
   * @param {unknown} [value]
   * @returns {Span[]}
   */
  spans(value = this.seat.value()) {
    return Array.isArray(value) ? value : [];
  }

  range() {
    const [from, to] = [Math.min(this.anchor, this.at), Math.max(this.anchor, this.at)];
    return this.words.length ? { from, to, start: this.words[from].start, end: this.words[to].end } : null;
  }

  // What the pointer has selected, as whole words.
  selected() {
    // Chromium tells what is selected inside of a shadow root only there.
    const root = /** @type {{ getSelection?: () => Selection | null }} */ (this.box.getRootNode());
    const selection = root.getSelection ? root.getSelection() : document.getSelection();
    if (!selection || selection.isCollapsed) return;
    const [one, other] = [wordOf(selection.anchorNode), wordOf(selection.focusNode)];
    if (one === null || other === null) return;
    [this.anchor, this.at] = [Math.min(one, other), Math.max(one, other)];
    selection.removeAllRanges();
    this.seat.activate();
    this.paint(this.seat.value(), true);
  }

  /** @param {number} index */
  tag(index) {
    const range = this.range();
    if (!range) return;
    const span = { start: range.start, end: range.end, tag: this.criterion.options[index].value };
    const list = this.spans().filter((other) => !same(other, span));
    if (list.length === this.spans().length) list.push(span);
    list.sort((one, other) => one.start - other.start || one.end - other.end);
    this.seat.activate();
    this.seat.set(list);
    this.help.scrollIntoView({ block: "nearest" }); // the list below the text has grown
  }

  // Takes back the passages that the chosen words belong to; elsewhere the last one.
  untag() {
    const range = this.range();
    const list = this.spans();
    const left = range ? list.filter((span) => span.end <= range.start || span.start >= range.end) : list;
    this.seat.set(left.length < list.length ? left : list.slice(0, -1));
  }

  /**
   * The word that a key goes to; -1 if it leaves the text, null if it goes nowhere.
   * @param {string} name
   * @returns {number | null}
   */
  where(name) {
    const last = this.words.length - 1;
    if (name === "ArrowLeft") return Math.max(0, this.at - 1);
    if (name === "ArrowRight") return Math.min(Math.max(0, last), this.at + 1);
    if (name === "Home") return 0;
    if (name === "End") return Math.max(0, last);
    if (name === "ArrowUp") return this.beside(-1);
    return name === "ArrowDown" ? this.beside(1) : null;
  }

  /**
   * The word above or below, as the lines are broken now; -1 if there is no such line.
   * @param {number} by
   */
  beside(by) {
    const spots = [...this.box.querySelectorAll("[data-word]")].map((word) => {
      const [first] = word.getClientRects();
      return { top: first ? first.top : 0, left: first ? first.left : 0 };
    });
    const here = spots[this.at];
    if (!here) return -1;
    const beyond = spots.filter((spot) => (spot.top - here.top) * by > 4).map((spot) => spot.top);
    if (!beyond.length) return -1;
    const line = by < 0 ? Math.max(...beyond) : Math.min(...beyond);
    let best = -1;
    spots.forEach((spot, index) => {
      if (Math.abs(spot.top - line) > 4) return;
      if (best < 0 || Math.abs(spot.left - here.left) < Math.abs(spots[best].left - here.left)) best = index;
    });
    return best;
  }

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    const { options } = this.criterion;
    const spans = this.spans(value);
    const range = keyed ? this.range() : null;
    const tagOf = (/** @type {Word} */ word) =>
      spans
        .filter((span) => span.start < word.end && span.end > word.start)
        .map((span) => options.findIndex((option) => same(option.value, span.tag)));
    let place = 0;
    const pieces = [];
    this.words.forEach((word, index) => {
      if (word.start > place) pieces.push(this.letters.slice(place, word.start).join(""));
      const tags = tagOf(word);
      const other = tags.find((tag) => tag !== tags[0]);
      const here = range && index >= range.from && index <= range.to;
      pieces.push(
        el(
          "span",
          {
            class: `word${tags.length ? ` tagged t${Math.max(0, tags[0]) % 6}` : ""}${other === undefined ? "" : ` also a${Math.max(0, other) % 6}`}${here ? " here" : ""}`,
            data: { word: String(index) },
            on: { click: () => this.point(index) },
          },
          word.text,
        ),
      );
      place = word.end;
    });
    pieces.push(this.letters.slice(place).join(""));
    fill(this.box, pieces);
    fill(
      this.tags,
      options.map((option, index) =>
        el(
          "button",
          {
            type: "button",
            class: `choice tag t${index % 6}`,
            tabindex: "-1",
            title: option.help,
            on: { click: () => this.tag(index) },
          },
          el("kbd", { class: keyed ? "slot" : "slot empty", "aria-hidden": "true" }, keyed ? slotName(index) : ""),
          el("span", { class: "label" }, option.label ?? option.value),
        ),
      ),
    );
    fill(
      this.list,
      spans.map((span) =>
        el(
          "li",
          {},
          el(
            "span",
            { class: "quiet" },
            `${options.find((option) => same(option.value, span.tag))?.label ?? span.tag}: `,
          ),
          `“${this.letters.slice(span.start, span.end).join("")}”`,
        ),
      ),
    );
    this.help.classList.toggle("idle", !keyed);
    if (range) this.box.querySelector(".here")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} index */
  point(index) {
    this.anchor = index;
    this.at = index;
    this.seat.activate();
    this.paint(this.seat.value(), true);
  }

  /** @param {unknown} value */
  problem(value) {
    const { min, max } = this.criterion;
    const n = this.spans(value).length;
    if (value === undefined)
      return min ? t("Mark at least {min}.", { min }) : t("Mark passages, or press Enter for none.");
    if (min && n < min) return t("Mark at least {min}. You marked {n}.", { min, n });
    return max && n > max ? t("Mark at most {max}. You marked {n}.", { max, n }) : null;
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
    const to = this.where(event.key);
    if (to !== null) {
      if (to < 0) return false; // on to the criterion before or after
      this.at = to;
      if (!event.shiftKey) this.anchor = this.at;
      this.paint(this.seat.value(), true);
      return true;
    }
    if (event.key === "Backspace") {
      this.untag();
      return true;
    }
    if (event.key === "Enter") {
      const list = this.spans();
      if (this.problem(list)) this.seat.set(list, this.problem(list));
      else this.seat.done(list);
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

export { Spans as control };
