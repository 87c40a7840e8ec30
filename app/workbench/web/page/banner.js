// The one line below the top on which the page says what went wrong, or what someone else did.

import { el, fill, key } from "../dom.js";
import { t } from "../words.js";

/** @import { Child } from "../types" */

export class Banner {
  constructor() {
    this.root = el("div", { class: "banner", role: "alert", hidden: true });
    this.root.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest(".close")) this.hide();
    });
  }

  get isShown() {
    return !this.root.hidden;
  }

  /**
   * @param {string} kind classes: "bad" or "plain", and "gone" or "lease" for what takes itself back
   * @param {string} text
   * @param {...Child} more
   */
  show(kind, text, ...more) {
    this.root.className = `banner ${kind}`;
    fill(this.root, el("span", {}, text), more);
    this.root.hidden = false;
  }

  hide() {
    this.root.hidden = true;
  }

  /** @param {string} kind */
  is(kind) {
    return this.root.classList.contains(kind);
  }
}

/** What closes a line that asks for nothing. */
export const closeHint = () => el("button", { type: "button", class: "small close" }, key("Esc"), ` ${t("close")}`);

/**
 * What leaves an item that cannot be submitted any more.
 * @param {() => void} press
 */
export const continueButton = (press) =>
  el("button", { type: "button", class: "small", on: { click: press } }, key("Enter"), ` ${t("continue")}`);
