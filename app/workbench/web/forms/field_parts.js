// The frame of a field on the form; what is in it is its kind's affair (kinds/).

import { el } from "../dom.js";
import { t } from "../words.js";

/** @import { Field } from "../types" */

/**
 * @typedef {object} Part what the form has of one field
 * @property {Field} field
 * @property {HTMLElement} root
 * @property {HTMLElement} body
 * @property {HTMLElement} count
 * @property {HTMLElement} error
 * @property {HTMLElement} extra
 * @property {HTMLElement} advice what the rules of wording say
 * @property {HTMLTextAreaElement[]} boxes
 * @property {HTMLButtonElement[]} buttons
 * @property {{ root: HTMLElement }} [editor] what is drawn or timed, which takes the focus
 * @property {string} [near] the similar texts that are shown
 */

/**
 * The frame of a field, without its body.
 * @param {Field} field
 * @returns {Part}
 */
export function fieldFrame(field) {
  const id = `f-${field.name}`;
  const count = el("span", { class: "count", "aria-hidden": "true" });
  const error = el("p", { class: "error", id: `${id}-e`, "aria-live": "polite", hidden: true });
  const body = el("div", { class: "inputs" });
  const extra = el("div", { class: "extra" });
  const advice = el("div", { class: "advice", id: `${id}-w`, role: "status" });
  const optional = field.required ? null : el("span", { class: "quiet" }, ` ${t("optional")}`);
  const root = el(
    "div",
    { class: `field ${field.kind}`, data: { field: field.name } },
    el("div", { class: "prompt", id }, field.title, optional, count),
    field.help ? el("p", { class: "help" }, field.help) : null,
    body,
    error,
    advice,
    extra,
  );
  return { field, root, body, count, error, extra, advice, boxes: [], buttons: [] };
}
