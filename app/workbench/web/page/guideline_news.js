// A calm line that says that the guideline has changed, until it has been opened.

import { el, fill, key } from "../dom.js";
import { t, tn } from "../words.js";

/** @import { GuidelineNews as Told } from "../types" */

export class GuidelineNews {
  /**
   * @param {() => unknown} open
   * @param {(number: number) => void} read
   */
  constructor(open, read) {
    this.open = open;
    this.read = read;
    this.root = el("div", { class: "news", role: "status", hidden: true });
    /** @type {Told | null} */
    this.told = null; // what has been opened
    /** @type {Told | null} */
    this.waiting = null;
  }

  /** @param {Told | null} news */
  show(news) {
    this.waiting = news && !(this.told && this.told.number === news.number) ? news : null;
    this.root.hidden = !this.waiting;
    if (!news || !this.waiting) return;
    const count = (/** @type {string} */ sign) =>
      news.changes.filter(([each, text]) => each === sign && text.trim()).length;
    const [added, gone] = [count("+"), count("-")];
    const sizes = [
      added ? tn("{n} line added", "{n} lines added", added) : null,
      gone ? tn("{n} line removed", "{n} lines removed", gone) : null,
    ];
    fill(
      this.root,
      el("strong", {}, t("The guideline has changed.")),
      el("span", { class: "newswhy" }, news.why),
      el("span", { class: "quiet" }, sizes.filter(Boolean).join(", ")),
      el("button", { type: "button", class: "small", on: { click: () => this.open() } }, key("G"), ` ${t("open it")}`),
    );
  }

  /** The guideline is open: the line has done its work. */
  opened() {
    if (!this.waiting) return;
    this.told = this.waiting;
    this.waiting = null;
    this.root.hidden = true;
    this.read(this.told.number);
  }
}
