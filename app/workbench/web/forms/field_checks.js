// What is wrong with a field: the same as the server finds, but said while somebody types.

import { isDrawn } from "../marks/kinds.js";

/** @import { Field } from "../types" */

/**
 * @typedef {object} Asked what is checked
 * @property {Field} field
 * @property {unknown} value as it would be submitted
 * @property {unknown} raw as it is written
 * @property {unknown[]} entries what can be picked
 * @property {boolean} strict also what may only be unfinished
 * @property {boolean} touched whether somebody has left its box
 */

/** @typedef {(asked: Asked) => string | null} Check */

/** @type {Check} */
const json = ({ value, raw }) =>
  typeof value === "string" && typeof raw === "string" ? "This is not JSON yet." : null;

/** @type {Record<string, Check>} */
const CHECKS = {
  integer: ({ value }) => (Number.isInteger(value) ? null : "A whole number is needed."),
  json,
  segments: json,
  text_list: (asked) => ofList(asked),
  choice: () => null,
  option_of: ({ field, value, entries }) => (entries.includes(value) ? null : lost(field, value)),
  options_of: (asked) => picked(asked),
  order_of: (asked) =>
    picked(asked) ??
    (asked.strict && listed(asked.value).length < asked.entries.length ? "Every entry needs a place." : null),
};

/**
 * @param {Asked} asked
 * @returns {string | null}
 */
export function problemOf(asked) {
  const { field, value, strict } = asked;
  if (value === undefined) return strict && field.required ? "This is needed." : null;
  if (isDrawn(field)) {
    return strict && field.min && listed(value).length < field.min ? `At least ${field.min} are needed.` : null;
  }
  return (CHECKS[field.kind] ?? ofText)(asked);
}

/** @type {Check} */
function ofList({ field, value, strict }) {
  const full = listed(value).filter(Boolean).map(String);
  const small = full.map((entry) => entry.toLowerCase());
  const twice = full.find((_, index) => small.indexOf(small[index]) !== index);
  if (twice && field.distinct) return `“${twice}” is there twice.`;
  if (field.length && full.length !== field.length) {
    const there = `${full.length} ${full.length === 1 ? "is" : "are"} written`;
    return strict ? `${field.length} entries are needed; ${there}.` : null;
  }
  if (strict && field.min && full.length < field.min) return `At least ${field.min} entries are needed.`;
  return field.max && full.length > field.max ? `At most ${field.max} entries fit.` : null;
}

/** @type {Check} */
function picked({ field, value, entries }) {
  const gone = listed(value).find((entry) => !entries.includes(entry));
  return gone === undefined ? null : lost(field, gone);
}

/** @type {Check} */
function ofText({ field, value, strict, touched }) {
  const { length } = String(value);
  if (field.max && length > field.max) return `${length} characters; at most ${field.max} fit.`;
  const short = field.min && length < field.min && (strict || touched);
  return short ? `${length} characters; at least ${field.min} are needed.` : null;
}

/**
 * @param {Field} field
 * @param {unknown} entry
 */
const lost = (field, entry) => `“${entry}” is not among the ${(field.options_title || "options").toLowerCase()}.`;

/**
 * @param {unknown} value
 * @returns {unknown[]}
 */
const listed = (value) => (Array.isArray(value) ? value : []);
