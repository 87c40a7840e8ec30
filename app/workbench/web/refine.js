// A model's answer beside the item: the criteria, and below them the item's own fields, which E opens to be changed.

import { el, fill, key, same } from "./dom.js";
import { FieldForm } from "./fields.js";
import { RatingForm } from "./rating.js";

export class RefineForm {
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "refine" });
    // With the item open, the last answer does not submit: the fields come next.
    this.rating = new RatingForm({ ...host, submit: () => (this.editing ? this.fields.focus() : host.submit()) });
    this.fields = new FieldForm({ media: host.media, change: () => host.change() });
  }

  open({ fields, values, answers = {}, ...rest }) {
    const { fields: edited, ...given } = answers.values || {};
    this.original = values;
    this.editable = fields.filter((field) => field.authored);
    this.editing = edited !== undefined;
    this.rating.open({ ...rest, answers: { ...answers, values: given } });
    this.fields.open({ fields: this.editable, values: { ...values, ...edited } });
    this.button = el("button", {
      type: "button",
      class: "small",
      "aria-expanded": "false",
      on: { click: () => this.toggle() },
    });
    this.error = el("p", { class: "error", role: "alert", hidden: true });
    this.editor = el(
      "div",
      { class: "editor" },
      el("p", { class: "help" }, "A new revision, verified again."),
      this.fields.root,
      this.error,
    );
    fill(this.root, this.rating.root, el("p", {}, this.button), this.editor);
    this.paint();
  }

  paint() {
    this.editor.hidden = !this.editing;
    this.button.setAttribute("aria-expanded", String(this.editing));
    fill(this.button, key("E"), this.editing ? " leave the item as it is" : " edit the item");
    this.host.media?.repaint();
  }

  toggle() {
    this.editing = !this.editing;
    this.error.hidden = true;
    this.paint();
    this.host.change();
    if (this.editing) this.button.scrollIntoView({ block: "nearest" });
  }

  raw() {
    const { values, reasons } = this.rating.raw();
    return { values: this.editing ? { ...values, fields: this.fields.raw() } : values, reasons };
  }

  read() {
    const { values, reasons } = this.rating.read();
    return { values: this.editing ? { ...values, fields: this.edited() } : values, reasons };
  }

  // The fields that nobody changed, whatever the form made of their spaces.
  untouched() {
    const written = this.fields.read();
    const before = new FieldForm({ change: () => {} });
    before.open({ fields: this.editable, values: this.original });
    const was = before.read();
    return new Set(this.editable.map((field) => field.name).filter((name) => same(written[name], was[name])));
  }

  // Only what was changed: the rest stays exactly as it came.
  edited() {
    const untouched = this.untouched();
    const written = this.fields.read();
    return Object.fromEntries(
      this.editable.filter(({ name }) => !untouched.has(name)).map(({ name }) => [name, written[name] ?? null]),
    );
  }

  check() {
    this.error.hidden = true;
    if (!this.rating.check()) return false;
    if (!this.editing) return true;
    if (!this.fields.check(this.untouched())) return false;
    if (Object.keys(this.edited()).length) return true;
    this.error.textContent = "Nothing is changed yet. Change a field, or leave the item as it is.";
    this.error.hidden = false;
    return false;
  }

  problems(list) {
    const nameOf = (problem) => problem.name.replace(/^fields\./, "");
    const ofFields = this.editing
      ? list.filter((problem) => this.editable.some((field) => field.name === nameOf(problem)))
      : [];
    if (ofFields.length) this.fields.problems(ofFields.map((problem) => ({ ...problem, name: nameOf(problem) })));
    return this.rating.problems(list.filter((problem) => !ofFields.includes(problem)));
  }

  key(event) {
    return this.rating.key(event) || (this.editing && this.fields.key(event));
  }

  boxKey(event, box) {
    return this.fields.root.contains(box) ? this.fields.boxKey(event, box) : this.rating.boxKey(event, box);
  }
}
