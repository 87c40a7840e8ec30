// The pictures and clips of the page Privacy: their boxes with a tick each, boxes that people draw, and what they decide. Each
// change goes to the server at once; nothing is covered before someone presses Cover.

import { ClipFigure } from "./covering/clip_figure.js";
import { Figure } from "./covering/figure.js";
import { el, fill } from "./dom.js";
import sheet from "./privacy.css" with { type: "css" };

/** @import { Mounted } from "./types" */
/** @import { PrivacyData } from "./privacy_types" */

/** @type {WeakMap<object, Pictures>} */
const shown = new WeakMap();

/** @param {Mounted<PrivacyData>} mounted */
export default function mount({ data, parentElement }) {
  const pictures = shown.get(parentElement) ?? new Pictures(parentElement);
  shown.set(parentElement, pictures);
  pictures.show(data);
  return () => {
    pictures.root.remove();
    shown.delete(parentElement);
  };
}

class Pictures {
  /** @param {HTMLElement & DocumentOrShadowRoot} parent */
  constructor(parent) {
    /** @type {PrivacyData | null} */
    this.data = null;
    /** @type {Map<string, Figure>} by address: a picture that is covered has another one */
    this.figures = new Map();
    this.said = el("p", { class: "said", role: "status" });
    this.kinds = el("fieldset", { class: "kinds" });
    this.grid = el("div", { class: "grid" });
    this.root = el("div", { class: "privacy" }, this.said, this.kinds, this.grid);
    parent.adoptedStyleSheets = [sheet];
    parent.append(this.root);
  }

  /** @param {PrivacyData} data */
  show(data) {
    this.data = data;
    if (!this.kinds.childElementCount) this.offer(data.kinds);
    const before = [...this.figures.keys()].join(" ");
    const kept = new Map(this.figures);
    this.figures.clear();
    for (const picture of data.pictures) {
      const figure = kept.get(picture.src) ?? new (picture.seconds === null ? Figure : ClipFigure)(this, picture);
      figure.update(picture);
      this.figures.set(picture.src, figure);
    }
    const now = [...this.figures.keys()].join(" ");
    if (now !== before) {
      fill(
        this.grid,
        [...this.figures.values()].map((figure) => figure.root),
      );
    }
    this.count();
  }

  /** @param {string[]} kinds */
  offer(kinds) {
    const choices = kinds.map((kind, at) =>
      el("label", {}, el("input", { type: "radio", name: "kind", value: kind, checked: at === 0 }), ` ${kind}`),
    );
    fill(this.kinds, el("legend", {}, "A box that you draw is a"), choices);
  }

  /** What the next box is that someone draws. */
  get kind() {
    const chosen = this.kinds.querySelector("input:checked");
    return chosen instanceof HTMLInputElement ? chosen.value : "other";
  }

  get csrf() {
    return this.data?.csrf ?? "";
  }

  get path() {
    return this.data?.path ?? "";
  }

  /** Progress of people, with what is said on this page. */
  count() {
    if (!this.data) return;
    const here = [...this.figures.values()].map((figure) => figure.picture);
    const open = this.data.open + here.filter((each) => !each.decided).length;
    const waiting = this.data.waiting + here.filter((each) => each.waits).length;
    const number = (/** @type {number} */ n) => n.toLocaleString("en");
    const words = `No person has looked at ${number(open)} of ${number(this.data.total)} ${this.data.clips ? "pictures and clips" : "pictures"}. Decided and not covered yet: ${number(waiting)}.`;
    if (this.said.textContent !== words) fill(this.said, words);
  }
}
