// The task after this one is here before it is needed. It opens at once, while the answer to this one is sent behind it.
// The server lends the task from the moment at which it hears that the task is shown.

import { same } from "../dom.js";
import { post, Refused } from "../http.js";
import { t } from "../words.js";

/** @import { Attempt, Page, Task, TaskPage, Wish } from "../types" */
/** @import { Bench } from "./bench.js" */

const MARGIN_MS = 5000; // a task that is held for less than this may be someone else's when the server hears of it
const TWICE_MS = 300; // a second press within this time was meant for the task before
const SENDING = t("Sending…");

export class Upcoming {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {Task | null} */
    this.task = null; // held for this person, and not shown yet
    this.sends = false; // from the submission of one task until the server knows that the next one is shown
    this.pressed = false; // the next one was submitted meanwhile
    this.isReplaced = false; // what was shown ahead could not be had, and another task came
    this.isNew = false; // the task has only just been shown: presses are not for it yet
    this.asked = false; // whether the page is to be busy after that moment
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.moment = undefined;
    this.leaving = () => this.giveBack();
    window.addEventListener("pagehide", this.leaving);
  }

  stop() {
    window.removeEventListener("pagehide", this.leaving);
    clearTimeout(this.moment);
    this.giveBack();
  }

  /** A task that is never shown goes back at once. */
  giveBack() {
    const { task } = this;
    this.task = null;
    const unseen = { task: task?.id, unseen: true };
    if (task) post("/api/release", this.bench.page.csrf, unseen, { keepalive: true }).catch(() => {});
  }

  /**
   * What comes with a page that opens.
   * @param {Page} page
   */
  open(page) {
    this.isReplaced = this.sends && page.view === "task" && page.task.id !== this.bench.task?.id;
    this.task = page.view === "task" ? page.upcoming : null;
    this.sends = false;
    this.pressed = false;
  }

  /**
   * Whether what is shown stays as it is: the page brings the same task once more, or is one from before.
   * @param {Page | null} before
   * @param {Page} page
   * @param {Wish | null} wished
   */
  keeps(before, page, wished) {
    if (!wished && this.sends) return true;
    if (before?.view !== "task" || page.view !== "task" || before.task.id !== page.task.id) return false;
    if (wished && !(wished.confirms && before.static_hash === page.static_hash && alike(before.task, page.task)))
      return false;
    const { bench, pressed } = this;
    bench.data = { ...before, csrf: page.csrf, progress: page.progress, menu: page.menu };
    bench.lease.open(page.task.lease_until);
    bench.paintLine();
    if (!wished) return true;
    bench.requests.settle();
    bench.ahead.fetch(page.task, page.prefetch);
    this.open(page);
    if (pressed) bench.actions.submit();
    return true;
  }

  /** Someone submits a task that the server does not know to be shown: the answer waits for that. */
  press() {
    this.pressed = true;
    this.bench.setBusy(true);
    this.bench.side.say(SENDING);
  }

  /** @param {TaskPage} page */
  show(page) {
    const { bench } = this;
    bench.data = page;
    bench.openTask(page);
    bench.paintLine();
    bench.guideline.paint();
  }

  /** The second of two quick presses must not answer a task that no one has looked at. */
  waitAMoment() {
    const { bench } = this;
    clearTimeout(this.moment);
    this.isNew = true;
    bench.setBusy(false);
    this.moment = setTimeout(() => {
      this.isNew = false;
      bench.setBusy(this.asked);
    }, TWICE_MS);
  }

  /** Whether the next task can be shown now. */
  get isReady() {
    const { connection, lease } = this.bench;
    if (!this.task || connection.offline) return false;
    return Date.parse(this.task.lease_until) - MARGIN_MS > Date.now() + lease.skew;
  }

  /**
   * Shows the next task, and sends the answer to this one.
   * @param {TaskPage} page
   * @param {Omit<Attempt, "task" | "key">} payload
   */
  async send(page, payload) {
    const { bench } = this;
    const next = this.task;
    if (!next) throw new Error("no task waits");
    const values = bench.actions.answers();
    bench.sync.change(values);
    const wish = bench.requests.wish({ submitted: true, confirms: true, ahead: bench.ahead.after(next).length });
    const sent = bench.sync.submit(payload, wish);
    bench.active.done(page.task.id);
    this.sends = true;
    this.task = null;
    this.show({ ...page, task: next, upcoming: null, prefetch: null });
    this.waitAMoment();
    bench.side.say(SENDING);
    try {
      const answer = await sent;
      bench.actions.saved(answer);
      await bench.sync.flush(); // what was typed meanwhile: another task may come
      bench.requests.take(wish, answer.page);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await bench.sync.flush(); // what was typed meanwhile
      bench.sync.giveUp(page.task.id);
      bench.setBusy(false);
      const draft = { seq: page.task.draft?.seq ?? 0, values, saved_at: page.now };
      this.show({ ...page, task: { ...page.task, draft }, upcoming: next, prefetch: null });
      this.open(bench.page);
      bench.actions.refused(error, "submit");
    }
  }
}

/**
 * Whether a task has stayed the same.
 * @param {Task} one
 * @param {Task} other
 */
const alike = (one, other) =>
  same({ ...one, lease_until: "", draft: null }, { ...other, lease_until: "", draft: null });
