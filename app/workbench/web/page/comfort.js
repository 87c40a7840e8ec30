// What each person sets for their own eyes, kept in this browser: how the width is shared between media and form, in each
// stage, and how large the text of the form and the guideline is.

import { el, keepFocus, same } from "../dom.js";
import { within } from "../geometry.js";
import { read, write } from "../storage.js";
import { t } from "../words.js";

/** @import { Size } from "../types" */
/** @import { Bench } from "./bench.js" */

const SHARES = "touchstone.split";
const TEXT = "touchstone.text";
const LEAST = 25; // percent of the width for the media
const MOST = 80;
const STEP = 2;
const NARROWEST = 320; // pixels that the form keeps
const SIZES = [90, 100, 115, 130, 150]; // percent

/** The bar between media and form: dragged, or moved with the arrow keys while it has the focus. */
export class Split {
  /**
   * @param {HTMLElement} media
   * @param {HTMLElement} form
   */
  constructor(media, form) {
    this.media = media;
    this.form = form;
    this.stage = "";
    this.bar = el("div", {
      class: "bar",
      role: "separator",
      tabindex: "0",
      title: t("Drag to resize. Double-click to reset."),
      "aria-orientation": "vertical",
      "aria-label": t("Media width"),
      "aria-valuemin": String(LEAST),
      "aria-valuemax": String(MOST),
      "aria-valuenow": "50",
    });
    this.bar.addEventListener("mousedown", keepFocus);
    this.bar.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.bar.setPointerCapture(event.pointerId);
    });
    this.bar.addEventListener("pointermove", (event) => {
      if (this.bar.hasPointerCapture(event.pointerId)) this.dragTo(event.clientX);
    });
    this.bar.addEventListener("lostpointercapture", () => this.keep());
    this.bar.addEventListener("dblclick", () => this.reset());
    this.watcher = new ResizeObserver(() => this.tell());
    this.watcher.observe(media);
  }

  stop() {
    this.watcher.disconnect();
  }

  /** @param {string} stage each has a width of its own, as what it asks for takes more or less room */
  open(stage) {
    if (stage === this.stage) return;
    this.stage = stage;
    const share = read(SHARES)?.[stage];
    this.set(typeof share === "number" && share > 0 ? within(share, LEAST, MOST) : null);
  }

  get body() {
    return this.bar.parentElement;
  }

  /** What both have together, in pixels. */
  get room() {
    return this.form.getBoundingClientRect().right - this.media.getBoundingClientRect().left;
  }

  /** The media's part of it as it is now, in percent. */
  get now() {
    return (100 * this.media.getBoundingClientRect().width) / (this.room || 1);
  }

  /** @param {number | null} share percent for the media; null is as the page has it by itself */
  set(share) {
    this.share = share;
    this.body?.classList.toggle("own", share !== null);
    this.body?.style.setProperty("--media", `${share ?? 0}fr`);
    this.body?.style.setProperty("--rest", `${100 - (share ?? 0)}fr`);
    this.tell();
  }

  /** @param {number} percent */
  move(percent) {
    const most = Math.min(MOST, 100 - (100 * NARROWEST) / (this.room || 1));
    this.set(Math.round(10 * within(percent, LEAST, Math.max(LEAST, most))) / 10);
  }

  /** @param {number} x */
  dragTo(x) {
    this.move((100 * (x - this.media.getBoundingClientRect().left)) / (this.room || 1));
  }

  reset() {
    this.set(null);
    this.keep();
  }

  keep() {
    write(SHARES, { ...read(SHARES), [this.stage]: this.share ?? undefined });
  }

  tell() {
    if (!this.media.isConnected || !this.media.offsetWidth) return;
    const now = Math.round(within(this.now, LEAST, MOST));
    this.bar.setAttribute("aria-valuenow", String(now));
    this.bar.setAttribute("aria-valuetext", t("media width {now} %", { now }));
  }

  /**
   * While the bar has the focus.
   * @param {KeyboardEvent} event
   */
  key(event) {
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.move(this.now - STEP),
      ArrowRight: () => this.move(this.now + STEP),
      Home: () => this.move(LEAST),
      End: () => this.move(MOST),
      Enter: () => this.set(null),
    };
    const action = keys[event.key];
    if (!action) return false;
    action();
    this.keep();
    return true;
  }
}

export class TextSize {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    const kept = read(TEXT);
    this.size = SIZES.includes(kept) ? kept : 100;
    this.apply();
  }

  apply() {
    this.root.style.setProperty("--letters", String(this.size / 100));
  }

  /**
   * The next size, larger or smaller; behind the last comes the first.
   * @param {boolean} smaller
   * @returns {string} what is said of it
   */
  next(smaller) {
    const at = SIZES.indexOf(this.size) + (smaller ? -1 : 1);
    this.size = SIZES[(at + SIZES.length) % SIZES.length];
    write(TEXT, this.size);
    this.apply();
    return t("text size {size} %", { size: this.size });
  }
}

/**
 * Keep the active criterion in sight when the window becomes smaller.
 * @param {Bench} bench
 */
export function watchRoom({ forms, side }) {
  /** @type {Size | undefined} */
  let before;
  const room = new ResizeObserver(([entry]) => {
    const { width, height } = entry.contentRect;
    const changed = before?.height && height && !same(before, { width, height });
    before = { width, height };
    if (changed && forms.current === forms.rating) forms.rating.keepInSight();
  });
  room.observe(side.scroll);
  return room;
}
