// What fields have in common that are picked with a key: one or several of what is offered.

import { el, fill, same } from "../dom.js";
import { t } from "../words.js";
import { slotName } from "./keys.js";

/** @import { FieldForm } from "../forms/fields.js" */
/** @import { Part } from "../forms/field_parts.js" */
/** @import { Asked, Field, FieldKind } from "../types" */

/**
 * One of what is offered: the entries of another field, if nothing else is said.
 * @implements {FieldKind}
 */
export class PickedOne {
  role = "radiogroup";
  roleOfEach = "radio";

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @returns {unknown[]}
   */
  entries(form, field) {
    return form
      .listOf(field.field)
      .map((entry) => String(entry).trim())
      .filter(Boolean);
  }

  /**
   * @param {FieldForm} form
   * @param {Part} part
   */
  body(form, part) {
    const { field } = part;
    const picks = this.picks(form, part);
    const options = (field.options_title || t("options")).toLowerCase();
    fill(
      part.body,
      picks ?? el("p", { class: "help" }, t("Fill in the {options} first, then choose here.", { options })),
    );
  }

  /**
   * What is offered, as buttons; null where nothing is.
   * @param {FieldForm} form
   * @param {Part} part
   */
  picks(form, part) {
    const { field } = part;
    const value = this.chosen(form, field);
    part.buttons = this.entries(form, field).map((entry, index) => {
      const chosen = this.isChosen(value, entry);
      const focus = () => {
        form.group = field.name;
      };
      return el(
        "button",
        {
          type: "button",
          class: chosen ? "choice chosen" : "choice",
          role: this.roleOfEach,
          "aria-checked": String(chosen),
          on: { click: () => form.pick(field, entry), focus },
        },
        el("kbd", { class: "slot", "aria-hidden": "true" }, slotName(index)),
        el("span", { class: "label" }, chosen ? this.placeOf(value, entry) : "", String(this.told(field, entry))),
      );
    });
    if (!part.buttons.length) return null;
    return el("div", { class: "choices column", role: this.role, "aria-labelledby": `f-${field.name}` }, part.buttons);
  }

  /**
   * What is picked by now.
   * @param {FieldForm} form
   * @param {Field} field
   * @returns {unknown}
   */
  chosen(form, field) {
    return form.values[field.name];
  }

  /**
   * @param {unknown} value
   * @param {unknown} entry
   */
  isChosen(value, entry) {
    return same(value, entry);
  }

  /**
   * What stands before a chosen entry.
   * @param {unknown} _value
   * @param {unknown} _entry
   */
  placeOf(_value, _entry) {
    return "";
  }

  /**
   * @param {Field} _field
   * @param {unknown} value
   * @returns {unknown}
   */
  told(_field, value) {
    return value;
  }

  /**
   * What an entry makes of the value when it is picked.
   * @param {FieldForm} _form
   * @param {Field} _field
   * @param {unknown} entry
   * @returns {unknown}
   */
  picked(_form, _field, entry) {
    return entry;
  }

  /**
   * @param {Asked} asked
   * @returns {string | null}
   */
  problem({ field, value, entries }) {
    return entries.includes(value) ? null : lost(field, value);
  }
}

/** Several of them, in the order in which they were picked. */
export class PickedSeveral extends PickedOne {
  role = "group";
  roleOfEach = "checkbox";

  /**
   * @param {unknown} value
   * @param {unknown} entry
   */
  isChosen(value, entry) {
    return listed(value).includes(entry);
  }

  /**
   * @param {FieldForm} form
   * @param {Field} field
   * @param {unknown} entry
   */
  picked(form, field, entry) {
    const offered = this.entries(form, field); // what is written differently by now falls out
    const list = form.listOf(field.name).filter((other) => offered.includes(other));
    const without = list.filter((other) => other !== entry);
    return without.length < list.length ? without : [...list, entry];
  }

  /** @param {Asked} asked */
  problem({ field, value, entries }) {
    const gone = listed(value).find((entry) => !entries.includes(entry));
    return gone === undefined ? null : lost(field, gone);
  }
}

/**
 * @param {Field} field
 * @param {unknown} entry
 */
const lost = (field, entry) =>
  t("“{entry}” is not one of the {value}.", { entry, value: (field.options_title || t("options")).toLowerCase() });

/**
 * @param {unknown} value
 * @returns {unknown[]}
 */
export const listed = (value) => (Array.isArray(value) ? value : []);
