// Texts in the person's language. English is in the code; the script comes with the catalog of another language.

/** @type {Record<string, string | string[]>} */
const texts = /** @type {any} */ (globalThis).touchstoneTexts ?? {};

/**
 * A text with values in it: `t("saved {time}", { time })`.
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function t(text, values = {}) {
  const found = texts[text] ?? text;
  return withValues(Array.isArray(found) ? found[0] : found, values);
}

/**
 * A text about a number of things: `tn("{n} image", "{n} images", n)`.
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Record<string, unknown>} [values]
 */
export function tn(one, many, n, values = {}) {
  const found = texts[one];
  const forms = Array.isArray(found) ? found : [one, many];
  return withValues(forms[n === 1 || forms.length === 1 ? 0 : 1], { n, ...values });
}

/**
 * @param {string} text
 * @param {Record<string, unknown>} values
 */
const withValues = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
