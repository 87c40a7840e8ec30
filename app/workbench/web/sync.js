// What has been typed reaches the server, or waits in this browser until it can.
//
// A draft is written to localStorage at every change and posted at most a second after the last keystroke. A submission is
// written to localStorage under a key made once, before it is sent, and is sent again with the same key until the server
// answers: the server stores a key once, so nothing is lost and nothing is doubled.

import { unique } from "./dom.js";
import { Gone, post, Refused } from "./http.js";
import { forget, namesOf, read, write } from "./storage.js";

/** @import { Answers, Attempt, DraftReply, SubmitReply, Task, Wish } from "./types" */

/**
 * @typedef {object} Listener what is told
 * @property {(at: string) => void} saved a draft is with the server
 * @property {(words?: string) => void} gone
 * @property {() => void} back
 * @property {(error: Refused, what: "draft") => void} refused
 * @property {(kind: "open" | "newer" | "draft" | "submitted", detail: Answers) => void} other what another tab does
 */

/**
 * @typedef {object} Message from tab to tab
 * @property {"open" | "here" | "draft" | "submitted"} kind
 * @property {string} task
 * @property {number} [seq]
 * @property {Answers} [values]
 */

/** @typedef {{ seq: number, values: Answers, at: number }} Local a draft as it waits in this browser */

const QUIET_MS = 450; // a pause this long posts the draft
const LONGEST_MS = 2000; // and so does typing without a pause
const BACKOFF_MS = [500, 1000, 2000, 4000, 8000];
const SLOW_MS = 4000; // after which a submission that is under way is told to be
const TAB = unique();

