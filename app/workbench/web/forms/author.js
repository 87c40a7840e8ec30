// The form of an author: the fields of an item, and above them whether a model has proposed their texts.

import { el } from "../dom.js";
import { t } from "../words.js";
import { FieldForm } from "./fields.js";

/** @import { CrossRule, Field, Host, Problem, Read, Values } from "../types" */

export class AuthorForm {
  /** @param {Host} host */
  constructor(host) {
    this.fields = new FieldForm(host);
    this.mark = el(
      "p",
      { class: "proposed", role: "note", hidden: true },
      el("b", {}, t("A model proposed this text.")),
      ` ${t("Look at the image and correct every field. You are the author of this item.")}`,
    );
    this.root = el("div", {}, this.mark, this.fields.root);
  }

  /**
   * @typedef {object} Opened
   * @property {Field[]} fields
   * @property {CrossRule[]} between
   * @property {string} dimension
   * @property {Values} values
   * @property {string[]} earlier
   * @property {boolean} proposed a model has proposed what the fields begin with
   */

  /** @param {Opened} what */
  open({ proposed, ...what }) {
    this.mark.hidden = !proposed;
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
