// Which fields of an item someone has changed.

import { same } from "../dom.js";
import { begunAll, submitted } from "./field_values.js";

/** @import { Field, Values } from "../types" */
/** @import { FieldForm } from "./fields.js" */

/**
 * The fields that no one changed, whatever the form made of their spaces.
 * @param {FieldForm} form
 * @param {Field[]} fields
 * @param {Values} original
 */
export function untouched(form, fields, original) {
  const written = form.read();
  const was = submitted(fields, begunAll(fields, original));
  return new Set(fields.map((field) => field.name).filter((name) => same(written[name], was[name])));
}

/**
 * Only what was changed: the rest stays exactly as it came, also where it would not fit today.
 * @param {FieldForm} form
 * @param {Field[]} fields
 * @param {Values} original
 * @returns {Values}
 */
export function edited(form, fields, original) {
  const kept = untouched(form, fields, original);
  const written = form.read();
  const changed = fields.filter(({ name }) => !kept.has(name));
  return Object.fromEntries(changed.map(({ name }) => [name, written[name] ?? null]));
}
