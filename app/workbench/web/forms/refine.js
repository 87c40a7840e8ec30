// A model's answer next to the item: the criteria, and below them the item's own fields, which E opens to be changed.

import { el, fill, key } from "../dom.js";
import { t } from "../words.js";
import { edited, untouched } from "./changed_fields.js";
import { FieldForm } from "./fields.js";
import { RatingForm } from "./rating.js";

/** @import { CrossRule, Field, Host, Problem, Read, Values } from "../types" */
/** @import { Rated } from "./rating.js" */

export class RefineForm {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "refine" });
    this.editing = false;
    /** @type {Values} */
    this.original = {};
    /** @type {Field[]} */
    this.editable = [];
    this.fields = new FieldForm({ media: host.media, change: () => host.change(), look: host.look });
    // With the item open, the last answer does not submit: the fields come next.
    this.rating = new RatingForm({ ...host, submit: () => (this.editing ? this.fields.focus() : host.submit()) });
    this.button = el("button", { type: "button", class: "small", on: { click: () => this.toggle() } });
    this.error = el("p", { class: "error", role: "alert", hidden: true });
    const help = el("p", { class: "help" }, t("This makes a new revision, which is verified again."));
    this.editor = el("div", { class: "editor" }, help, this.fields.root, this.error);
  }

  /** @param {Rated & { fields: Field[], between: CrossRule[], dimension: string, values: Values }} what */
  open({ fields, between, dimension, values, answers = {}, ...rest }) {
    const { fields: draft, ...given } = /** @type {Values & { fields?: Values }} */ (answers.values ?? {});
    this.original = values;
    this.editable = fields.filter((field) => field.authored);
    this.editing = draft !== undefined;
    this.error.hidden = true;
    this.rating.open({ ...rest, answers: { ...answers, values: given } });
    this.fields.open({ fields: this.editable, between, dimension, values: { ...values, ...draft } });
    fill(this.root, this.rating.root, el("p", {}, this.button), this.editor);
    this.paint();
  }

  paint() {
    this.editor.hidden = !this.editing;
    this.button.setAttribute("aria-expanded", String(this.editing));
    fill(this.button, key("E"), this.editing ? ` ${t("keep the item unchanged")}` : ` ${t("edit the item")}`);
    this.host.media.repaint();
  }

  toggle() {
    this.editing = !this.editing;
    this.error.hidden = true;
    this.paint();
    this.host.change();
    if (this.editing) this.button.scrollIntoView({ block: "nearest" });
  }

  /** @returns {Read} */
  raw() {
    const { values, reasons } = this.rating.raw();
    return { values: this.editing ? { ...values, fields: this.fields.raw() } : values, reasons };
  }

  /** @returns {Read} */
  read() {
    const { values, reasons } = this.rating.read();
    const fields = this.editing ? { fields: edited(this.fields, this.editable, this.original) } : {};
    return { values: { ...values, ...fields }, reasons };
  }

  check() {
    this.error.hidden = true;
    if (!this.rating.check()) return false;
    if (!this.editing) return true;
    if (!this.fields.check(untouched(this.fields, this.editable, this.original))) return false;
    if (Object.keys(edited(this.fields, this.editable, this.original)).length) return true;
    this.error.textContent = t("You have not changed anything. Change a field, or keep the item unchanged.");
    this.error.hidden = false;
    return false;
  }

  /** @param {Problem[]} list */
  problems(list) {
    const nameOf = (/** @type {Problem} */ problem) => problem.name.replace(/^fields\./, "");
    const ours = (/** @type {Problem} */ problem) => this.editable.some(({ name }) => name === nameOf(problem));
    const ofFields = this.editing ? list.filter(ours) : [];
    if (ofFields.length) this.fields.problems(ofFields.map((problem) => ({ ...problem, name: nameOf(problem) })));
    return this.rating.problems(list.filter((problem) => !ofFields.includes(problem)));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.rating.key(event) || (this.editing && this.fields.key(event));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  boxKey(event, box) {
    return this.fields.root.contains(box) ? this.fields.boxKey(event, box) : this.rating.boxKey(event, box);
  }
}
