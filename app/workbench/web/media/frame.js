// The place of one image or clip, or of one that is missing, and where it lies there.

import { el } from "../dom.js";
import { place } from "../geometry.js";
import { t } from "../words.js";
import { isStorageAway } from "./sources.js";

/** @import { Asset, Rect, Size } from "../types" */
/** @import { MediaPane } from "./pane.js" */

const UNKNOWN_RATIO = 4 / 3;

export class Frame {
  /**
   * @param {Asset} asset
   * @param {number} index
   * @param {number} number counts the images of its role from 1
   * @param {MediaPane} pane
   */
  constructor(asset, index, number, pane) {
    this.asset = asset;
    this.index = index;
    this.number = number;
    this.pane = pane;
    /** @type {HTMLElement | null} */
    this.box = null;
    this.root = el("figure", { class: `frame ${asset.kind}` });
  }

  /**
   * In place of what cannot be shown.
   * @param {string} title
   * @param {string} words
   * @param {string} [url] the address of a file that did not load: if its storage is away, the words say so
   */
  absent(title, words, url) {
    this.root.classList.add("missing");
    const why = el("span", {}, words);
    if (url) this.tellStorageAway(url, why);
    return el("div", { class: "absent" }, el("strong", {}, title), why);
  }

  /**
   * @param {string} url
   * @param {HTMLElement} why
   */
  async tellStorageAway(url, why) {
    if (!(await isStorageAway(url))) return;
    why.textContent = t(
      "The storage of images and clips does not answer. Your work is kept. Open the item again in a minute.",
    );
  }

  /** Width through height, as the browser has it; null while it is not known. */
  get seen() {
    return /** @type {number | null} */ (null);
  }

  get ratio() {
    const { width, height } = this.asset;
    return width && height ? width / height : (this.seen ?? UNKNOWN_RATIO);
  }

  /** @returns {Size} */
  get size() {
    return { width: this.box?.clientWidth || 1, height: this.box?.clientHeight || 1 };
  }

  get view() {
    return this.pane.view;
  }

  /** @returns {Rect & { x: number, y: number }} */
  get rect() {
    const { width, height } = this.size;
    return place(width, height, this.ratio, this.pane.view);
  }

  /** The point of the image in the middle of what is seen. */
  get middle() {
    return { x: this.rect.x, y: this.rect.y };
  }

  /** Whether it can be enlarged. */
  get zoomable() {
    return false;
  }

  /** The view has changed, or the room for it. */
  apply() {}

  /** Another frame is looked at now. */
  rest() {
    const { pane } = this;
    if (!pane.together && pane.zoomed && !pane.editor?.press) pane.view = { scale: 1, x: 0.5, y: 0.5 };
  }

  /** This one is looked at now. */
  wake() {}

  /** The item is left. */
  stop() {}
}

/** What is not there yet. */
export class MissingFrame extends Frame {
  /**
   * @param {Asset} asset
   * @param {number} index
   * @param {number} number
   * @param {MediaPane} pane
   */
  constructor(asset, index, number, pane) {
    super(asset, index, number, pane);
    const what = asset.kind === "clip" ? "clip" : "image";
    const title = asset.kind === "clip" ? t("Clip missing") : t("Image missing");
    const words = this.absent(title, t("This item's {what} has not been added yet.", { what }));
    words.setAttribute("role", "img");
    words.setAttribute("aria-label", t("Missing"));
    this.root.append(words);
  }
}
