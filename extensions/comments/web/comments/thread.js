// The comments on an item: what one may read of them, and a box to write one. Nothing typed is lost: what is being
// written waits in this browser, and what is being sent is sent again under its own key until the server has it.

import { el, fill, key, unique } from "../dom.js";
import { Gone, post, Refused } from "../http.js";
import { forget, read, write } from "../storage.js";
import { t } from "../words.js";
import { deliver, draftName, finishComments, sendingName } from "./sending.js";

/** @import { Comment, CommentAttempt, ThreadPart } from "../comment_types" */

/**
 * As every page writes a moment.
 * @param {string} iso
 */
const when = (iso) => `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** @typedef {{ task?: string, project?: string, item?: string }} Place where a comment belongs: a task, or an item of a project */

/**
 * @typedef {object} ThreadHost
 * @property {() => string} csrf
 * @property {() => number} person
 * @property {() => void} changed
 * @property {boolean} [leave] whether Escape leaves the box by way of the page around
 */

export class Thread {
  /** @param {ThreadHost} host */
  constructor(host) {
    this.host = host;
    /** @type {Place} */
    this.place = {};
    /** @type {string | null} */
    this.item = null;
    /** @type {ThreadPart | null} */
    this.data = null;
    /** @type {string | null} */
    this.replyTo = null;
    this.sending = false;
    this.list = el("ol", { class: "comments" });
    this.box = el("textarea", {
      class: "box comment",
      rows: "2",
      maxlength: "5000",
      "aria-label": t("Comment"),
      on: { input: () => this.typed() },
    });
    this.early = el("input", { type: "checkbox", on: { change: () => this.typed() } });
    this.free = el(
      "label",
      { class: "free", hidden: true },
      this.early,
      ` ${t("Safe to show now: the comment reveals no answer or vote")}`,
    );
    this.reply = el("div", { class: "replying", hidden: true });
    this.status = el("span", { class: "quiet", role: "status" });
    this.sendButton = el(
      "button",
      { type: "button", class: "small", on: { click: () => this.send() } },
      `${t("Send")} `,
      key("Ctrl ⏎"),
    );
    this.about = el("p", { class: "quiet talkabout" });
    this.root = el(
      "section",
      { class: "thread", "aria-label": t("Comments") },
      this.list,
      this.reply,
      this.box,
      this.free,
      el("div", { class: "sendrow" }, this.sendButton, this.status),
      this.about,
    );
    this.box.addEventListener("keydown", (event) => this.keydown(event));
  }

  /**
   * Begin with another item.
   * @param {Place} place
   * @param {string | null} item its id
   * @param {string} [kept] a draft from the server
   */
  open(place, item, kept = "") {
    this.place = place;
    this.item = item;
    this.data = null;
    this.replyTo = null;
    fill(this.list);
    fill(this.about);
    const local = item ? read(this.draftName()) : null;
    this.box.value = local ? local.text : kept;
    this.early.checked = Boolean(local?.early);
    this.replyTo = local ? local.reply_to : null;
    this.say("");
    this.paintReply();
  }

  get text() {
    return this.box.value;
  }

  draftName(item = this.item) {
    return draftName(this.host.person(), item);
  }

  /** Comments that a reload cut short are sent again. */
  finishOld() {
    return finishComments(this.host.person(), this.host.csrf);
  }

  async load() {
    const { place } = this;
    try {
      const answer = await post("/api/comments", this.host.csrf(), place);
      if (place === this.place) this.paint(answer);
    } catch (error) {
      if (place !== this.place) return;
      if (error instanceof Gone) this.say(t("The server does not answer. You can keep typing."));
      else if (error instanceof Refused) this.say(error.message);
      else throw error;
    }
  }

  /** @param {ThreadPart} data */
  paint(data) {
    this.data = data;
    const by = new Map(data.comments.map((comment) => [comment.id, comment]));
    fill(
      this.list,
      data.comments.map((comment) => this.line(comment, by)),
    );
    this.free.hidden = !(data.open && data.may_free);
    const people = data.people.map(({ login, name }) =>
      name === login ? `@${login}` : t("@{login} for {name}", { login, name }),
    );
    const whom = people.length
      ? el("details", {}, el("summary", {}, t("Mention someone with @")), `${people.join(", ")}.`)
      : null;
    const who = data.whole
      ? data.open
        ? t("Other people still answer this item blind. They see your comment after the item is settled.")
        : ""
      : t("Seniors and leads read your comment. You may see their reply only after the item is settled.");
    fill(this.about, who, whom);
    this.paintReply();
  }

  /**
   * @param {Comment} comment
   * @param {Map<string, Comment>} by
   */
  line(comment, by) {
    const answered = comment.reply_to && by.get(comment.reply_to);
    return el(
      "li",
      { class: comment.unread ? "new" : "", data: { comment: comment.id } },
      el(
        "div",
        { class: "head" },
        el("strong", {}, comment.mine ? t("you") : comment.name),
        el("span", { class: "quiet" }, when(comment.at)),
        answered
          ? el("span", { class: "quiet" }, t("to {name}", { name: answered.mine ? t("you") : answered.name }))
          : null,
        comment.unread ? el("span", { class: "flag" }, t("new")) : null,
        comment.held ? el("span", { class: "flag held" }, t("hidden until settled")) : null,
        comment.mine
          ? null
          : el("button", { type: "button", class: "small", on: { click: () => this.answer(comment) } }, t("answer")),
      ),
      el("div", { class: "words" }, comment.text),
    );
  }

  /** @param {Comment} comment */
  answer(comment) {
    this.replyTo = comment.id;
    this.paintReply();
    this.box.focus();
    this.typed();
  }

  paintReply() {
    const comment = this.data && this.replyTo && this.data.comments.find((each) => each.id === this.replyTo);
    this.reply.hidden = !comment;
    if (!comment) return;
    fill(
      this.reply,
      `${t("Answering {name}", { name: comment.name })} `,
      el(
        "button",
        {
          type: "button",
          class: "small",
          on: {
            click: () => {
              this.replyTo = null;
              this.paintReply();
              this.typed();
            },
          },
        },
        t("not an answer"),
      ),
    );
  }

  typed() {
    this.say("");
    if (!this.item) return;
    if (this.box.value)
      write(this.draftName(), { text: this.box.value, early: this.early.checked, reply_to: this.replyTo });
    else forget(this.draftName());
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight + 2, 240)}px`;
    this.host.changed();
  }

  /** @param {string} text */
  say(text) {
    this.status.textContent = text;
  }

  async send() {
    const text = this.box.value.trim();
    if (!text || this.sending || !this.item) return;
    /** @type {CommentAttempt} */
    const attempt = {
      ...this.place,
      key: unique(),
      text,
      early: this.early.checked && !this.free.hidden,
      reply_to: this.replyTo,
    };
    const { item, place } = this;
    const name = sendingName(this.host.person(), item);
    write(name, attempt);
    this.sending = true;
    this.box.readOnly = true;
    this.say(t("sending"));
    try {
      const answer = await deliver(
        attempt,
        () => this.host.csrf(),
        () => place === this.place && this.say(t("Your comment is sent when the server answers again.")),
      );
      forget(this.draftName(item));
      if (place !== this.place) return;
      this.box.value = "";
      this.early.checked = false;
      this.replyTo = null;
      this.paint(answer);
      this.typed();
      this.say(t("sent"));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (place === this.place) this.say(error.problems.map((problem) => problem.message).join(" ") || error.message);
    } finally {
      forget(name);
      this.sending = false;
      this.box.readOnly = false;
    }
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.send();
    }
    if (event.key === "Escape" && !this.host.leave) this.box.blur();
    event.stopPropagation();
  }
}
