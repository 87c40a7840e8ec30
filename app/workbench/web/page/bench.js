// The working page: one thin line on top, media left, form right, the guideline next to them, and a key for everything.
// This module puts the parts together and hands them what the server says; what each does is its own business.

import { el, fill } from "../dom.js";
import { MediaPane } from "../media/pane.js";
import { Prefetch } from "../media/sources.js";
import { useKeys } from "../own_keys.js";
import { Palette } from "../palette.js";
import { t } from "../words.js";
import { Actions } from "./actions.js";
import { ActiveTime } from "./active.js";
import { AnswerEdit } from "./answer_edit.js";
import { Banner } from "./banner.js";
import { Split, TextSize, watchRoom } from "./comfort.js";
import { Connection } from "./connection.js";
import { FormPane, openingWords } from "./form_pane.js";
import { Forms } from "./forms.js";
import { Guideline } from "./guideline.js";
import { drawnOn, itemParts } from "./item.js";
import { Keyboard } from "./keyboard.js";
import { Lease } from "./lease.js";
import { nextStepOf, noTaskPart } from "./no_task.js";
import { Overlay } from "./overlay.js";
import { PageRequests } from "./page_requests.js";
import { PoolView } from "./pool_view.js";
import { Lock } from "./sending.js";
import { Surroundings } from "./streamlit.js";
import { tools, where } from "./topline.js";
import { Upcoming } from "./upcoming.js";

/** @import { Answers, Away, NothingPage, Page, Static, Task, TaskPage, Wish } from "../types" */

/** @type {Map<string, Static>} */
const statics = new Map();

export class Bench {
  /**
   * @param {HTMLElement & DocumentOrShadowRoot} parent
   * @param {CSSStyleSheet[]} sheets
   */
  constructor(parent, sheets) {
    /** @type {Page | null} */
    this.data = null;
    /** @type {Static | null} */
    this.still = null;
    /** @type {Task | null} */
    this.task = null;
    /** @type {string[]} */
    this.earlier = []; // texts that an author may be repeating
    this.busy = false; // something is being sent
    this.lost = false; // what is here cannot be submitted any more
    this.lastActive = Date.now();
    this.step = () => {}; // where there is no task: the one next step

    this.requests = new PageRequests(this);
    this.actions = new Actions(this);
    this.edit = new AnswerEdit(this);
    this.upcoming = new Upcoming(this);
    this.lease = new Lease(this);
    this.connection = new Connection(this);
    this.media = new MediaPane();
    this.ahead = new Prefetch();
    this.banner = new Banner();
    this.side = new FormPane({
      changed: () => this.actions.changed(),
      submit: () => this.actions.submit(),
      keep: () => this.edit.leave(),
      csrf: () => this.page.csrf,
      person: () => this.page.person,
      task: () => this.task,
    });
    this.lock = new Lock(this.side, this.media);
    this.forms = new Forms({
      media: this.media,
      change: () => this.actions.changed(),
      submit: () => this.actions.submit(),
      unseen: () => this.actions.unseen(),
      say: (words) => this.side.warn(words),
      blur: () => this.side.focus(),
      look: (values) => this.actions.look(values),
    });
    this.active = new ActiveTime(this.forms.author.root);
    this.guideline = new Guideline(this);
    this.poolView = new PoolView(this);

    this.line = el("header", { class: "line" });
    this.split = new Split(this.media.root, this.side.root);
    const parts = [this.media.root, this.split.bar, this.side.root, this.guideline.guide.root];
    this.body = el("div", { class: "body" }, parts);
    this.overlay = new Overlay([this.line, this.body, this.poolView.root]);
    this.palette = new Palette((href) => {
      location.href = href;
    });
    this.root = el("div", { class: "ts colors" }, [
      this.line,
      this.banner.root,
      this.guideline.news.root,
      this.body,
      this.poolView.root,
      this.overlay.root,
      this.palette.root,
    ]);
    this.text = new TextSize(this.root);
    parent.adoptedStyleSheets = sheets;
    parent.append(this.root);
    this.surroundings = new Surroundings(this.root);
    this.keyboard = new Keyboard(this);
    this.room = watchRoom(this);
    this.moved = () => {
      this.lastActive = Date.now();
      this.lease.touched();
    };
    window.addEventListener("pointerdown", this.moved, true);
  }

  stop() {
    const { requests, lease, keyboard, poolView, active, split, upcoming } = this;
    for (const part of [requests, lease, keyboard, poolView, active, split, upcoming]) part.stop();
    this.room.disconnect();
    window.removeEventListener("pointerdown", this.moved, true);
    this.media.stopAll();
    this.connection.stop();
    this.surroundings.stop();
    this.root.remove();
  }

  // ---- what the parts ask about

  /** What the server said last. */
  get page() {
    if (!this.data) throw new Error("no page has come yet");
    return this.data;
  }

  /** The part of it that stays. */
  get fixed() {
    if (!this.still) throw new Error("no page has come yet");
    return this.still;
  }

  get stage() {
    return this.fixed.stage.name;
  }