export class Sync {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    /** @type {string | null} */
    this.task = null;
    this.csrf = "";
    this.person = 0;
    this.seq = 0;
    /** @type {Answers} */
    this.values = {};
    this.dirty = false;
    /** @type {string | null} */
    this.held = null; // the task whose submission is under way
    /** @type {Promise<void> | null} */
    this.sending = null;
    this.failures = 0;
    this.timer = 0;
    this.firstChange = 0;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("touchstone") : null;
    if (this.channel) this.channel.onmessage = (event) => this.heard(event.data);
    this.online = () => this.flush();
    window.addEventListener("online", this.online);
    this.leaving = () => {
      if (document.visibilityState === "hidden") this.flush({ keepalive: true });
    };
    document.addEventListener("visibilitychange", this.leaving);
    window.addEventListener("pagehide", this.leaving);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.channel) this.channel.close();
    window.removeEventListener("online", this.online);
    document.removeEventListener("visibilitychange", this.leaving);
    window.removeEventListener("pagehide", this.leaving);
  }

  draftName(task = this.task) {
    return `touchstone.draft.${this.person}.${task}`;
  }

  submitName(task = this.task) {
    return `touchstone.submit.${this.person}.${task}`;
  }

  /** @param {{ csrf: string, person: number }} who */
  identify({ csrf, person }) {
    this.csrf = csrf;
    this.person = person;
  }

  /**
   * Start on a task; the newer of the server's draft and this browser's own is returned.
   * @param {Task} task
   * @returns {{ values: Answers, at?: string } | null} `at`: when the server stored it
   */
  open(task) {
    clearTimeout(this.timer);
    this.task = task.id;
    this.dirty = false;
    this.firstChange = 0;
    /** @type {Local | null} */
    const local = read(this.draftName());
    const kept = task.draft;
    this.seq = Math.max(kept ? kept.seq : 0, local ? local.seq : 0);
    this.tell({ kind: "open", task: task.id });
    if (local && (!kept || local.seq > kept.seq)) {
      this.values = local.values;
      this.dirty = true;
      this.schedule(0);
      return { values: local.values };
    }
    this.values = kept ? kept.values : {};
    return kept ? { values: kept.values, at: kept.saved_at } : null;
  }

  /** Changes that are not sent yet stay unsent. */
  drop() {
    clearTimeout(this.timer);
    this.dirty = false;
  }

  close() {
    clearTimeout(this.timer);
    this.task = null;
    this.dirty = false;
  }

  /** @param {Answers} values */
  change(values) {
    if (!this.task) return;
    /** @type {Local | null} */
    const local = read(this.draftName());
    this.seq = Math.max(this.seq, local ? local.seq : 0) + 1;
    this.values = values;
    this.dirty = true;
    write(this.draftName(), { seq: this.seq, values, at: Date.now() });
    this.tell({ kind: "draft", task: this.task, seq: this.seq, values });
    const now = Date.now();
    if (!this.firstChange) this.firstChange = now;
    const wait = Math.max(0, Math.min(QUIET_MS, this.firstChange + LONGEST_MS - now));
    this.schedule(this.failures ? Math.max(wait, BACKOFF_MS[Math.min(this.failures - 1, 4)]) : wait);
  }

  /** @param {number} wait */
  schedule(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), wait);
  }

  async flush({ keepalive = false } = {}) {
    clearTimeout(this.timer);
    if (!this.dirty || !this.task || this.held === this.task) return;
    if (this.sending) {
      await this.sending;
      if (!this.dirty || !this.task || this.held === this.task) return;
    }
    const task = this.task;
    const seq = this.seq;
    this.firstChange = 0;
    this.dirty = false;
    this.sending = post("/api/draft", this.csrf, { task, seq, values: this.values }, { keepalive })
      .then((answer) => {
        this.recovered();
        if (task !== this.task) return;
        if (answer.seq > this.seq) {
          this.seq = answer.seq;
          this.listener.other("newer", {});
        } else this.listener.saved(answer.saved_at);
      })
      .catch((error) => {
        if (task !== this.task) return;
        this.dirty = true;
        if (error instanceof Gone) {
          this.lost(error.words);
          this.schedule(BACKOFF_MS[Math.min(this.failures - 1, 4)]);
        } else if (error instanceof Refused) {
          this.listener.refused(error, "draft");
          if (error.status >= 500) this.schedule(BACKOFF_MS[4]);
        } else throw error;
      })
      .finally(() => {
        this.sending = null;
      });
    await this.sending;
  }

  /** @param {string} words */
  lost(words) {
    this.failures += 1;
    this.listener.gone(words);
  }

  recovered() {
    if (!this.failures) return;
    this.failures = 0;
    this.listener.back();
  }

  /**
   * One submission: resolves with the server's acknowledgement, rejects with Refused. Being offline only takes longer.
   * @param {Omit<Attempt, "task" | "key">} payload
   * @param {Wish} next what the reply is to bring besides
   * @returns {Promise<SubmitReply>}
   */
  async submit(payload, next) {
    const { task } = this;
    if (task === null) throw new Error("no task is open");
    clearTimeout(this.timer);
    const attempt = { task, key: unique(), ...payload };
    write(this.submitName(task), attempt);
    this.held = task;
    try {
      const answer = await this.deliver(attempt, next);
      this.finish(task);
      this.tell({ kind: "submitted", task });
      return answer;
    } finally {
      this.held = null;
    }
  }

  /** @param {string} task */
  finish(task) {
    forget(this.submitName(task));
    forget(this.draftName(task));
    if (task === this.task) this.close();
  }

  giveUp(task = this.task) {
    forget(this.submitName(task));
  }

  /**
   * @param {Attempt} attempt
   * @param {Wish} [next]
   * @returns {Promise<SubmitReply>}
   */
  async deliver(attempt, next) {
    for (let tries = 0; ; tries += 1) {
      const slow = setTimeout(() => this.listener.gone(), SLOW_MS);
      try {
        const answer = await post("/api/submit", this.csrf, { ...attempt, next });
        this.failures = Math.max(this.failures, 1); // whatever was told of waiting is over
        this.recovered();
        return answer;
      } catch (error) {
        if (!(error instanceof Gone) && !(error instanceof Refused && error.status === 500 && tries < 3)) throw error;
        if (error instanceof Gone) this.lost(error.words);
        await pause(BACKOFF_MS[Math.min(tries, 4)]);
      } finally {
        clearTimeout(slow);
      }
    }
  }

  /**
   * Submissions that a reload or a crash of the browser interrupted. Sending them again is harmless.
   * @returns {Attempt[]}
   */
  unfinished() {
    /** @type {(Attempt | null)[]} */
    const found = namesOf(`touchstone.submit.${this.person}.`).map(read);
    return found.filter((attempt) => attempt !== null).filter((attempt) => attempt.task && attempt.key);
  }

  /** @param {Message} message */
  tell(message) {
    if (this.channel) this.channel.postMessage({ ...message, person: this.person, tab: TAB });
  }

  /** @param {Message & { person: number, tab: string } | null} message */
  heard(message) {
    if (!message || message.tab === TAB || message.person !== this.person || message.task !== this.task) return;
    if (message.kind === "open") {
      this.tell({ kind: "here", task: this.task });
      this.listener.other("open", {});
    } else if (message.kind === "here") this.listener.other("open", {});
    else if (message.kind === "draft" && message.values && (message.seq ?? 0) > this.seq) {
      this.seq = message.seq ?? 0;
      this.values = message.values;
      this.dirty = false;
      this.listener.other("draft", message.values);
    } else if (message.kind === "submitted") this.listener.other("submitted", {});
  }
}

/**
 * Waits, or until the network is back.
 * @param {number} wait
 * @returns {Promise<void>}
 */
const pause = (wait) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, wait);
    window.addEventListener("online", done);
  });
