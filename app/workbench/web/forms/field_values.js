// Values of an item's fields: how they begin, what is wrong with them, and how they are submitted.

import { blank } from "../dom.js";
import { FIELDS } from "../kinds/index.js";
import { t } from "../words.js";

/** @import { Asked, Field, Values } from "../types" */

/**
 * What a field begins with.
 * @param {Field} field
 * @param {unknown} value
 */
const begun = (field, value) => FIELDS[field.kind].begun?.(field, value) ?? value ?? undefined;

/**
 * @param {Field[]} fields
 * @param {Values} values
 * @returns {Values}
 */
export const begunAll = (fields, values) =>
  Object.fromEntries(fields.map((field) => [field.name, begun(field, values[field.name])]));

/**
 * The values as they are submitted: trimmed, empty optional ones left out.
 * @param {Field[]} fields
 * @param {Values} values
 */
export function submitted(fields, values) {
  /** @type {Values} */
  const found = {};
  for (const field of fields) {
    const raw = values[field.name];
    const trimmed = typeof raw === "string" ? raw.trim() : raw;
    const kind = FIELDS[field.kind];
    const value = kind.submitted ? kind.submitted(field, trimmed) : trimmed;
    if (!blank(value)) found[field.name] = value;
  }
  return found;
}

/**
 * What is wrong with a field: the same as the server finds, but said while someone types.
 * @param {Asked} asked
 * @returns {string | null}
 */
export function problemOf(asked) {
  const { field, value, strict } = asked;
  if (value === undefined) return strict && field.required ? t("This field is required.") : null;
  return FIELDS[field.kind].problem(asked);
}
