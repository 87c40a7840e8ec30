// A sheet over the page: the list of keys, or a question.

import { el, fill, focusedNear, key } from "../dom.js";
import { t } from "../words.js";

/** @import { Child } from "../types" */

export class Overlay {
  /**
   * `behind` lists what is out of reach while the overlay is open.
   * @param {HTMLElement[]} behind
   */
  constructor(behind) {
    this.behind = behind;
    /** @type {HTMLElement | null} */
    this.before = null; // what had the focus
    /** @type {((event: KeyboardEvent) => boolean) | null} */
    this.capture = null; // takes keys before the sheet does; true when one was used
    this.root = el("div", { class: "layer", hidden: true });
    this.root.addEventListener("click", (event) => {
      if (event.target === this.root) this.close();
    });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /**
   * @param {string} title
   * @param {Child} content
   */
  open(title, content) {
    this.capture = null;
    if (!this.isOpen) this.before = focusedNear(this.root);
    const sheet = el(
      "div",
      { class: "sheet", role: "dialog", "aria-modal": "true", "aria-labelledby": "layer", tabindex: "-1" },
      el("h2", { id: "layer" }, title),
      content,
      el(
        "p",
        {},
        el(
          "button",
          { type: "button", class: "small", on: { click: () => this.close() } },
          key("Esc"),
          ` ${t("close")}`,
        ),
      ),
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
    if (this.capture?.(event)) return true;
    const closes = event.key === "Escape" || event.key === "?";
    if (closes) this.close();
    return closes;
  }
}
