// Spans of time as a field of an item: the same control as for raters, on an author's form.

import { fill } from "../dom.js";
import { inWords } from "./span_words.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Field, FieldKind, KeyRow } from "../types" */
/** @import { Span } from "./span_words.js" */
/** @import { TimeSpan } from "./time_span.js" */

/** @implements {FieldKind} */
export class TimeSpanField {
  /**
   * @param {typeof TimeSpan} Control
   * @param {KeyRow[]} keys
   * @param {string[]} takes
   */
  constructor(Control, keys, takes) {
    this.Control = Control;
    this.keys = keys;
    this.takes = takes;
    /** @type {WeakMap<Part, TimeSpan>} */
    this.made = new WeakMap();
  }

  /**
   * Keys go to the spans while their block has the focus.
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    const { field } = part;
    const { media } = form.host;
    if (!media) throw new Error("a span of time needs a clip");
    const value = () => form.values[field.name];
    const keyed = () => media.editor === control;
    const repaint = () => control.paint(value(), keyed());
    const control = new this.Control(field, {
      id: `f-${field.name}`,
      media,
      value,
      text: () => "",
      plan: [],
      set: (now, said) => {
        form.set(field, now);
        if (said) form.errors[field.name] = said;
        if (said) form.paint(field);
        repaint();
      },
      done: () => form.onward(control.root),
      onward: () => form.onward(control.root),
      activate: () => control.root.focus(),
    });
    const { root } = control;
    root.tabIndex = 0;
    root.dataset.stop = ""; // the focus stops here on its way through the form
    root.addEventListener("focusin", () => control.paint(value(), true));
    root.addEventListener("focusout", () => control.paint(value(), false));
    part.editor = control;
    this.made.set(part, control);
    repaint();
    fill(part.body, root);
  }

  /** @param {Asked} asked */
  problem({ part, strict, value }) {
    return strict ? (this.made.get(part)?.problem(value) ?? null) : null;
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  told(field, value) {
    if (!Array.isArray(value)) return value;
    const told = value.map((/** @type {Span} */ span) => inWords(span, field));
    return told.length === 1 ? told[0] : told;
  }
}
