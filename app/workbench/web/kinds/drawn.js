// Boxes and numbered points: drawn on the item's image, listed here.

import { fill, same } from "../dom.js";
import { MarksEditor } from "../marks/editor.js";
import { inWords } from "../marks/tones.js";
import { t } from "../words.js";
import { listed } from "./picked_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Control, Criterion, FieldKind, KeyRow, Limits, Seat, Shape } from "../types" */

/** The keys that all shapes have. */
export const ALL = {
  /**
   * @param {Shape} shape
   * @returns {KeyRow[]}
   */
  begin: ({ noun, begin }) => [
    ["A", t("add a new {noun} at the center of the view, or {begin} on the image", { noun, begin })],
    ["Tab", t("next {noun}", { noun })],
    ["← ↑ → ↓", t("move the selected {noun}; with Shift, in small steps", { noun })],
  ],
  /** @type {KeyRow[]} */
  end: [
    ["Del", t("remove")],
    ["Enter", t("finish")],
    ["0", t("nothing to mark")],
  ],
};

/** @param {{ drawing?: Limits }} asked */
function limitsOf({ drawing }) {
  if (!drawing) throw new Error("the server says the numbers of what is drawn");
  return drawing;
}

/** @implements {Control} */
export class Drawn {
  static drawn = true;

  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   * @param {Shape} shape
   */
  constructor(criterion, seat, shape) {
    this.onTheWay = true;
    this.slots = 0;
    this.editor = new MarksEditor(
      { ...criterion, shape, drawing: limitsOf(criterion) },
      {
        media: seat.media,
        change: () => {
          seat.set(this.editor.value());
          seat.activate();
        },
        done: () => seat.onward(),
      },
    );
    this.root = this.editor.root;
  }

  /**
   * The pane listens to the criterion that is active, so that keys and pointer draw for it.
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    if (!same(value, this.editor.value())) this.editor.set(value);
    if (keyed) this.editor.attach();
    else this.editor.detach();
  }

  /** @param {unknown} value */
  problem(value) {
    return this.editor.problem(value);
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  // Its keys come before all others, by way of the pane.
  key() {
    return false;
  }

  focus() {
    return false;
  }

  /**
   * @param {unknown} value
   * @param {Criterion} criterion
   */
  static words(value, criterion) {
    return inWords(value, criterion.options);
  }
}

/** @implements {FieldKind} */
export class DrawnField {
  drawn = true;

  /**
   * @param {Shape} shape
   * @param {KeyRow[]} keys
   */
  constructor(shape, keys) {
    this.shape = shape;
    this.filled = shape.filled;
    this.keys = keys;
  }

  /**
   * Keys go to what is drawn while its block has the focus.
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    const { field } = part;
    const { options, min, max, role } = field;
    const editor = new MarksEditor(
      { shape: this.shape, drawing: limitsOf(field), options, min, max, role },
      {
        media: form.host.media,
        change: () => form.set(field, editor.value()),
        done: () => form.onward(editor.root),
      },
    );
    part.editor = editor;
    const value = form.values[field.name];
    if (Array.isArray(value)) editor.set(value);
    editor.root.tabIndex = 0;
    editor.root.dataset.stop = ""; // the focus stops here on its way through the form
    editor.root.setAttribute("role", "group");
    editor.root.setAttribute("aria-labelledby", `f-${field.name}`);
    fill(part.body, editor.root);
  }

  /** @param {Asked} asked */
  problem({ field, value, strict }) {
    const missing = strict ? this.shape.missing?.(listed(value)) : null;
    if (missing) return missing;
    return strict && field.min && listed(value).length < field.min
      ? t("Add at least {min}.", { min: field.min })
      : null;
  }
}
