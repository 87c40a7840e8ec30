// The fields of an item, checked while they are written.

import { el, fill, focusedNear } from "../dom.js";
import { grow, keyIndex } from "../kinds/keys.js";
import { problemOf } from "./field_checks.js";
import { fillBody, isPicked, pickBody, sketch } from "./field_parts.js";
import { begunAll, blank, countOf, isText, submitted } from "./field_values.js";
import { similar, similarPart, wordsOf } from "./similar.js";

/** @import { MediaPane } from "../media/pane.js" */
/** @import { Field, Problem, Values } from "../types" */
/** @import { Part } from "./field_parts.js" */
/** @import { Earlier } from "./similar.js" */

/**
 * @typedef {object} FieldHost
 * @property {MediaPane} [media]
 * @property {() => void} change
 */

const SHORT = 3; // letters that are too few to compare

export class FieldForm {
  /** @param {FieldHost} host */
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "fields" });
    /** @type {Field[]} */
    this.fields = [];
    /** @type {Values} */
    this.values = {};
    /** @type {Earlier[]} */
    this.earlier = [];
    /** @type {Record<string, string>} */
    this.errors = {};
    /** @type {Set<string>} */
    this.touched = new Set();
    /** @type {Map<string, Part>} */
    this.parts = new Map();
    /** @type {string | null} */
    this.group = null; // the field whose options had the focus last
  }

  /** @param {{ fields: Field[], values?: Values, earlier?: string[] }} what */
  open({ fields, values = {}, earlier = [] }) {
    this.fields = fields;
    this.earlier = earlier.map((text) => ({ text, words: wordsOf(text) }));
    this.values = begunAll(fields, values);
    this.errors = {};
    this.touched = new Set();
    this.parts = new Map(fields.map((field) => [field.name, sketch(field)]));
    for (const part of this.parts.values()) fillBody(this, part);
    fill(
      this.root,
      [...this.parts.values()].map(({ root }) => root),
    );
    for (const field of fields) this.paint(field);
    this.group = null;
  }

  /**
   * @param {Field} field
   * @returns {Part}
   */
  part(field) {
    const found = this.parts.get(field.name);
    if (!found) throw new Error(`the form has no field ${field.name}`);
    return found;
  }

  focus() {
    for (const part of this.parts.values()) for (const box of part.boxes) grow(box); // drawn while hidden: no height yet
    const empty = this.fields.find((field) => blank(this.values[field.name]) && this.part(field).boxes.length);
    const first = empty || this.fields[0];
    if (!first) return;
    const { boxes } = this.part(first);
    const box = boxes.find((candidate) => !candidate.value.trim()) || boxes[0];
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }

  /**
   * What is there now, for a draft.
   * @returns {Values}
   */
  raw() {
    return Object.fromEntries(Object.entries(this.values).filter(([, value]) => value !== undefined));
  }

  /** What is submitted. */
  read() {
    return submitted(this.fields, this.values);
  }

  /**
   * What can be picked: the schema's own options, or what is written in another field.
   * @param {Field} field
   * @returns {unknown[]}
   */
  entries(field) {
    if (field.kind === "choice") return field.options.map((option) => option.value);
    return this.listOf(field.field)
      .map((entry) => String(entry).trim())
      .filter(Boolean);
  }

  /**
   * @param {string | null} name of a field
   * @returns {unknown[]}
   */
  listOf(name) {
    const value = this.values[name ?? ""];
    return Array.isArray(value) ? value : [];
  }

  // ---- changing

  /**
   * @param {Field} field
   * @param {unknown} value
   */
  set(field, value) {
    this.values[field.name] = value;
    delete this.errors[field.name];
    this.changed(field);
  }

  /**
   * @param {Field} field
   * @param {unknown[]} entries
   */
  relist(field, entries) {
    this.values[field.name] = entries;
    fillBody(this, this.part(field));
  }

  /** @param {Field} field */
  addEntry(field) {
    this.relist(field, [...this.listOf(field.name), ""]);
    this.part(field).boxes.at(-1)?.focus();
    this.changed(field);
  }

  /**
   * @param {Field} field
   * @param {number} index
   */
  removeEntry(field, index) {
    this.relist(
      field,
      this.listOf(field.name).filter((_, at) => at !== index),
    );
    this.changed(field);
  }

  /**
   * @param {Field} field
   * @param {unknown} entry
   */
  pick(field, entry) {
    if (field.kind === "option_of" || field.kind === "choice") this.values[field.name] = entry;
    else {
      const offered = this.entries(field); // what is written differently by now falls out
      const list = this.listOf(field.name).filter((other) => offered.includes(other));
      const without = list.filter((other) => other !== entry);
      this.values[field.name] = without.length < list.length ? without : [...list, entry];
    }
    const part = this.part(field);
    const focused = /** @type {(Element | null)[]} */ (part.buttons).indexOf(focusedNear(part.root));
    pickBody(this, part);
    part.buttons[focused]?.focus();
    delete this.errors[field.name];
    this.changed(field);
  }

  /** @param {Field} field */
  changed(field) {
    if (field.kind === "text_list") {
      for (const other of this.fields.filter((candidate) => candidate.field === field.name)) {
        pickBody(this, this.part(other));
        this.paint(other);
      }
    }
    this.paint(field);
    this.host.change();
  }

  // ---- what is wrong

  /**
   * @param {Field} field
   * @param {{ strict?: boolean }} [how]
   */
  paint(field, { strict = false } = {}) {
    const { name } = field;
    const part = this.part(field);
    const raw = this.values[name];
    const message =
      this.errors[name] ||
      problemOf({
        field,
        value: this.read()[name],
        raw,
        entries: this.entries(field),
        strict,
        touched: this.touched.has(name),
      });
    part.error.hidden = !message;
    part.error.textContent = message || "";
    part.root.classList.toggle("bad", Boolean(message));
    for (const box of part.boxes) box.setAttribute("aria-invalid", String(Boolean(message)));
    part.count.textContent = countOf(field, raw);
    if (field === this.fields.find(isText)) this.paintSimilar(part, raw);
  }

  /**
   * @param {Part} part
   * @param {unknown} value
   */
  paintSimilar(part, value) {
    const near = typeof value === "string" && value.trim().length > SHORT ? similar(value, this.earlier) : [];
    const now = near.map(([score, entry]) => `${score} ${entry.text}`).join("\n");
    if (part.near === now) return;
    part.near = now;
    fill(part.extra, near.length ? similarPart(near) : null);
  }

  /**
   * Marks what is wrong; true when nothing is.
   * @param {Set<string>} leave names of fields that are taken as they are
   */
  check(leave = new Set()) {
    this.errors = {};
    const looked = this.fields.filter((field) => !leave.has(field.name));
    for (const field of looked) this.paint(field, { strict: true });
    const first = looked.find((field) => !this.part(field).error.hidden);
    if (first) this.goTo(first);
    return !first;
  }

  /**
   * Shows what the server found; gives back what belongs to no field here.
   * @param {Problem[]} list
   */
  problems(list) {
    const known = this.fields.filter((field) => list.some((problem) => problem.name === field.name));
    for (const { name, message } of list) if (this.parts.has(name)) this.errors[name] = message;
    for (const field of known) this.paint(field);
    const first = known.find((field) => field.name === list.find(({ name }) => this.parts.has(name))?.name);
    if (first) this.goTo(first);
    return list.filter(({ name }) => !this.parts.has(name)).map(({ message }) => message);
  }

  /** @param {Field} field */
  goTo(field) {
    const { boxes, buttons, drawn, root } = this.part(field);
    const target = boxes.find((box) => !box.value.trim()) || boxes[0] || drawn?.root || buttons[0];
    target?.focus();
    root.scrollIntoView({ block: "nearest" });
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  key(event) {
    const index = keyIndex(event);
    const picks = this.fields.filter((field) => isPicked(field) && this.part(field).buttons.length);
    if (index < 0 || !picks.length) return false;
    const here = picks.find((field) => field.name === this.group);
    const field = here || picks.find((candidate) => blank(this.values[candidate.name])) || picks[0];
    const entry = this.entries(field)[index];
    if (entry === undefined) return false;
    this.pick(field, entry);
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  boxKey(event, box) {
    if (event.key !== "Enter" || event.shiftKey || box.dataset.line !== "one") return false;
    this.onward(box);
    return true;
  }

  /**
   * To what is filled in next; whether there is something.
   * @param {HTMLElement} from
   */
  onward(from) {
    /** @type {HTMLElement[]} */
    const all = [...this.root.querySelectorAll(/** @type {"div"} */ ("textarea, .choices .choice, .marker"))];
    const next = all[all.indexOf(from) + 1];
    next?.focus();
    return Boolean(next);
  }
}
