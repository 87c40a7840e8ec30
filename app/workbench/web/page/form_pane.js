// The side of the page that asks: the item's texts, the form, a note, what extensions add, and the foot with the submit button.

import { clock, el, fill, key } from "../dom.js";
import { fitHeight } from "../kinds/keys.js";
import { modules } from "../parts/modules.js";
import { t } from "../words.js";

/** @import { Answers, Child, SidePart, Task } from "../types" */

const WARNED_MS = 2000; // how long the reason why a press had no effect stands at least

/**
 * @typedef {object} Around what the side is told by the page, and tells it
 * @property {() => void} changed
 * @property {() => void} submit
 * @property {() => void} keep leaves a submitted answer as it was
 * @property {() => string} csrf
 * @property {() => number} person
 * @property {() => Task | null} task
 */

/**
 * The words in the foot when a task opens.
 * @param {Task} task
 * @param {{ at?: string } | null} draft
 * @param {string | null} lastSaved
 */
export function openingWords(task, draft, lastSaved) {
  if (task.postponed) return t("You postponed this item.");
  if (task.correction) return t("You are editing an answer that you submitted.");
  if (draft) return draft.at ? t("draft saved {time}", { time: clock(draft.at) }) : t("Your earlier text is here.");
  return lastSaved ? t("saved {time}", { time: clock(lastSaved) }) : "";
}

export class FormPane {
  /** @param {Around} around */
  constructor(around) {
    this.around = around;
    this.about = el("div", { class: "item" });
    this.formHost = el("div", { class: "formhost" });
    this.noteBox = el("textarea", { class: "box", rows: "2", "aria-label": t("Note") });
    this.noteBox.addEventListener("input", () => {
      fitHeight(this.noteBox);
      around.changed();
    });
    this.note = el("div", { class: "note", hidden: true }, el("div", { class: "prompt" }, t("Note")), this.noteBox);
    const host = { csrf: around.csrf, person: around.person, changed: around.changed };
    this.parts = Object.values(modules).map(({ part }) => part(host));
    const added = this.parts.map(({ root }) => root);
    this.scroll = el("div", { class: "scroll" }, this.about, this.formHost, this.note, added);
    this.warnedAt = 0;
    this.status = el("span", { class: "saved", role: "status", "aria-live": "polite" });
    this.submitButton = el(
      "button",
      { type: "button", class: "submit", on: { click: around.submit } },
      `${t("Submit")} `,
      key("Submit", "Ctrl ⏎"),
    );
    this.others = el("a", { class: "small", hidden: true, target: "_blank" }, t("Other answers"));
    this.keepButton = el(
      "button",
      { type: "button", class: "small keep", hidden: true, on: { click: around.keep } },
      `${t("Keep my answer")} `,
      key("Esc"),
    );
    this.foot = el("footer", { class: "foot" }, this.status, this.others, this.keepButton, this.submitButton);
    this.root = el(
      "section",
      { class: "form", tabindex: "-1", "aria-label": t("Answer form") },
      this.scroll,
      this.foot,
    );
  }

  /**
   * Another task: its note and what was being written about it.
   * @param {Task} task
   * @param {Answers} answers
   */
  open(task, answers) {
    this.setNote(answers.note);
    for (const part of this.parts) part.open(task, answers);
    this.scroll.scrollTop = 0;
    this.keepButton.hidden = !task.correction;
    this.foot.hidden = false;
  }

  /** @param {Child} content what stands there instead of a task */
  openNothing(content) {
    fill(this.about);
    this.note.hidden = true;
    for (const part of this.parts) part.close();
    this.foot.hidden = true;
    fill(this.formHost, content, this.others.hidden ? null : el("p", { class: "others" }, this.others.cloneNode(true)));
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
    return Object.assign({ note: this.noteBox.value }, ...this.parts.map((part) => part.typed()));
  }

  /** @param {string} text */
  say(text) {
    this.status.textContent = text;
  }

  /** @param {string} text why a press had no effect; drafts that are saved meanwhile do not replace it */
  warn(text) {
    this.say(text);
    this.warnedAt = Date.now();
  }

  /** @param {string} at when the draft was saved */
  saved(at) {
    if (Date.now() - this.warnedAt >= WARNED_MS) this.say(t("draft saved {time}", { time: clock(at) }));
  }

  /** @param {string | null} href the page of the last submission, where others' answers are shown later */
  link(href) {
    this.others.hidden = href === null;
    if (href !== null) this.others.href = href;
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

  /** @param {SidePart} part */
  openPart(part) {
    const task = this.around.task();
    if (task && part.isOffered(task)) part.show();
  }

  /**
   * The part in whose box someone types.
   * @param {EventTarget | undefined} target
   */
  partWith(target) {
    return this.parts.find(({ box }) => box === target);
  }
}
