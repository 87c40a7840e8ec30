// What a field looks like on the form: its boxes, its entries, what can be picked, or what is drawn on the image.

import { el, fill, labelled, same } from "../dom.js";
import { grow, KEYS } from "../kinds/keys.js";
import { MarksEditor } from "../marks/editor.js";
import { isDrawn } from "../marks/kinds.js";

/** @import { Field } from "../types" */
/** @import { FieldForm } from "./fields.js" */

/**
 * @typedef {object} Part what the form has of one field
 * @property {Field} field
 * @property {HTMLElement} root
 * @property {HTMLElement} body
 * @property {HTMLElement} count
 * @property {HTMLElement} error
 * @property {HTMLElement} extra
 * @property {HTMLTextAreaElement[]} boxes
 * @property {HTMLButtonElement[]} buttons
 * @property {MarksEditor} [drawn]
 * @property {string} [near] the similar texts that are shown
 */

const PICKED = ["choice", "option_of", "options_of", "order_of"];
const LONG = ["long_text", "json", "segments"];

/** @param {Field} field */
export const isPicked = (field) => PICKED.includes(field.kind);

/**
 * The frame of a field, without its body.
 * @param {Field} field
 * @returns {Part}
 */
export function sketch(field) {
  const id = `f-${field.name}`;
  const count = el("span", { class: "count", "aria-hidden": "true" });
  const error = el("p", { class: "error", id: `${id}-e`, "aria-live": "polite", hidden: true });
  const body = el("div", { class: "inputs" });
  const extra = el("div", { class: "extra" });
  const optional = field.required ? null : el("span", { class: "quiet" }, " optional");
  const root = el(
    "div",
    { class: `field ${field.kind}`, data: { field: field.name } },
    el("div", { class: "prompt", id }, field.title, optional, count),
    field.help ? el("p", { class: "help" }, field.help) : null,
    body,
    error,
    extra,
  );
  return { field, root, body, count, error, extra, boxes: [], buttons: [] };
}

/**
 * @param {FieldForm} form
 * @param {Part} part
 */
export function fillBody(form, part) {
  part.boxes = [];
  part.buttons = [];
  if (part.field.kind === "text_list") listBody(form, part);
  else if (isPicked(part.field)) pickBody(form, part);
  else if (isDrawn(part.field)) drawnBody(form, part);
  else textBody(form, part);
}

/**
 * @param {FieldForm} form
 * @param {Part} part
 */
function textBody(form, part) {
  const { field } = part;
  const long = LONG.includes(field.kind);
  const rows = long ? 4 : field.kind === "integer" ? 1 : 2;
  const area = areaOf(form, field, written(form.values[field.name]), rows, (typed) => {
    form.values[field.name] = typed;
  });
  area.dataset.line = long ? "many" : "one";
  part.boxes.push(area);
  fill(part.body, area);
}

/**
 * A value as it stands in a box.
 * @param {unknown} value
 */
function written(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 1) : String(value);
}

/**
 * @param {FieldForm} form
 * @param {Field} field
 * @param {string} value
 * @param {number} rows
 * @param {(typed: string) => void} store
 */
function areaOf(form, field, value, rows, store) {
  const area = el("textarea", {
    class: "box",
    rows: String(rows),
    spellcheck: "true",
    autocomplete: "off",
    "aria-labelledby": `f-${field.name}`,
    "aria-describedby": `f-${field.name}-e`,
    "aria-required": String(field.required),
  });
  area.value = value;
  area.addEventListener("input", () => {
    store(area.value);
    grow(area);
    delete form.errors[field.name];
    form.changed(field);
  });
  area.addEventListener("focus", () => form.host.media?.editor?.detach());
  area.addEventListener("blur", () => {
    if (area.value.trim()) form.touched.add(field.name);
    form.paint(field);
  });
  requestAnimationFrame(() => grow(area));
  return area;
}

/**
 * @param {FieldForm} form
 * @param {Part} part
 */
function listBody(form, part) {
  const { field } = part;
  const values = form.listOf(field.name);
  const rows = values.map((entry, index) => {
    const area = areaOf(form, field, String(entry), 1, (typed) => {
      form.listOf(field.name)[index] = typed;
    });
    area.removeAttribute("aria-labelledby");
    area.setAttribute("aria-label", `${field.title}, entry ${index + 1}`);
    area.dataset.line = "one";
    area.dataset.index = String(index);
    part.boxes.push(area);
    const label = `Remove entry ${index + 1}`;
    const click = () => form.removeEntry(field, index);
    const remove = el(
      "button",
      { type: "button", class: "small", "aria-label": label, tabindex: "-1", on: { click } },
      "×",
    );
    return el("div", { class: "entry" }, el("span", { class: "num" }, index + 1), area, field.length ? null : remove);
  });
  const full = field.length || (field.max && values.length >= field.max);
  const click = () => form.addEntry(field);
  const more = el("button", { type: "button", class: "small add", on: { click } }, "Add an entry");
  fill(part.body, rows, full ? null : more);
}

/**
 * @param {FieldForm} form
 * @param {Part} part
 */
export function pickBody(form, part) {
  const { field } = part;
  const value = form.values[field.name];
  const single = field.kind === "option_of" || field.kind === "choice";
  const list = form.listOf(field.name);
  part.buttons = form.entries(field).map((entry, index) => {
    const chosen = single ? same(value, entry) : list.includes(entry);
    const place = field.kind === "order_of" && chosen ? `${list.indexOf(entry) + 1}. ` : "";
    const focus = () => {
      form.group = field.name;
    };
    return el(
      "button",
      {
        type: "button",
        class: chosen ? "choice chosen" : "choice",
        role: single ? "radio" : "checkbox",
        "aria-checked": String(chosen),
        on: { click: () => form.pick(field, entry), focus },
      },
      el("kbd", { class: "slot", "aria-hidden": "true" }, KEYS[index] || ""),
      el("span", { class: "label" }, place, String(labelled(field, entry))),
    );
  });
  const role = single ? "radiogroup" : "group";
  const options = (field.options_title || "options").toLowerCase();
  fill(
    part.body,
    part.buttons.length
      ? el("div", { class: "choices column", role, "aria-labelledby": `f-${field.name}` }, part.buttons)
      : el("p", { class: "help" }, `Write the ${options} first; then pick here.`),
  );
}

/**
 * Drawn on the image: keys go there while the block has the focus.
 * @param {FieldForm} form
 * @param {Part} part
 */
function drawnBody(form, part) {
  const { field } = part;
  const { kind, options, min, max, role } = field;
  const drawn = new MarksEditor(
    { kind, options, min, max, role },
    {
      media: form.host.media,
      change: () => form.set(field, drawn.value()),
      done: () => form.onward(drawn.root),
    },
  );
  part.drawn = drawn;
  const value = form.values[field.name];
  if (Array.isArray(value)) drawn.set(value);
  drawn.root.tabIndex = 0;
  drawn.root.setAttribute("role", "group");
  drawn.root.setAttribute("aria-labelledby", `f-${field.name}`);
  fill(part.body, drawn.root);
}
