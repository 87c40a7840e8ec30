// The left side: images with zoom and pan, clips with exact steps, several side by side, marks over them, and an honest
// place for what is missing.

import { el, fill, key } from "../dom.js";
import { columns, place, zoomed } from "../geometry.js";
import { t } from "../words.js";
import { ClipFrame } from "./clip.js";
import { MissingFrame } from "./frame.js";
import { ImageFrame, LARGEST } from "./image.js";
import { paneKey } from "./keys.js";
import { mediaUrl } from "./sources.js";

/** @import { MarksEditor } from "../marks/editor.js" */
/** @import { Asset, Drawer, Editor, Shown, View } from "../types" */
/** @import { Frame } from "./frame.js" */

const GAP = 8;
const GRID_UP_TO = 2; // so many stand side by side unless someone wants it otherwise
/** @type {Map<number, boolean>} */
const layouts = new Map(); // what someone chose, by number of images
/** @type {View} */
const WHOLE = { scale: 1, x: 0.5, y: 0.5 };

export class MediaPane {
  constructor() {
    this.root = el("section", { class: "media", "aria-label": t("Media of this item") });
    /** @type {Frame[]} */
    this.frames = [];
    /** @type {Asset[]} */
    this.assets = [];
    this.active = 0;
    this.together = false; // side by side
    this.stage = el("div", { class: "stage" });
    /** @type {HTMLElement[]} */
    this.thumbs = [];
    /** @type {HTMLElement | null} */
    this.layout = null; // the button that changes it
    /** @type {Editor | null} */
    this.editor = null; // what keys and pointer go to first: what is being drawn, or timed
    /** @type {Set<Drawer>} */
    this.drawers = new Set(); // all that is drawn on these images
    /** @type {Shown[]} */
    this.shown = [];
    this.view = WHOLE;
    this.watcher = new ResizeObserver(() => this.arrange());
    this.watcher.observe(this.root);
  }

  /**
   * @param {Asset[]} assets
   * @param {string | null} note said where there are none
   * @param {Shown[]} marked what the item itself has drawn on its images
   */
  show(assets, note, marked = []) {
    this.stopAll();
    this.assets = assets;
    this.active = 0;
    this.forget();
    this.shown = marked;
    this.view = WHOLE;
    const counts = new Map();
    this.frames = assets.map((asset, index) => {
      counts.set(asset.role, (counts.get(asset.role) || 0) + 1);
      return frameOf(asset, index, counts.get(asset.role), assets.length, this);
    });
    if (!assets.length) {
      fill(this.root, el("p", { class: "absent" }, note || t("This item has no image.")));
      return;
    }
    const clip = assets.length <= 2 * GRID_UP_TO && assets.some((asset) => asset.kind === "clip"); // its stills stay next to it
    this.together = layouts.get(assets.length) ?? (clip || assets.length <= GRID_UP_TO);
    this.build();
    this.go(0);
  }

  build() {
    const { assets } = this;
    this.stage = el("div", { class: this.together ? `stage together n${assets.length}` : "stage" });
    fill(this.root, this.stage);
    this.thumbs = this.together ? [] : assets.map((asset, index) => this.thumb(asset, index));
    if (this.together) this.stage.append(...this.frames.map((frame) => frame.root));
    else {
      const label = t("Images of this item");
      this.root.append(el("div", { class: "strip", role: "tablist", "aria-label": label }, this.thumbs));
    }
    this.layout = assets.length > 1 ? this.layoutButton() : null;
    if (this.layout) this.stage.append(this.layout);
    this.arrange();
  }

  /**
   * @param {Asset} asset
   * @param {number} index
   */
  thumb(asset, index) {
    const label = t("Image {n}: {title}", { n: index + 1, title: asset.alt ?? asset.title });
    const several = this.assets.some(({ role }) => role !== asset.role);
    return el(
      "button",
      { type: "button", role: "tab", class: "thumb", "aria-label": label, on: { click: () => this.go(index) } },
      asset.missing
        ? el("span", { class: "noimg" }, t("missing"))
        : el("img", { src: mediaUrl(asset.id, "thumb"), alt: "" }),
      el("span", { class: "num" }, index + 1),
      several ? el("span", { class: "role" }, asset.title) : null,
    );
  }

  layoutButton() {
    return el(
      "button",
      { type: "button", class: "small layout", tabindex: "-1", on: { click: () => this.relayout() } },
      key("I"),
      this.together ? ` ${t("one at a time")}` : ` ${t("side by side")}`,
    );
  }

  /** All side by side, or one with a film strip; kept for items with as many. */
  relayout() {
    this.together = !this.together;
    layouts.set(this.assets.length, this.together);
    const playing = this.frames.filter((frame) => frame instanceof ClipFrame && !frame.video.paused);
    this.build();
    this.go(this.active);
    for (const frame of playing) if (frame instanceof ClipFrame && frame.root.isConnected) frame.start();
  }

