// What is drawn on an image: painted over it, and edited with the pointer or with keys alone.

import { el, keepFocus } from "../dom.js";
import { t } from "../words.js";
import { editorKey } from "./keys.js";
import { paintList } from "./list.js";
import { freeNumber, tidied } from "./places.js";
import { numbersBox } from "./points.js";
import { press } from "./stroke.js";
import { toneAt } from "./tones.js";

/** @import { Frame } from "../media/frame.js" */
/** @import { ImageFrame } from "../media/image.js" */
/** @import { MediaPane } from "../media/pane.js" */
/** @import { Limits, Mark, Option, Painted, Scalar, Shape } from "../types" */

/**
 * @typedef {object} Spec what is to be drawn
 * @property {Shape} shape
 * @property {Option[]} [options] the labels
 * @property {Limits} drawing its numbers
 * @property {number | null} [min]
 * @property {number | null} [max]
 * @property {string | null} [role] the role of the images; absent: the first one with images
 */

/**
 * @typedef {object} EditorHost
 * @property {MediaPane | undefined} media
 * @property {() => void} change
 * @property {() => boolean} done goes on to what comes next; whether anything does
 */

/** One list of boxes, points, arrows or masks that a person makes. */
export class MarksEditor {
  /**
   * @param {Spec} spec
   * @param {EditorHost} host
   */
  constructor(spec, host) {
    this.spec = spec;
    this.host = host;
    this.shape = spec.shape;
    this.limits = spec.drawing;
    this.labels = (spec.options || []).map(({ value, label }) => ({ value, label: label ?? String(value) }));
    /** @type {Scalar | undefined} */
    this.label = this.labels[0]?.value; // of the next box
    /** @type {Mark[]} */
    this.list = [];
    this.at = -1;
    this.sizing = false;
    this.open = false; // the chosen mask gets further points
    this.numbers = spec.shape.points ? numbersBox(this) : null;
    this.given = false; // whether anything, also nothing, was answered
    this.note = "";
    this.rows = el("ol", { class: "marklist" });
    this.bar = el("div", { class: "markbar" });
    this.hint = el("p", { class: "hint markhint" });
    this.live = el("span", { class: "unseen", role: "status", "aria-live": "polite" });
    const parts = [this.bar, this.rows, this.numbers ?? "", this.hint, this.live];
    this.root = el("div", { class: "marker", on: { focusin: () => this.attach(), mousedown: keepFocus } }, parts);
    this.repaint();
  }

  get media() {
    return this.host.media;
  }

  /** @returns {Mark[] | undefined} */
  value() {
    return this.given || this.list.length ? this.list.map((entry) => ({ ...entry })) : undefined;
  }

  /** @param {unknown} value */
  set(value) {
    this.list = Array.isArray(value) ? value.map((entry) => ({ ...entry })) : [];
    this.given = Array.isArray(value);
    this.at = -1;
    this.open = false;
    this.media?.drawers.add(this);
    this.repaint();
  }

  /**
   * What is wrong or missing, as a sentence.
   * @param {unknown} [value]
   */
  problem(value = this.value()) {
    const least = this.spec.min ?? 0;
    const count = Array.isArray(value) ? value.length : 0;
    if (count < least) {
      const noun = least === 1 ? this.shape.noun : this.shape.nouns;
      return t("Add at least {least} {noun}. You drew {count}.", { least, noun, count });
    }
    return value === undefined ? t("{ask}, or choose “nothing to mark”.", { ask: this.shape.ask }) : null;
  }

  /** Whether this could be left as it is. */
  get answered() {
    return (this.list.length > 0 || this.given) && !this.problem();
  }

  // ---- on the image

  attach() {
    if (this.attached || !this.media) return;
    this.media.editor?.detach();
    this.media.drawers.add(this);
    this.media.edit(this);
    this.repaint();
  }

  detach() {
    const { attached } = this;
    this.at = -1;
    this.sizing = this.open = false;
    if (attached) this.media?.edit(null);
    this.repaint();
  }

  get attached() {
    return this.media?.editor === this;
  }

  focus() {
    this.attach();
  }

