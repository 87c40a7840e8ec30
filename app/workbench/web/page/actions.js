// What a person does with a task: submit it, put it off, give it back, take the last one back; and what comes of it.

import { clock, el } from "../dom.js";
import { Gone, post, Refused } from "../http.js";
import { t } from "../words.js";
import { closeHint, continueButton } from "./banner.js";

/** @import { Answers, SubmitReply, TaskReply, Unheld, Values } from "../types" */
/** @import { Bench } from "./bench.js" */

const AWAY = t("The server does not answer. Try again in a moment.");
const TOLD_MS = 5000; // how long it is told that someone else was first
const UNREAD_MS = 2000; // a sentence that stood for less was not read
const UNSEEN_MS = 1000; // what has stood for less, no one has looked at
const UNSEEN = t("Not submitted: the next item had just opened. Look at this item, then press again.");
const REPLACED = t("The item that you just saw is no longer available. This item is next.");
const NOTHING_LOST = { words: "", at: 0 };

export class Actions {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {string | null} */
    this.lastSaved = null;
    /** Why the last answer does not count, and since when that is said. */
    this.lost = NOTHING_LOST;
    /** Since when a form stands as it was opened behind another; null once someone has changed something in it. */
    this.opened = /** @type {number | null} */ (null);
  }

  /**
   * What is typed now, for a draft.
   * @returns {Answers}
   */
  answers() {
    const { forms, side } = this.bench;
    return { ...(forms.current ? forms.current.raw() : {}), ...side.typed() };
  }

  changed() {
    const { bench } = this;
    this.opened = null;
    if (!bench.task || bench.busy) return;
    if (!bench.upcoming.sends) bench.side.say("");
    bench.sync.change(this.answers());
  }

  /**
   * What the server says of the wording of texts, next to those that no one writes. Nothing where it is away: it looks
   * once more at what is submitted.
   * @param {Values} values
   * @returns {Promise<Unheld[]>}
   */
  async look(values) {
    const { bench } = this;
    const { fields, project } = bench.fixed;
    const given = fields.filter(({ authored }) => !authored).map(({ name }) => [name, bench.task?.fields[name]]);
    const about = { project: project.name, stage: bench.stage, values: { ...Object.fromEntries(given), ...values } };
    try {
      return (await post("/api/wording", bench.page.csrf, about)).wording;
    } catch (error) {
      if (error instanceof Gone || error instanceof Refused) return [];
      throw error;
    }
  }

  /** Whether a form has only just opened behind another and nothing was changed in it; then says so. */
  unseen() {
    const unseen = this.opened !== null && Date.now() - this.opened < UNSEEN_MS;
    if (unseen) this.bench.side.warn(UNSEEN);
    return unseen;
  }

  async submit() {
    const { bench } = this;
    const { task, side } = bench;
    const form = bench.forms.current;
    if (!task || !form || bench.busy || bench.requests.blocking || bench.lost) return;
    if (this.unseen()) return; // a press that was meant for the one before: a form may open with everything filled in
    if (!form.check()) return;
    if (bench.upcoming.sends) {
      bench.upcoming.press();
      return;
    }
    const { active, page } = bench;
    const note = side.noteBox.value.trim();
    const shown = { guideline: bench.guideline.shown, schema: bench.fixed.schema_hash };
    const ofFields = form === bench.forms.author ? { field_seconds: active.fieldSeconds() } : {};
    const payload = { ...form.read(), note, ...shown, seconds: active.seconds(), ...ofFields };
    for (const part of side.parts) part.send(); // what was not sent yet is sent with the answer
    if (page.view === "task" && bench.upcoming.isReady) {
      await bench.upcoming.send(page, payload);
      return;
    }
    bench.setBusy(true);
    side.say(t("Sending…"));
    const next = bench.requests.wish({ submitted: true });
    try {
      const answer = await bench.sync.submit(payload, next);
      active.done(task.id);
      this.saved(answer);
      bench.hideBanner();
      bench.requests.take(next, answer.page);
    } catch (error) {
      bench.setBusy(false);
      side.say("");
      if (!(error instanceof Refused)) throw error;
      bench.sync.giveUp();
      this.refused(error, "submit");
    }
  }

  /** @param {SubmitReply} answer */
  saved(answer) {
    this.lastSaved = answer.saved_at;
    const { project, show_others } = this.bench.fixed;
    const place = `project=${encodeURIComponent(project.name)}&said=${encodeURIComponent(answer.submission)}`;
    this.bench.side.link(show_others ? `/my_submissions?${place}` : null);
    this.bench.side.say(t("saved {time}", { time: clock(answer.saved_at) }));
  }

  /**
   * The server says no.
   * @param {Refused} error
   * @param {string} what "submit", "draft" or "heartbeat"
   */
  refused(error, what) {
    const { bench } = this;
    const { current } = bench.forms;
    if (error.status === 401 || error.status === 403) this.signInAgain(error);
    else if (error.status === 422 && what === "submit" && current) {
      const rest = error.problems.length ? current.problems(error.problems) : [error.message];
      if (rest.length) bench.banner.show("bad", rest.join(" "));
      bench.sync.change(this.answers());
    } else if (error.status === 409 || error.status === 404) {
      const typed = what === "submit" || what === "draft";
      bench.lose();
      bench.root.classList.add("lost");
      if (typed) this.lost = { words: error.message, at: Date.now() };
      bench.banner.show(
        "bad",
        typed ? t("{message} Your text stays here until you continue.", { message: error.message }) : error.message,
        continueButton(() => this.goOn()),
      );
    } else bench.banner.show("bad", error.message);
  }

  /** @param {Refused} error */
  signInAgain(error) {
    const here = location.pathname + location.search;
    const ended = error.status === 401;
    const [href, why, label] = ended
      ? [`/login?next=${encodeURIComponent(here)}`, t("Your session has ended."), t("Sign in again")]
      : [here, error.message, t("Reload the page")];
    const link = el("a", { href, class: "small" }, label);
    this.bench.banner.show("bad", `${t("{why} Your text is kept in this browser.", { why })} `, link);
  }

  goOn() {
    const { bench } = this;
    if (bench.task) bench.sync.finish(bench.task.id);
    if (Date.now() - this.lost.at > UNREAD_MS) this.lost = NOTHING_LOST;
    bench.lost = false;
    bench.root.classList.remove("lost");
    bench.requests.ask({});
  }

  /** What was lost is said again behind a key that came before anyone could read it: Enter submits, and goes on, too. */
  sayUnread() {
    const ignored = this.bench.keyboard.late.told(); // keys that came while the item before was being sent
    if (ignored) this.bench.side.warn(ignored);
    const { words } = this.lost;
    this.lost = NOTHING_LOST;
    if (this.bench.upcoming.isReplaced) this.bench.banner.show("plain", REPLACED, closeHint());
    if (words) this.bench.banner.show("plain", t("Your last answer was not counted. {words}", { words }), closeHint());
  }

  /** Submissions that a reload or a crash cut short are sent again under their own keys: stored once, whatever happened. */
  async finishOld() {
    const { bench } = this;
    for (const part of bench.side.parts) part.finishOld();
    for (const attempt of bench.sync.unfinished()) {
      const shown = bench.data?.view === "task" && bench.data.task.id === attempt.task;
      if (shown) bench.setBusy(true); // what is typed meanwhile would come too late
      try {
        const answer = await bench.sync.deliver(attempt);
        bench.sync.finish(attempt.task);
        this.saved(answer);
        if (bench.task?.id === attempt.task) bench.requests.ask({});
      } catch (error) {
        if (shown) bench.setBusy(false);
        if (!(error instanceof Refused)) throw error;
        if (error.status !== 401 && error.status !== 403) bench.sync.giveUp(attempt.task);
        if (bench.task?.id === attempt.task) this.refused(error, "submit");
      }
    }
  }

  /**
   * What is typed so far is saved before, and nothing more can be typed until it is done.
   * @param {string} path
   * @param {object} body
   * @param {(answer: TaskReply) => void} then
   */
  async act(path, body, then) {
    const { bench } = this;
    if (bench.busy || bench.requests.changing || bench.upcoming.sends) return;
    bench.setBusy(true);
    try {
      await bench.sync.flush();
      const answer = await post(path, bench.page.csrf, body);
      bench.setBusy(false);
      then(answer);
    } catch (error) {
      bench.setBusy(false);
      if (error instanceof Gone) bench.banner.show("plain", AWAY);
      else if (!(error instanceof Refused)) throw error;
      else if (error.status === 401 || error.status === 403) this.signInAgain(error);
      else bench.banner.show("plain", error.message, closeHint());
    }
  }

  async undo() {
    const { bench } = this;
    await this.act("/api/undo", { project: bench.fixed.project.name, stage: bench.stage }, (answer) => {
      this.lastSaved = null;
      bench.requests.ask({ task: answer.task });
    });
  }

  /** Postponed: it stays mine for as long as its lease lasts, and comes again after the rest. */
  postpone() {
    return this.bench.stage === "authoring" ? undefined : this.letGo("/api/postpone");
  }

  /** Given back: others may take it at once. */
  giveBack() {
    return this.letGo("/api/release");
  }

  /** @param {string} path */
  async letGo(path) {
    const { bench } = this;
    if (!bench.task || bench.lost) return undefined;
    if (bench.task.correction) return bench.edit.leave();
    const { id, item } = bench.task;
    return this.act(path, { task: id }, () => {
      bench.sync.finish(id);
      bench.requests.ask({ postponed: item });
    });
  }

  /**
   * Take images of the pool to write about.
   * @param {string[]} assets
   * @param {string} dimension
   */
  async pick(assets, dimension) {
    const { bench } = this;
    const pool = bench.pool;
    if (bench.busy || bench.requests.changing) {
      pool?.release(assets);
      return;
    }
    bench.setBusy(true);
    try {
      await post("/api/pick", bench.page.csrf, { project: bench.fixed.project.name, dimension, assets });
      bench.setBusy(false);
      bench.requests.ask({ submitted: true });
    } catch (error) {
      bench.setBusy(false);
      pool?.release(assets);
      if (error instanceof Gone) bench.banner.show("plain", AWAY);
      else if (!(error instanceof Refused)) throw error;
      else if (error.status === 409) {
        bench.banner.show("plain", error.message);
        pool?.gone(assets);
        setTimeout(() => bench.hideBanner(), TOLD_MS);
      } else if (error.status === 401 || error.status === 403) this.signInAgain(error);
      else bench.banner.show("bad", error.message);
    }
  }
}
