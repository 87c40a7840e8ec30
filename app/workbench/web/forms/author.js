// The form of an author: the fields of an item, and nothing else.

import { FieldForm } from "./fields.js";

/** @import { CrossRule, Field, Host, Problem, Read, Values } from "../types" */

export class AuthorForm {
  /** @param {Host} host */
  constructor(host) {
    this.fields = new FieldForm(host);
    this.root = this.fields.root;
  }

  /** @param {{ fields: Field[], between: CrossRule[], dimension: string, values: Values, earlier: string[] }} what */
  open(what) {
    this.fields.open(what);
  }

  focus() {
    this.fields.focus();
  }

  check() {
    return this.fields.check();
  }

  /** @param {Problem[]} list */
  problems(list) {
    return this.fields.problems(list);
  }

  /** @returns {Read} */
  raw() {
    return { values: this.fields.raw(), reasons: {} };
  }

  /** @returns {Read} */
  read() {
    return { values: this.fields.read(), reasons: {} };
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.fields.key(event);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  boxKey(event, box) {
    return this.fields.boxKey(event, box);
  }
}
