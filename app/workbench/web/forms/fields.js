// The fields of an item, checked while they are written.

import { blank, el, fill, focusedNear } from "../dom.js";
import { FIELDS } from "../kinds/index.js";
import { fitHeight, keyIndex } from "../kinds/keys.js";
import { fieldFrame } from "./field_parts.js";
import { begunAll, problemOf, submitted } from "./field_values.js";
import { brokenAmong } from "./rules.js";
import { similar, similarPart, wordsOf } from "./similar.js";
import { Wording } from "./wording.js";

/** @import { MediaPane } from "../media/pane.js" */
/** @import { CrossRule, Field, Problem, Unheld, Values } from "../types" */
/** @import { Part } from "./field_parts.js" */
/** @import { Earlier } from "./similar.js" */

/**
 * @typedef {object} FieldHost
 * @property {MediaPane} [media]
 * @property {() => void} change
 * @property {(values: Values) => Promise<Unheld[]>} [look] asks the server what it says of the wording
 */

const SHORT = 3; // letters that are too few to compare

/**
 * Whether what is offered for a field comes from the field of that name.
 * @param {Field} field
 * @param {string} name
 */
const isFrom = ({ field, formed }, name) => field === name || formed?.by === name || formed?.list === name;

export class FieldForm {
  /** @param {FieldHost} host */
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "fields" });
    this.wording = new Wording(this, host.look);
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
    /** @type {CrossRule[]} */
    this.between = []; // what has to hold between fields
    this.dimension = ""; // of the item
    /** @type {string | null} */
    this.group = null; // the field whose options had the focus last
  }

  /** @param {{ fields: Field[], between?: CrossRule[], dimension: string, values?: Values, earlier?: string[] }} what */
  open({ fields, between = [], dimension, values = {}, earlier = [] }) {
    this.fields = fields;
    this.between = between;
    this.dimension = dimension;
    this.earlier = earlier.map((text) => ({ text, words: wordsOf(text) }));
    this.values = begunAll(fields, values);
    this.errors = {};
    this.touched = new Set();
    this.parts = new Map(fields.map((field) => [field.name, fieldFrame(field)]));
    this.wording.open();
    for (const part of this.parts.values()) this.fill(part);
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

  /** @param {Part} part */
  fill(part) {
    part.boxes = [];
    part.buttons = [];
    FIELDS[part.field.kind].body(this, part);
  }

  focus() {
    for (const part of this.parts.values()) for (const box of part.boxes) fitHeight(box); // drawn while hidden: no height yet
    const empty = this.fields.find(
      (field) => blank(this.values[field.name]) && this.part(field).boxes.length && this.isAsked(field),
    );
    const first = empty || this.fields[0];
    if (!first) return;
    const { boxes } = this.part(first);
    const box = boxes.find((candidate) => !candidate.value.trim()) || boxes[0];
    if (!box) this.part(first).editor?.root.focus();
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
    const asked = this.fields.filter((field) => this.isAsked(field));
    return submitted(asked, this.values);
  }

  /**
   * Whether it is filled in, by what another field says.
   * @param {Field} field
   */
  isAsked({ only }) {
    return !only || only.values.includes(String(this.values[only.by])) === only.with;
  }

  /**
   * What can be picked; nothing where a field is written.
   * @param {Field} field
   * @returns {unknown[]}
   */
  entries(field) {
    return FIELDS[field.kind].entries?.(this, field) ?? [];
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
    this.fill(this.part(field));
  }

  /**
   * @param {Field} field
   * @param {unknown} entry
   */
  pick(field, entry) {
    this.values[field.name] = FIELDS[field.kind].picked?.(this, field, entry);
    const part = this.part(field);
    const focused = /** @type {(Element | null)[]} */ (part.buttons).indexOf(focusedNear(part.root));
    this.fill(part);
    part.buttons[focused]?.focus();
    delete this.errors[field.name];
    this.changed(field);
  }

  /** @param {Field} field */
  changed(field) {
    for (const other of this.fields.filter((candidate) => isFrom(candidate, field.name))) {
      this.fill(this.part(other)); // what is picked from it
      this.paint(other);
    }
    const shown = this.fields.filter(({ only }) => only?.by === field.name);
    const ruled = this.between.filter(({ of, when }) => of.includes(field.name) || field.name in when);
    for (const other of this.fields) if (ruled.some(({ of }) => of.includes(other.name))) this.paint(other);
    for (const other of shown) this.paint(other);
    if (shown.length) {
      this.host.media?.editor?.detach(); // what is drawn in a field that is hidden now is hidden, too
      this.host.media?.repaint();
    }
    this.paint(field);
    this.wording.changed(field);
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
    part.root.hidden = !this.isAsked(field);
    const found = () =>
      problemOf({
        field,
        part,
        value: this.read()[name],
        raw,
        entries: this.entries(field),
        strict,
        touched: this.touched.has(name),
      });
    const message = part.root.hidden
      ? null
      : this.errors[name] || found() || brokenAmong(this.between, this, strict)[name];
    part.error.hidden = !message;
    part.error.textContent = message || "";
    part.root.classList.toggle("bad", Boolean(message));
    for (const box of part.boxes) box.setAttribute("aria-invalid", String(Boolean(message)));
    part.count.textContent = FIELDS[field.kind].count?.(field, raw) ?? "";
    if (field === this.fields.find(({ kind }) => FIELDS[kind].isText)) this.paintSimilar(part, raw);
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
    if (first) {
      this.goTo(first);
      this.paint(first, { strict: true }); // the box that lost the focus has painted it as if someone were still writing
    }
    return !first;
  }

  /**
   * Shows what the server found; gives back what belongs to no field here.
   * @param {Problem[]} list
   */
  problems(list) {
    const known = this.fields.filter((field) => list.some((problem) => problem.name === field.name));
    for (const { name, message } of list) if (this.parts.has(name)) this.errors[name] = message;
    for (const field of known) {
      this.paint(field);
      this.wording.paint(this.part(field));
    }
    const first = known.find((field) => field.name === list.find(({ name }) => this.parts.has(name))?.name);
    if (first) this.goTo(first);
    return list.filter(({ name }) => !this.parts.has(name)).map(({ message }) => message);
  }

  /** @param {Field} field */
  goTo(field) {
    const { boxes, buttons, editor, root } = this.part(field);
    const target = boxes.find((box) => !box.value.trim()) || boxes[0] || editor?.root || buttons[0];
    target?.focus();
    root.scrollIntoView({ block: "nearest" });
  }

  // ---- keys

  /** @param {KeyboardEvent} event */
  key(event) {
    const index = keyIndex(event);
    const picks = this.fields.filter((field) => this.part(field).buttons.length);
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
    const around = box.closest("[data-stop]");
    if (event.key === "Escape" && around instanceof HTMLElement) {
      around.focus(); // from numbers back to what is drawn
      return true;
    }
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
    const all = [...this.root.querySelectorAll(/** @type {"div"} */ ("textarea, .choices .choice, [data-stop]"))];
    const next = all.slice(all.indexOf(from) + 1).find((each) => !each.closest("[hidden]"));
    next?.focus();
    return Boolean(next);
  }
}
