// What a question offers, and which votes keep an item.

import { el } from "../dom.js";
import { act, box, choice, named } from "./fields.js";
import { findingsAt } from "./frames.js";

/** @import { Child } from "../types" */
/** @import { Edit, Part, RowsContext, Step } from "../builder_types" */

/**
 * Options with their labels, the values that files have, and reasons.
 * @param {Step[]} path
 * @param {unknown} value
 * @param {string} [title]
 * @returns {HTMLElement}
 */
export function optionRows(path, value, title = "Options") {
  const options = Array.isArray(value) ? value : [];
  const nested = path.at(-1) === "reasons";
  const noun = nested ? "Reason" : "Option";
  return el(
    "fieldset",
    { class: "options", data: { id: `options.${named(path)}` } },
    el("legend", {}, title),
    options.map((option, at) => optionRow([...path, at], option, noun, nested ? 0 : at + 1)),
    act(`+ ${noun}`, [addition(path, options, noun)], { id: `add.${named(path)}`, style: "link" }),
  );
}

/**
 * @param {Step[]} path
 * @param {Part[]} options
 * @param {string} noun
 * @returns {Edit}
 */
function addition(path, options, noun) {
  const values = options.map((option) => option?.value ?? option);
  let n = options.length + 1;
  while (values.includes(`${noun.toLowerCase()}_${n}`)) n++;
  return {
    do: "insert",
    path,
    at: options.length,
    value: { value: `${noun.toLowerCase()}_${n}`, label: `${noun} ${n}` },
  };
}

/**
 * @param {Step[]} path
 * @param {Part} option
 * @param {string} noun
 * @param {number} key the key that chooses it; 0: none
 * @returns {HTMLElement}
 */
function optionRow(path, option, noun, key) {
  const id = named(path);
  const bare = typeof option !== "object" || option === null;
  const value = bare ? option : option.value;
  const reasons = bare ? undefined : option.reasons;
  return el(
    "div",
    { class: "option", data: { id: `option.${id}` } },
    el(
      "div",
      { class: "line" },
      key > 0 && key < 10 && el("kbd", {}, String(key)),
      bare
        ? box(path, value, { label: `${noun} ${value}`, needed: true })
        : box([...path, "label"], option.label, {
            label: `Label of ${value}`,
            needed: true,
            placeholder: String(value ?? ""),
          }),
      bare
        ? null
        : box([...path, "value"], value, { label: `Value of ${option.label ?? value}`, needed: true, raw: true }),
      act("×", [{ do: "remove", path }], {
        id: `delete.${id}`,
        title: `Delete ${noun.toLowerCase()} ${option?.label ?? value}`,
        style: "small x",
      }),
    ),
    key > 0 &&
      !bare &&
      (Array.isArray(reasons) && reasons.length
        ? optionRows([...path, "reasons"], reasons, `Reasons for “${option.label ?? value}”`)
        : act(
            "+ Reasons",
            [{ do: "set", path: [...path, "reasons"], value: [{ value: "reason_1", label: "Reason 1" }] }],
            { id: `reasons.${id}`, style: "link" },
          )),
  );
}

/**
 * The values of a scale with their labels.
 * @param {Step[]} path
 * @param {Part} criterion
 */
