// Over the page: the list of keys.

import { el, fill, focusedNear, key } from "../dom.js";

/** @import { Child, KeyRow as Row } from "../types" */

export class Overlay {
  /**
   * `behind` lists what is out of reach while the overlay is open.
   * @param {HTMLElement[]} behind
   */
  constructor(behind) {
    this.behind = behind;
    /** @type {HTMLElement | null} */
    this.before = null; // what had the focus
    this.root = el("div", { class: "layer", hidden: true });
    this.root.addEventListener("click", (event) => {
      if (event.target === this.root) this.close();
    });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** @param {Row[]} rows */
  keys(rows) {
    const row = (/** @type {Row} */ [names, what]) =>
      el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          names.split(" ").map((name) => key(name)),
        ),
        el("td", {}, what),
      );
    const table = (/** @type {Row[]} */ part) => el("table", {}, el("tbody", {}, part.map(row)));
    const half = rows.length > 16 ? Math.ceil(rows.length / 2) : rows.length;
    this.open(
      "Keys",
      el("div", { class: "keylist" }, table(rows.slice(0, half)), half < rows.length ? table(rows.slice(half)) : null),
    );
  }

  /**
   * @param {string} title
   * @param {Child} content
   */
  open(title, content) {
    if (!this.isOpen) this.before = focusedNear(this.root);
    const sheet = el(
      "div",
      { class: "sheet", role: "dialog", "aria-modal": "true", "aria-labelledby": "layer", tabindex: "-1" },
      el("h2", { id: "layer" }, title),
      content,
      el("p", { class: "quiet" }, key("Esc"), " close"),
    );
    fill(this.root, sheet);
    this.root.hidden = false;
    for (const part of this.behind) part.inert = true;
    sheet.focus();
  }

  close() {
    this.root.hidden = true;
    fill(this.root);
    for (const part of this.behind) part.inert = false;
    if (this.before?.isConnected) this.before.focus({ preventScroll: true });
  }

  /**
   * True when the key was used; while the overlay is open no key goes further.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const closes = event.key === "Escape" || event.key === "?";
    if (closes) this.close();
    return closes;
  }
}

/**
 * What the keys do on a page, as rows of names and meaning.
 * @param {string} view
 * @param {string} stage
 * @param {Row[]} own the keys of what is asked on it
 * @param {string[]} taken the keys that some of that takes from the media while it is active
 * @param {Row[]} parts the keys of what extensions add below the form
 * @returns {Row[]}
 */
export function keyRows(view, stage, own = [], taken = [], parts = []) {
  const writing = stage === "authoring";
  const otherwise = (/** @type {string} */ name) => (taken.includes(name) ? ", while no span of time is set" : "");
  /** @type {Row[]} */
  const rows = [];
  if (view === "pool")
    rows.push(
      ["← ↑ → ↓", "move in the grid"],
      ["Enter", "write about this image"],
      ["PgUp PgDn", "pages"],
      ["1 … 9", "dimension"],
    );
  if (view === "task") {
    if (writing)
      rows.push(
        ["Enter", "next field"],
        ["Tab", "next field or choice"],
        ["Esc", "leave the box; then the keys below work"],
        ["1 … 9", "the option with that number"],
      );
    else
      rows.push(
        ["1 … 9", "the choice with that number"],
        ["↑ ↓", "to the criterion above or below"],
        ["Esc", "back from the reasons, out of a box"],
      );
    rows.push(
      ["Ctrl Enter", "submit, from anywhere"],
      ["Z", "larger and back, all images together; arrows move, + − zoom"],
      ["← →", "image before, image after ( [ ] while enlarged )"],
      ["I", `images side by side, or one at a time${otherwise("I")}`],
      [", .", "exactly one frame back, one frame on"],
      ["Home End", "first frame, last frame"],
      ["Space", "play, pause"],
      ["< >", "slower, faster"],
      ["O", `loop, or stop at the end${otherwise("O")}`],
    );
    rows.push(...own);
  }
  rows.push(["G", "guideline"]);
  if (stage !== "adjudication") rows.push(["U", "edit your last answer"]);
  if (view === "task") rows.push(["N", "note"], ...parts);
  if (view === "task" && stage === "adjudication") rows.push(["H", "the item's whole history"]);
  if (view === "task" && !writing)
    rows.push(["L", "later: it stays yours for half an hour and comes again after the rest"]);
  if (view === "task")
    rows.push([
      "B",
      writing ? "give the image back; your text is kept" : "give back: others get it at once; your text is kept",
    ]);
  if (view === "task") rows.push(["Tab", "to the bar between media and form; ← → move it, Enter puts it back"]);
  rows.push(["T", "larger text; with Shift smaller"], ["M", "menu"], ["?", "this list"]);
  return rows;
}
