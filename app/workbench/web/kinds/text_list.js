// A list of texts, from which other fields and raters choose.

import { el, fill } from "../dom.js";
import { t, tn } from "../words.js";
import { listed } from "./picked_field.js";
import { areaOf } from "./typed_field.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Field, FieldKind } from "../types" */

/** @implements {FieldKind} */
class TextList {
  /**
   * As many boxes as it needs, in a copy, so that what came stays as it was.
   * @param {Field} field
   * @param {unknown} value
   */
  begun(field, value) {
    const list = [...listed(value)];
    const fresh = value === undefined || value === null;
    const least = field.length || (fresh ? Math.max(field.min || 0, 2) : 0);
    while (list.length < least) list.push("");
    return list;
  }

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  submitted(field, value) {
    return listed(value)
      .map((entry) => String(entry).trim())
      .filter((entry, index) => entry || (field.length && index < field.length));
  }

  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    const { field } = part;
    const values = form.listOf(field.name);
    const rows = values.map((entry, index) => this.row(form, part, String(entry), index));
    const full = field.length || (field.max && values.length >= field.max);
    const click = () => {
      form.relist(field, [...form.listOf(field.name), ""]);
      part.boxes.at(-1)?.focus();
      form.changed(field);
    };
    const more = el("button", { type: "button", class: "small add", on: { click } }, t("Add an entry"));
    fill(part.body, rows, full ? null : more);
  }

  /**
   * @param {FieldForm} form
   * @param {Part} part
   * @param {string} entry
   * @param {number} index
   */
  row(form, part, entry, index) {
    const { field } = part;
    const area = areaOf(form, field, entry, 1, (typed) => {
      form.listOf(field.name)[index] = typed;
    });
    area.setAttribute("aria-label", t("{title}, entry {number}", { title: field.title, number: index + 1 }));
    area.dataset.line = "one";
    area.dataset.index = String(index);
    part.boxes.push(area);
    const label = t("Remove entry {number}", { number: index + 1 });
    const click = () => {
      form.relist(
        field,
        form.listOf(field.name).filter((_, at) => at !== index),
      );
      form.changed(field);
    };
    const remove = el(
      "button",
      { type: "button", class: "small", "aria-label": label, tabindex: "-1", on: { click } },
      "×",
    );
    return el("div", { class: "entry" }, el("span", { class: "num" }, index + 1), area, field.length ? null : remove);
  }

  /** @param {Asked} asked */
  problem({ field, value, strict }) {
    const full = listed(value).filter(Boolean).map(String);
    const small = full.map((entry) => entry.toLowerCase());
    const twice = full.find((_, index) => small.indexOf(small[index]) !== index);
    if (twice && field.distinct) return t("“{twice}” is in the list twice. Remove one.", { twice });
    if (field.length && full.length !== field.length) {
      const there = tn("{n} is filled in", "{n} are filled in", full.length);
      return strict ? t("The list needs {length} entries, but {there}.", { length: field.length, there }) : null;
    }
    if (strict && field.min && full.length < field.min) return t("Add at least {min} entries.", { min: field.min });
    return field.max && full.length > field.max ? t("Keep at most {max} entries.", { max: field.max }) : null;
  }
}

export const field = new TextList();