  arrange() {
    if (!this.frames.length) return;
    if (this.together) {
      const box = this.stage.getBoundingClientRect();
      const many = box.width ? columns(this.frames.length, box.width, box.height, this.frames[0].ratio, GAP) : 1;
      this.stage.style.gridTemplateColumns = `repeat(${many}, minmax(0, 1fr))`;
      this.stage.style.gridTemplateRows = `repeat(${Math.ceil(this.frames.length / many)}, minmax(0, 1fr))`;
    }
    this.repaint();
  }

  /** @param {number} index */
  go(index) {
    if (index < 0 || index >= this.frames.length) return;
    if (index !== this.active) this.frames[this.active].rest();
    this.active = index;
    if (!this.together) {
      fill(this.stage, this.frames[index].root, this.layout);
      this.thumbs.forEach((thumb, at) => {
        thumb.setAttribute("aria-selected", String(at === index));
      });
      this.thumbs[index].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.frames.forEach((frame, at) => {
      frame.root.classList.toggle("active", at === index && this.frames.length > 1);
    });
    this.frames[index].wake();
    this.arrange();
  }

  /**
   * The one that is looked at; none where the item has no media.
   * @returns {Frame | undefined}
   */
  get frame() {
    return this.frames[this.active];
  }

  get zoomed() {
    return this.view.scale > 1;
  }

  get firstRole() {
    return this.assets.find((asset) => asset.kind === "image")?.role;
  }

  // ---- zoom and pan: one view for all images, so that they are looked at in the same place

  /**
   * With (px, py) of that frame staying where it is; without them the middle does.
   * @param {number} scale
   * @param {Frame} [frame]
   * @param {number} [px]
   * @param {number} [py]
   */
  zoomTo(scale, frame = this.frame, px, py) {
    if (!frame?.zoomable) return;
    const next = Math.min(LARGEST, Math.max(1, scale));
    const { width, height } = frame.size;
    this.view = next === 1 ? WHOLE : zoomed(width, height, frame.ratio, this.view, next, px, py);
    const visible = this.together ? this.frames : [this.frame];
    if (next > 1) for (const other of visible) if (other instanceof ImageFrame) other.sharpen();
    this.repaint();
  }

  /**
   * @param {number} dx
   * @param {number} dy
   * @param {Frame} [frame]
   */
  pan(dx, dy, frame = this.frame) {
    if (!frame) return;
    const { rect } = frame;
    const { width, height } = frame.size;
    const { scale } = this.view;
    const wanted = { scale, x: rect.x - dx / rect.width, y: rect.y - dy / rect.height };
    const { x, y } = place(width, height, frame.ratio, wanted);
    this.view = { scale, x, y };
    this.repaint();
  }

  /**
   * @param {Frame} [frame]
   * @param {number} [px]
   * @param {number} [py]
   */
  toggle(frame = this.frame, px, py) {
    if (this.zoomed) this.zoomTo(1, frame, px, py);
    else if (frame instanceof ImageFrame) this.zoomTo(frame.full, frame, px, py);
  }

  repaint() {
    for (const frame of this.frames) frame.apply();
  }

  // ---- marks

  /** Nothing is drawn here any more. */
  forget() {
    this.drawers.clear();
    this.edit(null);
  }

  /** @param {Editor | null} editor */
  edit(editor) {
    this.editor = editor;
    this.root.classList.toggle("editing", Boolean(editor?.press));
    this.root.dataset.taken = (editor?.takes ?? []).join(" "); // their names are not shown here meanwhile
    if (editor && this.frame && !editor.covers(this.frame)) {
      const first = this.frames.find((frame) => editor.covers(frame));
      if (first) this.go(first.index);
    }
    this.repaint();
  }

  /**
   * The image on which an editor draws now.
   * @param {MarksEditor} editor
   */
  editable(editor) {
    if (this.frame && editor.covers(this.frame)) return this.frame;
    return this.frames.find((frame) => editor.covers(frame));
  }

  /**
   * @param {MarksEditor} editor
   * @param {number} number
   */
  showImage(editor, number) {
    const frame = this.frames.find((candidate) => editor.covers(candidate) && candidate.number === number);
    if (frame && frame.index !== this.active) this.go(frame.index);
  }

  // ---- keys; true when one was used

  /**
   * Keys for what is being drawn; they come before all others.
   * @param {KeyboardEvent} event
   * @param {EventTarget | undefined} target
   */
  editKey(event, target) {
    return Boolean(this.editor?.key(event, target));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return paneKey(this, event.key);
  }

  stopAll() {
    for (const frame of this.frames) frame.stop();
  }
}

/**
 * @param {Asset} asset
 * @param {number} index
 * @param {number} number
 * @param {number} count how many the item has
 * @param {MediaPane} pane
 * @returns {Frame}
 */
function frameOf(asset, index, number, count, pane) {
  const Kind = asset.missing ? MissingFrame : asset.kind === "clip" ? ClipFrame : ImageFrame;
  const frame = new Kind(asset, index, number, pane);
  if (count > 1) frame.root.append(el("figcaption", {}, `${index + 1} · ${asset.title}`));
  return frame;
}