  /** Something in it was pressed: keys go on with what is drawn, and not with a button or box that had the focus. */
  take() {
    this.attach();
    this.root.focus();
  }

  /**
   * Whether this is drawn on that frame.
   * @param {Frame} frame
   */
  covers({ asset }) {
    return asset.kind === "image" && !asset.missing && asset.role === (this.spec.role || this.media?.firstRole);
  }

  /**
   * The entries of one image, ready to paint.
   * @param {Frame} frame
   * @returns {Painted[]}
   */
  entriesOf(frame) {
    return this.list.flatMap((entry, index) =>
      (entry.image ?? 1) === frame.number ? [{ ...entry, ...this.look(entry, index === this.at) }] : [],
    );
  }

  /**
   * @param {Mark} entry
   * @param {boolean} chosen
   */
  look(entry, chosen) {
    const { tint } = this.limits;
    return { text: this.textOf(entry), tone: this.toneOf(entry), tint, chosen, open: chosen && this.open };
  }

  /** @param {Mark} entry */
  textOf(entry) {
    if (this.shape.numbered) return String(entry.number);
    return this.labels.find((label) => label.value === entry.label)?.label ?? String(entry.label ?? "");
  }

  /** @param {Mark} entry */
  toneOf(entry) {
    return toneAt(this.labels.findIndex((label) => label.value === entry.label));
  }

  // ---- changing

  full() {
    const most = this.spec.max ?? (this.shape.numbered ? this.limits.largest_number : Infinity);
    if (this.list.length < most) return false;
    this.say(t("You can add at most {most}.", { most }));
    return true;
  }

  /**
   * @param {Mark} entry
   * @param {Frame} frame
   * @returns {number} its place; -1 if no more fit
   */
  append(entry, frame) {
    if (this.full()) return -1;
    const extra = frame.number > 1 ? { image: frame.number } : {};
    const label = this.label === undefined ? {} : { label: this.label };
    const own = this.shape.numbered ? { number: freeNumber(this.list) } : label;
    this.list.push({ ...own, ...tidied(entry, this.limits), ...extra });
    this.at = this.list.length - 1;
    this.change();
    return this.at;
  }

  /**
   * @param {number} index
   * @param {Mark} entry
   */
  replace(index, entry) {
    this.list[index] = entry;
    this.change();
  }

  remove(index = this.at) {
    if (index < 0) return;
    this.list.splice(index, 1);
    this.at = Math.min(index, this.list.length - 1);
    this.open = false;
    this.change();
  }

  change() {
    this.given = true;
    this.repaint();
    this.host.change();
  }

  nothing() {
    this.list = [];
    this.at = -1;
    this.change();
  }

  /** @param {number} index -1: none */
  choose(index) {
    this.at = index;
    this.open = false;
    if (index < 0) this.sizing = false;
    const entry = this.list[index];
    if (entry) this.media?.showImage(this, entry.image ?? 1);
    this.repaint();
  }

  /** Arrows change the size of a box or where an arrow points, or move it again; a mask's points are typed. */
  resize() {
    this.sizing = Boolean(this.shape.turns) && !this.sizing;
    this.repaint();
    this.numbers?.focus();
  }

  /** @param {Scalar} value */
  name(value) {
    this.label = value;
    if (this.at >= 0) this.replace(this.at, { ...this.list[this.at], label: value });
    else this.repaint();
  }

  addAtMiddle() {
    const frame = this.media?.editable(this);
    if (!frame) {
      this.say(t("This item has no image to draw on."));
      return;
    }
    this.append(this.shape.made(frame.middle, this.limits.new_side / frame.view.scale), frame);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget | undefined} target
   */
  key(event, target) {
    return editorKey(this, event, target);
  }

  /**
   * A press on the image, in pixels of its frame.
   * @param {ImageFrame} frame
   * @param {number} px
   * @param {number} py
   */
  press(frame, px, py) {
    return press(this, frame, px, py);
  }

  // ---- what the form shows

  /** @param {string} text */
  say(text) {
    this.live.textContent = text;
    this.note = text;
    this.repaint();
    this.note = "";
  }

  repaint() {
    paintList(this);
    this.media?.repaint();
  }
}