  get sync() {
    return this.connection.sync;
  }

  get pool() {
    return this.poolView.pool;
  }

  /** Whether a task is out of reach, for the moment or for good. */
  get held() {
    return this.busy || this.requests.blocking || this.lost;
  }

  /** Whether something is being sent, or what comes of it is on its way. */
  get sends() {
    return this.task !== null && !this.lost && (this.busy || this.requests.changing);
  }

  /**
   * What goes with every wish.
   * @returns {Wish}
   */
  standing() {
    const { project, stage } = this.fixed;
    return {
      project: project.name,
      stage: stage.name,
      dimension: new URLSearchParams(location.search).get("dimension"),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(this.pool ? { pool: this.pool.place() } : {}),
      ahead: this.ahead.ids.length,
      have: this.data?.static_hash,
    };
  }

  // ---- what the server says

  /** @param {Page | Away} data */
  update(data) {
    if (data.away !== undefined) {
      this.pageAway(data.away);
      return;
    }
    if (data.keys) useKeys(data.keys);
    if (data.static) statics.set(data.static_hash, data.static);
    const still = statics.get(data.static_hash);
    if (!still) throw new Error("the page lacks its fixed part");
    const wished = this.requests.waiting;
    if (wished && data.n !== null && data.n !== undefined && data.n < this.requests.wishes) return;
    this.lease.skew = Date.parse(data.now) - Date.now();
    this.still = still;
    this.sync.identify(data);
    const before = this.data;
    data.menu ??= before?.menu;
    if (this.upcoming.keeps(before, data, wished)) return;
    this.data = data;
    this.requests.settle();
    this.upcoming.open(data);
    this.root.dataset.view = data.view;
    this.root.dataset.stage = this.stage;
    this.split.open(this.stage);
    if (!before) this.actions.finishOld();
    this.body.hidden = data.view === "pool";
    this.poolView.root.hidden = data.view !== "pool";
    if (data.view === "task") this.openTask(data);
    else this.leaveTask();
    if (data.view === "pool") this.poolView.open(data, Boolean(wished?.refresh));
    if (data.view === "nothing") this.openNothing(data);
    if (wished?.refresh && before?.view === data.view) return;
    this.paintLine();
    this.guideline.paint();
  }

  /**
   * No page could be made, because the database is away. What is here stays, and what was asked for is asked for again.
   * @param {string} words
   */
  pageAway(words) {
    if (this.task && !this.requests.waiting) return; // someone works on it: drafts and submissions find out by themselves
    if (this.data) this.connection.gone(words);
    else this.banner.show("plain gone", t("{words} This page opens when the server answers again.", { words }));
    this.requests.lookLater();
  }

  /** @param {TaskPage} page */
  openTask(page) {
    const { task } = page;
    const follows = this.task !== null; // upon another one, which a late press may have been meant for
    this.task = task;
    this.earlier = page.earlier;
    this.guideline.open(task);
    this.lost = false;
    this.hideBanner();
    this.active.open(task.id);
    this.lease.open(task.lease_until);
    const draft = this.sync.open(task);
    const answers = draft?.values ?? {};
    this.media.show(task.assets, null, drawnOn(this.fixed, task));
    fill(this.side.about, itemParts(this.fixed, task, page.to_write));
    this.openForm(task, answers);
    this.side.open(task, answers);
    this.edit.open(task, draft !== null && !draft.at);
    this.side.say(openingWords(task, draft, this.actions.lastSaved));
    if (this.forms.current === this.forms.author) this.forms.author.focus();
    else this.side.focus();
    this.ahead.fetch(task, page.prefetch);
    this.actions.opened = follows ? Date.now() : null;
    this.actions.sayUnread();
  }

  /**
   * @param {Task} task
   * @param {Answers} answers
   */
  openForm(task, answers) {
    fill(this.side.formHost, this.forms.open(this.fixed, task, answers, this.earlier).root);
    this.media.repaint(); // what was drawn before is there again
  }

  /** @param {NothingPage} page */
  openNothing({ nothing }) {
    this.forms.close();
    this.media.show([], "");
    this.media.root.replaceChildren();
    const [label, step] = nextStepOf(nothing.code, this.fixed, () => this.requests.ask({}));
    this.step = step;
    this.side.openNothing(noTaskPart(nothing, label, step, this.actions.lastSaved, this.stage !== "adjudication"));
    this.actions.sayUnread();
  }

  leaveTask() {
    this.task = null;
    this.guideline.open(null);
    this.sync.close();
    this.hideBanner();
  }

  /** What is here cannot be submitted any more. */
  lose() {
    this.lost = true;
    this.sync.close();
  }

  // ---- what the person sees

  paintLine() {
    fill(this.line, where(this.page, this.fixed), tools(this));
  }

  /** @param {boolean} on */
  setBusy(on) {
    this.upcoming.asked = on;
    this.busy = on || this.upcoming.isNew;
    this.root.classList.toggle("busy", on);
    this.lock.set(this.busy);
  }

  hideBanner() {
    this.banner.hide();
    this.root.classList.remove("lost");
  }
}
