// Small questions about half-written parts of a schema.

/** @import { Part, RowsContext } from "../builder_types" */

/** @param {unknown} value @returns {Part[]} */
export const list = (value) => (Array.isArray(value) ? value : []);

/** @param {unknown} value */
export const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {string} otherwise */
export const text = (value, otherwise) => (typeof value === "string" && value.trim() ? value : otherwise);

/**
 * A name that no other entry has.
 * @param {Part[]} entries
 * @param {string} key
 * @param {string} stem
 */
export function free(entries, key, stem) {
  const taken = new Set(entries.map((each) => each?.[key]));
  for (let n = 1; ; n++) {
    const name = n === 1 ? stem : `${stem}_${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Whether a field holds a list of texts. @param {RowsContext} ctx @param {Part} field */
export const isList = (ctx, field) => ctx.catalog.fields.some(({ name, is_list }) => is_list && name === field?.kind);

/** @param {number} n @param {string} noun */
export const count = (n, noun) => `${n} ${n === 1 ? noun : `${noun}s`}`;
