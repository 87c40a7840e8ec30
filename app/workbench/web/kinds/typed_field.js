// What fields have in common that are typed into one box.

import { el, fill } from "../dom.js";
import { t } from "../words.js";
import { pickedText } from "./formed.js";
import { fitHeight } from "./keys.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Field, FieldKind } from "../types" */

/** @implements {FieldKind} */
export class Typed {
  /**
   * @param {{ rows: number, many?: boolean }} box how high it is at first; `many`: Enter begins a line in it
   */
  constructor({ rows, many = false }) {
    this.rows = rows;
    this.many = many;
  }

  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    const { field } = part;
    const area = areaOf(form, field, written(form.values[field.name]), this.rows, (typed) => {
      form.values[field.name] = typed;
    });
    area.dataset.line = this.many ? "many" : "one";
    part.boxes.push(area);
    fill(part.body, area);
  }

  /**
   * @param {Asked} _asked
   * @returns {string | null}
   */
  problem(_asked) {
    return null;
  }
}

/** Text, which may be bounded and looks like others. */
export class Written extends Typed {
  isText = true;

  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    super.body(form, part);
    if (!part.field.formed) return;
    const offered = el("div");
    const draw = () => fill(offered, pickedText.picks(form, part));
    part.boxes[0].addEventListener("input", draw);
    draw();
    part.body.append(offered);
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   */
  entries(form, field) {
    return field.formed ? pickedText.entries(form, field) : [];
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @param {unknown} entry
   */
  picked(form, field, entry) {
    return pickedText.picked(form, field, entry);
  }

  /** @param {Asked} asked */
  problem({ field, value, strict, touched }) {
    const { length } = String(value);
    if (field.max && length > field.max)
      return t("Enter at most {max} characters. The text has {length}.", { length, max: field.max });
    const short = field.min && length < field.min && (strict || touched);
    return short ? t("Enter at least {min} characters. The text has {length}.", { length, min: field.min }) : null;
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  count(field, value) {
    if (typeof value !== "string" || !(field.max || field.min)) return "";
    const n = value.trim().length;
    return field.max ? `${n} / ${field.max}` : t("{n} (at least {min})", { n, min: field.min });
  }
}

/** Any value, written as JSON. */
export class Json extends Typed {
  constructor() {
    super({ rows: 4, many: true });
  }

  /**
   * The JSON of a text; the text itself if it is none, which the form says, and the server would too.
   * @param {Field} _field
   * @param {unknown} value
   */
  submitted(_field, value) {
    if (typeof value !== "string" || !value) return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }

  /** @param {Asked} asked */
  problem({ value, raw }) {
    return typeof value === "string" && typeof raw === "string" ? t("Enter valid JSON.") : null;
  }
}

/**
 * A value as it stands in a box.
 * @param {unknown} value
 */
function written(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}

/**
 * A box on the form.
 * @param {FieldForm} form
 * @param {Field} field
 * @param {string} value
 * @param {number} rows
 * @param {(typed: string) => void} store
 */
export function areaOf(form, field, value, rows, store) {
  const area = el("textarea", {
    class: "box",
    rows: String(rows),
    spellcheck: "true",
    lang: field.language,
    autocomplete: "off",
    "aria-label": field.title,
    "aria-describedby": `f-${field.name}-e f-${field.name}-w`,
    "aria-required": String(field.required),
  });
  area.value = value;
  area.addEventListener("input", () => {
    store(area.value);
    fitHeight(area);
    delete form.errors[field.name];
    form.changed(field);
  });
  area.addEventListener("focus", () => form.host.media?.editor?.detach());
  area.addEventListener("blur", () => {
    if (area.value.trim()) form.touched.add(field.name);
    form.wording.left(field);
    form.paint(field);
  });
  requestAnimationFrame(() => fitHeight(area));
  return area;
}