export function valueRows(path, criterion) {
  /** @type {Part[]} */
  const values = Array.isArray(criterion?.values) ? criterion.values : [];
  /** @type {Part[]} */
  const labels = Array.isArray(criterion?.labels) ? criterion.labels : [];
  const last = typeof values.at(-1) === "number" ? values.at(-1) + 1 : `value_${values.length + 1}`;
  /** @type {Edit[]} */
  const add = [{ do: "insert", path: [...path, "values"], at: values.length, value: last }];
  if (labels.length) add.push({ do: "insert", path: [...path, "labels"], at: labels.length, value: String(last) });
  return el(
    "fieldset",
    { class: "options", data: { id: `values.${named(path)}` } },
    el("legend", {}, "Scale"),
    values.map((value, at) => {
      /** @type {Edit[]} */
      const gone = [{ do: "remove", path: [...path, "values", at] }];
      if (at < labels.length) gone.push({ do: "remove", path: [...path, "labels", at] });
      return el(
        "div",
        { class: "line", data: { id: `value.${named(path)}.${at}` } },
        box([...path, "values", at], value, { label: `Value ${at + 1}`, raw: true, needed: true }),
        at < labels.length && box([...path, "labels", at], labels[at], { label: `Label of ${value}`, needed: true }),
        act("×", gone, { id: `delete.value.${named(path)}.${at}`, title: `Delete value ${value}`, style: "small x" }),
      );
    }),
    act("+ Value", add, { id: `add.value.${named(path)}`, style: "link" }),
    !labels.length &&
      act("+ Labels", [{ do: "set", path: [...path, "labels"], value: values.map(String) }], {
        id: `add.labels.${named(path)}`,
        style: "link",
      }),
  );
}

/**
 * "Keep an item if all say Right", in words, with what the rule comes to.
 * @param {RowsContext} ctx
 * @param {string} stage
 * @param {Part} part
 */
export function keepRow(ctx, stage, part) {
  const path = ["stages", stage, "keep"];
  const keep = part.keep ?? {};
  const asked = (Array.isArray(part.criteria) ? part.criteria : []).filter((/** @type {Part} */ each) => each?.name);
  const rule = ctx.catalog.rules.find(({ name }) => name === keep.rule);
  const plain = !keep.parts && !keep.values && !keep.criteria && !rule?.values;
  const deciding = asked.find((/** @type {Part} */ each) => each.name === keep.criterion);
  const rules = ctx.catalog.rules
    .filter(({ name, values }) => !values || name === keep.rule)
    .map(({ name, title }) => ({ value: name, label: title }));
  const keyed = rule?.key || keep.key !== undefined;
  return el(
    "div",
    { class: "keep", data: { id: `keep.${stage}` } },
    el(
      "p",
      {},
      el("strong", {}, "Keep an item if "),
      choice([...path, "rule"], keep.rule, rules, { label: "Keep rule", do: "kind" }),
      plain
        ? [
            " say ",
            target(ctx, path, keep, deciding, keyed),
            asked.length > 1
              ? [
                  " to ",
                  choice(
                    [...path, "criterion"],
                    keep.criterion,
                    asked.map((/** @type {Part} */ each) => ({ value: each.name, label: each.name })),
                    { label: "Deciding question" },
                  ),
                ]
              : null,
          ]
        : el("span", { class: "quiet" }, " (its targets are in the YAML)"),
    ),
    ctx.keep[stage] ? el("p", { class: "says" }, ctx.keep[stage]) : null,
    findingsAt(ctx, path),
  );
}

/**
 * @param {RowsContext} ctx
 * @param {Step[]} path
 * @param {Part} keep
 * @param {Part} deciding
 * @param {boolean} keyed the right answer is a field of the item
 * @returns {Child}
 */
function target(ctx, path, keep, deciding, keyed) {
  if (keyed) {
    const fields = ctx.value.item?.fields;
    const names = (Array.isArray(fields) ? fields : []).map((each) => each?.name).filter(Boolean);
    return [
      "the item's ",
      choice(
        [...path, "key"],
        keep.key,
        names.map((name) => ({ value: name, label: name })),
        { label: "Field with the right answer" },
      ),
    ];
  }
  const options = Array.isArray(deciding?.options)
    ? deciding.options
    : Array.isArray(deciding?.values)
      ? deciding.values
      : [];
  const offered = options.map((/** @type {Part} */ each) => ({
    value: each?.value ?? each,
    label: String(each?.label ?? each?.value ?? each),
  }));
  if (offered.length) return choice([...path, "value"], keep.value, offered, { label: "Answer that keeps an item" });
  return box([...path, "value"], keep.value, { label: "Answer that keeps an item", raw: true });
}
