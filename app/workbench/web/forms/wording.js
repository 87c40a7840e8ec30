// What the server says of the wording of texts, asked in the pauses of whoever writes them. It keeps no one from
// submitting, and where the server is away nothing is said.

import { blank, el, fill, focusedNear } from "../dom.js";
import { t } from "../words.js";

/** @import { Field, Unheld, Values } from "../types" */
/** @import { FieldForm } from "./fields.js" */
/** @import { Part } from "./field_parts.js" */

const PAUSE_MS = 700; // shorter ones are between two words

export class Wording {
  /**
   * @param {FieldForm} form
   * @param {(values: Values) => Promise<Unheld[]>} [look]
   */
  constructor(form, look) {
    this.form = form;
    this.look = look;
    /** @type {Unheld[]} */
    this.found = [];
    /** @type {Set<string>} fields in which someone writes just now: the end of a sentence is still to come */
    this.begun = new Set();
    this.asked = 0;
    this.timer = 0;
    this.fresh = true; // what stands in the form has not been looked at
    form.root.addEventListener("focusin", () => {
      if (this.fresh) this.ask();
    });
  }

  /** Another item, or the same one anew. */
  open() {
    clearTimeout(this.timer);
    this.asked += 1; // a reply about what was there before says nothing any more
    this.found = [];
    this.begun.clear();
    this.fresh = true;
  }

  /** @param {Field} field */
  changed(field) {
    const { boxes, root } = this.form.part(field);
    if (/** @type {(Element | null)[]} */ (boxes).includes(focusedNear(root))) this.begun.add(field.name);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE_MS);
  }

  /** @param {Field} field */
  left(field) {
    if (this.begun.delete(field.name)) this.ask();
  }

  async ask() {
    const { form, look } = this;
    clearTimeout(this.timer);
    this.fresh = false;
    this.asked += 1;
    const { asked } = this;
    const ruled = form.fields.some(({ name, wording }) => wording && !blank(form.values[name]));
    const found = ruled && look ? await look(this.texts()) : [];
    if (asked !== this.asked) return;
    this.found = found;
    for (const part of form.parts.values()) this.paint(part);
  }

  /**
   * What stands in the form; empty entries of lists, too, so that the server counts as the page does.
   * @returns {Values}
   */
  texts() {
    const asked = this.form.fields.filter((field) => this.form.isAsked(field));
    return Object.fromEntries(asked.map(({ name }) => [name, this.form.values[name]]));
  }

  /** @param {Part} part */
  paint({ field: { name }, advice }) {
    const said = this.form.errors[name] ?? ""; // when it was submitted, and not changed since
    const lines = this.found.filter(
      ({ field, later, sentence }) => field === name && !(later && this.begun.has(name)) && !said.endsWith(sentence),
    );
    const now = lines.map(({ sentence, stops }) =>
      stops ? t("Cannot be submitted: {sentence}", { sentence }) : t("Suggestion: {sentence}", { sentence }),
    );
    if (advice.dataset.said === now.join("\n")) return; // so that it is read out once
    advice.dataset.said = now.join("\n");
    fill(
      advice,
      now.map((line, at) => el("p", { class: lines[at].stops ? "stops" : null }, line)),
    );
  }
}
