// The boxes of rows. Each names the key that it changes; `builder.js` makes edits of the text out of what is typed.

import { el } from "../dom.js";

/** @import { Child } from "../types" */
/** @import { Edit, Step } from "../builder_types" */

/** @param {Step[]} path */
export const named = (path) => path.join("/");

/**
 * A button that edits the text.
 * @param {Child} label
 * @param {Edit[]} edits
 * @param {{ id: string, title?: string, style?: string, open?: string, disabled?: boolean }} how `open`: the row to open then
 */
export const act = (label, edits, { id, title, style = "small", open, disabled = false }) =>
  el(
    "button",
    {
      type: "button",
      class: style,
      title,
      "aria-label": title,
      disabled,
      data: { id, edits: JSON.stringify(edits), ...(open === undefined ? {} : { next: open }) },
    },
    label,
  );

/**
 * @param {string} label
 * @param {HTMLElement} box
 * @param {string} [help]
 */
export const labeled = (label, box, help) =>
  el(
    "label",
    { class: "box", data: { id: `label.${box.dataset.id}` } },
    el("span", {}, label),
    box,
    help && el("small", {}, help),
  );

/**
 * A box for text or a number. An empty box removes the key, unless it is needed.
 * @param {Step[]} path
 * @param {unknown} value
 * @param {{ label?: string, kind?: "text" | "numeric", needed?: boolean, name?: boolean, long?: boolean, placeholder?: string, raw?: boolean }} [how]
 */
export function box(
  path,
  value,
  { label, kind = "text", needed = false, name = false, long = false, placeholder, raw = false } = {},
) {
  const shown = value === null || value === undefined || typeof value === "object" ? "" : String(value);
  const data = {
    id: named(path),
    set: JSON.stringify({ path, kind: raw ? "raw" : kind, needed, do: name ? "name" : "set" }),
  };
  const attributes = { "aria-label": label, placeholder, data, spellcheck: name ? "false" : null };
  if (long) {
    const area = el("textarea", {
      rows: Math.min(5, 1 + Math.floor(shown.length / 48) + shown.split("\n").length - 1),
      ...attributes,
    });
    area.textContent = shown;
    area.value = shown;
    return area;
  }
  const input = el("input", { type: "text", inputmode: kind === "numeric" ? "decimal" : null, ...attributes });
  input.setAttribute("value", shown);
  return input;
}

/**
 * @param {Step[]} path
 * @param {unknown} value
 * @param {{ value: unknown, label: string, title?: string }[]} choices
 * @param {{ label?: string, none?: string, do?: "set" | "kind" }} [how] `none`: the label of no value, which removes the key
 */
export function choice(path, value, choices, { label, none, do: how = "set" } = {}) {
  const known = choices.some((each) => each.value === value);
  const every = [
    ...(none === undefined ? [] : [{ value: undefined, label: none }]),
    ...choices,
    ...(known || value === undefined || value === null ? [] : [{ value, label: String(value) }]),
  ];
  if (none === undefined && (value === undefined || value === null))
    every.unshift({ value: undefined, label: "choose" });
  const select = el(
    "select",
    {
      "aria-label": label,
      data: { id: `${how}.${named(path)}`, set: JSON.stringify({ path, kind: "json", do: how }) },
    },
    every.map((each) => {
      const option = el("option", { value: each.value === undefined ? "" : JSON.stringify(each.value) }, each.label);
      if (each.value === (value ?? undefined)) option.setAttribute("selected", "");
      return option;
    }),
  );
  return select;
}

/**
 * @param {Step[]} path
 * @param {boolean} on
 * @param {string} label
 * @param {Edit[]} edits what a press does
 */
export function tick(path, on, label, edits) {
  const input = el("input", {
    type: "checkbox",
    data: { id: `tick.${named(path)}.${label}`, edits: JSON.stringify(edits) },
  });
  if (on) input.setAttribute("checked", "");
  input.checked = on;
  return el("label", { class: "tick" }, input, label);
}
