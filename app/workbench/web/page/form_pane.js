// The side of the page that asks: the item's texts, the form, a note, comments, and the foot with the submit button.

import { Thread } from "../comments/thread.js";
import { el, fill } from "../dom.js";
import { fitHeight } from "../kinds/keys.js";

/** @import { Answers, Child, Task } from "../types" */

/**
 * @typedef {object} Around what the side is told by the page, and tells it
 * @property {() => void} changed
 * @property {() => void} submit
 * @property {() => string} csrf
 * @property {() => number} person
 * @property {() => Task | null} task
 */

export class FormPane {
  /** @param {Around} around */
  constructor(around) {
    this.around = around;
    this.about = el("div", { class: "item" });
    this.formHost = el("div", { class: "formhost" });
    this.noteBox = el("textarea", { class: "box", rows: "2", "aria-label": "Note" });
    this.noteBox.addEventListener("input", () => {
      fitHeight(this.noteBox);
      around.changed();
    });
    this.note = el("div", { class: "note", hidden: true }, el("div", { class: "prompt" }, "Note"), this.noteBox);
    this.talk = new Thread({ csrf: around.csrf, person: around.person, changed: around.changed, leave: true });
    this.talkPart = el(
      "div",
      { class: "talk", hidden: true },
      el("div", { class: "prompt" }, "Comments"),
      this.talk.root,
    );
    this.scroll = el("div", { class: "scroll" }, this.about, this.formHost, this.note, this.talkPart);
    this.status = el("span", { class: "saved", role: "status", "aria-live": "polite" });
    this.submitButton = el(
      "button",
      { type: "button", class: "submit", on: { click: around.submit } },
      "Submit ",
      el("kbd", { "aria-hidden": "true" }, "Ctrl ⏎"),
    );
    this.foot = el("footer", { class: "foot" }, this.status, this.submitButton);
    this.root = el("section", { class: "form", tabindex: "-1", "aria-label": "What is asked" }, this.scroll, this.foot);
  }

  /**
   * Another task: its note and what was being written about it.
   * @param {Task} task
   * @param {Answers} answers
   */
  open(task, answers) {
    this.setNote(answers.note);
    this.talk.open({ task: task.id }, task.item, answers.comment);
    this.talkPart.hidden = !this.talk.text;
    if (this.talk.text) this.talk.load();
    this.scroll.scrollTop = 0;
    this.foot.hidden = false;
  }

  /** @param {Child} content what stands there instead of a task */
  openNothing(content) {
    fill(this.about);
    this.note.hidden = true;
    this.talkPart.hidden = true;
    this.foot.hidden = true;
    fill(this.formHost, content);
    this.focus();
  }

  /** @param {string | undefined} note */
  setNote(note) {
    this.noteBox.value = note || "";
    this.note.hidden = !note;
  }

  /**
   * What a draft keeps of this side.
   * @returns {Answers}
   */
  typed() {
    return { note: this.noteBox.value, ...(this.talk.text ? { comment: this.talk.text } : {}) };
  }

  /** @param {string} text */
  say(text) {
    this.status.textContent = text;
  }

  focus() {
    this.root.focus({ preventScroll: true });
  }

  openNote() {
    if (!this.around.task()) return;
    this.note.hidden = false;
    this.noteBox.focus();
    this.note.scrollIntoView({ block: "nearest" });
  }

  openTalk() {
    if (!this.around.task()?.item) return;
    if (this.talkPart.hidden || !this.talk.data) this.talk.load();
    this.talkPart.hidden = false;
    this.talk.box.focus();
    this.talkPart.scrollIntoView({ block: "nearest" });
  }
}
