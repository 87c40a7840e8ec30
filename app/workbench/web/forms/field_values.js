// Values of an item's fields: how they begin, and how they are submitted.

/** @import { Field, Values } from "../types" */

/** @param {unknown} value */
export const blank = (value) =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && !value.trim()) ||
  (Array.isArray(value) && !value.some(Boolean));

/**
 * What a field begins with: a list has as many boxes as it needs, and is a copy, so that what came stays as it was.
 * @param {Field} field
 * @param {unknown} value
 */
export function begun(field, value) {
  if (field.kind !== "text_list") return value ?? undefined;
  const list = Array.isArray(value) ? [...value] : [];
  const least = value === undefined || value === null ? field.length || Math.max(field.min || 0, 2) : field.length || 0;
  while (list.length < least) list.push("");
  return list;
}

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
    const value = ofKind(field, values[field.name]);
    if (!blank(value)) found[field.name] = value;
  }
  return found;
}

/**
 * @param {Field} field
 * @param {unknown} raw
 */
function ofKind(field, raw) {
  const value = typeof raw === "string" ? raw.trim() : raw;
  switch (field.kind) {
    case "text_list":
      return (Array.isArray(value) ? value : [])
        .map((entry) => String(entry).trim())
        .filter((entry, index) => entry || (field.length && index < field.length));
    case "integer":
      return !blank(value) && /^[+-]?\d+$/.test(String(value)) ? Number(value) : value;
    case "json":
    case "segments":
      return typeof value === "string" && value ? parsed(value) : value;
    default:
      return value;
  }
}

/**
 * The JSON of a text; the text itself if it is none, which the form says, and the server would too.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {Field} field */
export const isText = ({ kind }) => kind === "text" || kind === "long_text";

/**
 * How much is written, where that is bounded.
 * @param {Field} field
 * @param {unknown} value
 */
export function countOf(field, value) {
  if (!isText(field) || typeof value !== "string" || !(field.max || field.min)) return "";
  return `${value.trim().length}${field.max ? ` / ${field.max}` : ` (at least ${field.min})`}`;
}
