// What the server says of the wording of texts, asked in the pauses of whoever writes them. It keeps no one from
// submitting, and where the server is away nothing is said.

import { blank, el, fill } from "../dom.js";

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
    if (field.wording) this.begun.add(field.name);
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
    const found = ruled && look ? await look(form.read()) : [];
    if (asked !== this.asked) return;
    this.found = found;
    for (const part of form.parts.values()) this.paint(part);
  }

  /** @param {Part} part */
  paint({ field, advice }) {
    const lines = this.found
      .filter(({ field: name, later }) => name === field.name && !(later && this.begun.has(name)))
      .map(({ sentence, stops }) => `${stops ? "Refused as it is" : "Advice"}: ${sentence}`);
    if (advice.dataset.said === lines.join("\n")) return; // so that it is read out once
    advice.dataset.said = lines.join("\n");
    fill(
      advice,
      lines.map((line) => el("p", {}, line)),
    );
  }
}
