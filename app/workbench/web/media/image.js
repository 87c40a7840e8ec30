// An image: enlarged and moved with the pointer, sharp where its original has more to show, with marks over it.

import { el, key, part } from "../dom.js";
import { fit } from "../geometry.js";
import { layer, paint } from "../marks/paint.js";
import { paintedOf } from "../marks/tones.js";
import { t } from "../words.js";
import { Frame } from "./frame.js";
import { listenToPointer } from "./pointer.js";
import { isFetched, mediaUrl } from "./sources.js";

/** @import { Asset, Painted, Rect, Shown, Size } from "../types" */
/** @import { MediaPane } from "./pane.js" */

const DISPLAY_SIDE = 1600; // the store's own copies are at most so long
export const LARGEST = 12;

export class ImageFrame extends Frame {
  /**
   * @param {Asset} asset
   * @param {number} index
   * @param {number} number
   * @param {MediaPane} pane
   */
  constructor(asset, index, number, pane) {
    super(asset, index, number, pane);
    /** @type {HTMLImageElement | null} */
    this.original = null;
    this.image = el("img", {
      class: "view waiting",
      alt: asset.alt ?? t("{title} of this item", { title: asset.title }),
      draggable: "false",
    });
    this.image.addEventListener("load", () => {
      this.image.classList.remove("waiting");
      this.apply();
    });
    this.image.addEventListener("error", () =>
      this.image.replaceWith(
        this.absent(
          t("Image not loaded"),
          t("The image did not load. Open the item again to retry."),
          mediaUrl(asset.id, "display"),
        ),
      ),
    );
    this.image.src = mediaUrl(asset.id, "display");
    if (isFetched(asset.id)) this.image.classList.remove("waiting");
    this.marks = layer();
    this.box = el("div", { class: "viewport" }, this.image, this.marks);
    this.badge = el(
      "div",
      { class: "zoombar", hidden: true },
      el("span", { class: "factor" }),
      key("+"),
      key("−"),
      ` ${t("zoom")}  `,
      key("Z"),
      ` ${t("back")}`,
    );
    this.root.append(this.box, this.badge);
    listenToPointer(this, this.box);
  }

  get zoomable() {
    return this.image.isConnected;
  }

  get seen() {
    const { naturalWidth, naturalHeight } = this.image;
    return naturalWidth && naturalHeight ? naturalWidth / naturalHeight : null;
  }

  /** The size at which one pixel of the original is one pixel of the screen, relative to the fitted size. */
  get full() {
    const { width, height } = this.size;
    const wide = this.asset.width || this.image.naturalWidth;
    const scale = wide / fit(width, height, this.ratio).width / (window.devicePixelRatio || 1);
    return Math.min(LARGEST, Math.max(1.5, scale));
  }

  /** The original in place of the copy, where it has more to show. One that is stored on its side stays away. */
  sharpen() {
    const { width, height, id } = this.asset;
    if (this.original || Math.max(width || 0, height || 0) <= DISPLAY_SIDE) return;
    const original = new Image();
    this.original = original;
    original.src = mediaUrl(id, "original");
    original
      .decode()
      .then(() => {
        const ratio = original.naturalWidth / original.naturalHeight;
        if (Math.abs(ratio / this.ratio - 1) < 0.02) this.image.src = original.src;
      })
      .catch(() => {});
  }

  apply() {
    if (!this.root.isConnected) return;
    const { rect, size } = this;
    const { scale } = this.pane.view;
    const enlarged = scale > 1;
    this.root.classList.toggle("zoomed", enlarged);
    this.badge.hidden = !enlarged || this.pane.frame !== this;
    const x = rect.left + rect.width / 2 - size.width / 2;
    const y = rect.top + rect.height / 2 - size.height / 2;
    this.image.style.transform = enlarged ? `translate(${x}px, ${y}px) scale(${scale})` : "";
    const original = this.asset.width || this.image.naturalWidth || rect.width;
    const factor = Math.round((100 * rect.width * (window.devicePixelRatio || 1)) / original);
    part(this.badge, ".factor").textContent = `${factor} %  `;
    this.paintMarks(rect, size);
  }

  /**
   * @param {Rect} rect
   * @param {Size} size
   */
  paintMarks(rect, size) {
    const { editor, drawers, shown, firstRole } = this.pane;
    const entries = shown
      .filter(({ role }) => (role || firstRole) === this.asset.role)
      .flatMap((one) => this.marksOf(one));
    for (const drawer of drawers) {
      const asked = drawer.root.getClientRects().length > 0; // what the form hides is not drawn either
      if (drawer !== editor && asked && drawer.covers(this)) entries.push(...drawer.entriesOf(this));
    }
    if (editor?.covers(this)) entries.push(...(editor.entriesOf?.(this) ?? []));
    paint(this.marks, entries, rect, size);
  }

  /**
   * What an item's field or a vote shows on this image.
   * @param {Shown} shown
   * @returns {Painted[]}
   */
  marksOf({ value, options, tone, tint, filled, cover, prefix = "" }) {
    return paintedOf(value, options, tone)
      .filter((entry) => (entry.image ?? 1) === this.number)
      .map((entry) => ({ ...entry, tint, filled, cover, text: `${prefix} ${entry.text}`.trim() }));
  }
}
