// What has to hold between several values of a form: said while someone fills it in, as the server says it afterwards.

import { blank, same } from "../dom.js";

/** @import { CrossRule, Values } from "../types" */
/** @import { FieldForm } from "./fields.js" */

/** @param {unknown} value */
const folded = (value) => (typeof value === "string" ? value.trim().toLowerCase() : JSON.stringify(value));

/**
 * @param {CrossRule} rule
 * @param {unknown} value
 */
const compared = (rule, value) => (rule.numbers ? Number(value) : folded(value));

/**
 * The place of the first value that is not above the one before it.
 * @param {unknown[]} values
 * @param {boolean} equal whether it may be as high
 */
function descends(values, equal) {
  let before = Number.NaN;
  return values.findIndex((value) => {
    if (blank(value) || Number.isNaN(Number(value))) return false;
    const number = Number(value);
    const wrong = number < before || (number === before && !equal);
    before = number;
    return wrong;
  });
}

/** @type {Record<string, (values: unknown[], rule: CrossRule) => number>} the place of the value at fault, or -1 */
const BROKEN = {
  less_than: (values) => descends(values, false),
  not_more_than: (values) => descends(values, true),
  different: (values, rule) =>
    values.findIndex(
      (value, at) =>
        !blank(value) &&
        values.slice(0, at).some((other) => !blank(other) && compared(rule, other) === compared(rule, value)),
    ),
  one_of: ([value, entries]) => {
    const wanted = Array.isArray(value) ? value : [value];
    if (blank(value) || !Array.isArray(entries)) return -1;
    return wanted.every((each) => entries.some((entry) => same(entry, each))) ? -1 : 0;
  },
  required_when: (values) => values.findIndex(blank),
  at_least_one: (values) => (values.length && values.every(blank) ? 0 : -1),
  at_most_one: (values) => values.findIndex((value, at) => !blank(value) && !values.slice(0, at).every(blank)),
};

/**
 * What is said at each value that breaks a rule; the first rule of each counts.
 * @param {CrossRule[]} rules
 * @param {Values} values
 * @param {(name: string) => boolean} asked whether something is asked for there, so that it can be missing
 * @param {boolean} complete what is not filled in counts as missing
 * @returns {Record<string, string>}
 */
export function brokenRules(rules, values, asked, complete) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const rule of rules) {
    const holds = Object.entries(rule.when).every(([name, wanted]) => wanted.some((each) => same(each, values[name])));
    if (!holds || (rule.absence && !complete)) continue;
    const names = rule.absence ? rule.of.filter((name) => asked(name) && values[name] !== null) : rule.of;
    const at = BROKEN[rule.rule]?.(
      names.map((name) => values[name]),
      rule,
    );
    if (at === undefined || at < 0) continue;
    const place = [...names.slice(0, at + 1).reverse(), ...names.slice(at + 1)].find(asked);
    if (place && !found[place]) found[place] = rule.say;
  }
  return found;
}

/**
 * The same of the fields of an item.
 * @param {CrossRule[]} rules
 * @param {FieldForm} form
 * @param {boolean} complete
 */
export const brokenAmong = (rules, form, complete) =>
  rules.length ? brokenRules(rules, form.read(), (name) => form.parts.has(name), complete) : {};
