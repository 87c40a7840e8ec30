// The working page: one thin line on top, media left, form right, the guideline beside them, and a key for everything.

import { ActiveTime } from "./active.js";
import { AdjudicateForm } from "./adjudicate.js";
import { clock, el, fill, key, labelled, same, shown } from "./dom.js";
import { FieldForm } from "./fields.js";
import { Guide } from "./guide.js";
import { grow } from "./kinds/keys.js";
import { isDrawn, ofVotes } from "./marks.js";
import { MediaPane, prefetch } from "./media.js";
import { News } from "./news.js";
import { keyRows, Overlay } from "./overlay.js";
import { Pool } from "./pool.js";
import { RatingForm } from "./rating.js";
import { RefineForm } from "./refine.js";
import { Gone, post, Refused, Sync } from "./sync.js";
import { finishComments, Thread, threadStyle } from "./threads.js";

const HEARTBEAT_MS = 4 * 60 * 1000;
const LEASE_WARNING_MS = 3 * 60 * 1000;
const POOL_REFRESH_MS = 2000; // while somebody is choosing
const POOL_IDLE_MS = 10000;
const ANSWER_MS = 2500; // longer than any healthy rerun; then the wish is repeated

// Streamlit fades what waits for a rerun; a page that somebody works on stays as it is.
const STEADY =
  "[data-testid=stElementContainer][data-stale=true] { opacity: 1 !important; transition: none !important; }";

const sheet = new CSSStyleSheet();
const styled = fetch(new URL("./workbench.css", import.meta.url))
  .then((reply) => reply.text())
  .then((text) => sheet.replace(text));
const statics = new Map();
const benches = new WeakMap();

export default async function mount({ data, parentElement, setTriggerValue }) {
  await styled;
  let bench = benches.get(parentElement);
  if (!bench) {
    bench = new Workbench(parentElement);
    benches.set(parentElement, bench);
  }
  bench.fire = (value) => setTriggerValue("next", value);
  bench.update(data);
  return () => {
    bench.stop();
    benches.delete(parentElement);
  };
}

class Workbench {
  constructor(parent) {
    this.media = new MediaPane();
    this.active = new ActiveTime();
    this.sync = new Sync({
      saved: (at, what) => this.saved(at, what),
      gone: (words) => this.gone(words),
      back: () => this.back(),
      refused: (error, what) => this.refused(error, what),
      other: (kind, detail) => this.other(kind, detail),
    });
    this.wishes = 0;
    this.ahead = []; // assets of the tasks to come
    this.answered = 0;
    this.lastActive = Date.now();
    this.line = el("header", { class: "line" });
    this.banner = el("div", { class: "banner", role: "alert", hidden: true });
    this.about = el("div", { class: "item" });
    this.formHost = el("div", { class: "formhost" });
    this.noteBox = el("textarea", {
      class: "box",
      rows: "2",
      "aria-label": "Note",
      on: {
        input: () => {
          grow(this.noteBox);
          this.changed();
        },
      },
    });
    this.note = el("div", { class: "note", hidden: true }, el("div", { class: "prompt" }, "Note"), this.noteBox);
    this.talk = new Thread({
      csrf: () => this.data.csrf,
      person: () => this.data.person,
      changed: () => this.changed(),
      leave: true,
    });
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
      { type: "button", class: "submit", on: { click: () => this.submit() } },
      "Submit ",
      el("kbd", { "aria-hidden": "true" }, "Ctrl ⏎"),
    );
    this.foot = el("footer", { class: "foot" }, this.status, this.submitButton);
    this.form = el("section", { class: "form", tabindex: "-1", "aria-label": "What is asked" }, this.scroll, this.foot);
    this.guide = new Guide(() => {
      this.paintGuide();
      this.paintLine();
    });
    this.news = new News(
      () => this.guide.isOpen || this.guide.toggle(),
      (number) => this.readNews(number),
    );
    this.body = el("div", { class: "body" }, this.media.root, this.form, this.guide.root);
    this.poolHost = el("div", { class: "poolhost", hidden: true });
    this.overlay = new Overlay([this.line, this.body, this.poolHost]);
    this.root = el(
      "div",
      { class: "ts" },
      this.line,
      this.banner,
      this.news.root,
      this.body,
      this.poolHost,
      this.overlay.root,
    );
    parent.adoptedStyleSheets = [sheet, threadStyle];
    parent.append(this.root);
    this.steady = el("style", {}, STEADY);
    document.head.append(this.steady);
    this.host = {
      media: this.media,
      change: () => this.changed(),
      submit: () => this.submit(),
      blur: () => this.form.focus({ preventScroll: true }),
    };
    this.rating = new RatingForm(this.host);
    this.fields = new FieldForm(this.host);
    this.settling = new AdjudicateForm(this.host);
    this.refining = new RefineForm(this.host);
    this.room = new ResizeObserver(
      ([
        {
          contentRect: { width, height },
        },
      ]) => {
        const before = this.roomBefore;
        this.roomBefore = { width, height };
        if (before && before.height && height && !same(before, this.roomBefore) && this.current === this.rating)
          this.rating.keepInSight();
      },
    );
    this.room.observe(this.scroll);
    this.onKey = (event) => this.keydown(event);
    this.onActive = () => (this.lastActive = Date.now());
    window.addEventListener("keydown", this.onKey, true);
    window.addEventListener("pointerdown", this.onActive, true);
    this.root.addEventListener("focusin", (event) => (this.focused = event.composedPath()[0]));
    this.guard = new MutationObserver((changes) => this.unblock(changes));
    this.guard.observe(document.body, { childList: true });
    this.ticker = setInterval(() => this.tick(), 5000);
    this.poolTicker = setInterval(() => this.refreshPool(), POOL_REFRESH_MS);
  }

  stop() {
    this.stopped = true;
    this.room.disconnect();
    window.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("pointerdown", this.onActive, true);
    this.guard.disconnect();
    clearInterval(this.ticker);
    clearInterval(this.poolTicker);
    clearTimeout(this.watch);
    this.media.stopAll();
    this.active.stop();
    this.sync.flush({ keepalive: true });
    this.sync.stop();
    this.steady.remove();
    this.root.remove();
  }

  // ---- what the server says

  update(data) {
    if (data.away) return this.pageAway(data.away);
    if (data.static) statics.set(data.static_hash, data.static);
    const fixed = statics.get(data.static_hash);
    if (!fixed) {
      this.ask({ have: null });
      return undefined;
    }
    const wished = this.waiting;
    if (wished && data.n !== null && data.n !== undefined && data.n < this.wishes) return undefined;
    const repeated =
      !wished &&
      this.data &&
      this.data.view === data.view &&
      data.view === "task" &&
      this.data.task.id === data.task.id;
    this.skew = Date.parse(data.now) - Date.now();
    this.fixed = fixed;
    this.sync.identify(data);
    if (repeated) {
      this.data = { ...this.data, csrf: data.csrf, progress: data.progress, menu: data.menu };
      this.lease(data.task.lease_until);
      this.paintLine();
      return undefined;
    }
    const before = this.data;
    this.data = data;
    this.settle();
    this.root.dataset.view = data.view;
    this.root.dataset.stage = fixed.stage.name;
    if (!before) this.finishOld();
    this.body.hidden = data.view === "pool";
    this.poolHost.hidden = data.view !== "pool";
    if (data.view === "task") this.openTask(data);
    else this.sync.close();
    if (data.view === "pool") this.openPool(data, Boolean(wished && wished.refresh));
    if (data.view === "nothing") this.openNothing(data.nothing);
    if (wished && wished.refresh && before.view === data.view) return undefined;
    this.paintLine();
    this.paintGuide();
    return undefined;
  }

  // No page could be made, because the database is away. What is here stays, and what was asked for is asked for again.
  pageAway(words) {
    if (this.task && !this.waiting) return; // somebody works on it: drafts and submissions find out by themselves
    if (this.data) this.gone(words);
    else this.show("plain gone", `${words} This page comes as soon as it is back.`);
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.reloadWhenBack(), 1500);
  }

  openTask({ task, earlier = [] }) {
    this.task = task;
    this.guideline = this.fixed.guideline_hash; // what is shown beside this task
    this.news.show(task.news);
    this.lost = null;
    this.hideBanner();
    this.active.open(task.id);
    this.away = 0;
    this.lease(task.lease_until);
    const draft = this.sync.open(task);
    const answers = draft && draft.values ? draft.values : {};
    this.media.show(task.assets, null, this.marked());
    this.paintItem();
    this.openForm(answers, earlier);
    this.noteBox.value = answers.note || "";
    this.note.hidden = !answers.note;
    this.talk.open({ task: task.id }, task.item, answers.comment);
    this.talkPart.hidden = !this.talk.text;
    if (this.talk.text) this.talk.load();
    this.scroll.scrollTop = 0;
    this.foot.hidden = false;
    if (task.put_off) this.say("You had put this off.");
    else if (draft)
      this.say(draft.from === "browser" ? "Your text from before is here." : `draft saved ${clock(draft.at)}`);
    else if (this.lastSaved) this.say(`saved ${clock(this.lastSaved)}`);
    else this.say("");
    if (this.current === this.fields) this.fields.focus();
    else this.form.focus({ preventScroll: true });
    if (this.data.prefetch) this.ahead = this.data.prefetch;
    const mine = task.assets.filter((asset) => !asset.missing).map((asset) => asset.id);
    if (!this.data.prefetch && !mine.every((id) => this.ahead.includes(id))) this.ahead = []; // it came otherwise
    this.ahead = this.ahead.filter((id) => !mine.includes(id));
    prefetch(this.ahead);
  }

  openForm(answers, earlier) {
    const { fixed, task } = this;
    if (fixed.stage.name === "authoring") {
      this.current = this.fields;
      this.fields.open({ fields: fixed.fields, values: answers.values || task.fields, earlier });
      this.earlier = earlier;
    } else if (fixed.stage.name === "adjudication") {
      this.current = this.settling;
      this.settling.open({
        criteria: this.asked(fixed.vote_criteria),
        options: task.options,
        votes: task.votes,
        history: task.history,
        causes: fixed.adjudication.causes,
        edit: fixed.adjudication.edit,
        fields: fixed.fields,
        values: task.fields,
        answers,
      });
    } else if (fixed.stage.name === "refinement") {
      this.current = this.refining;
      this.refining.open({
        criteria: this.asked(fixed.criteria),
        options: task.options,
        fields: fixed.fields,
        values: task.fields,
        answers,
        plans: task.plans,
        texts: { ...task.fields, prediction: task.answer },
      });
    } else {
      this.current = this.rating;
      this.rating.open({
        criteria: this.asked(fixed.criteria),
        options: task.options,
        answers,
        plans: task.plans,
        texts: { ...task.fields, prediction: task.answer },
      });
    }
    fill(this.formHost, this.current.root);
    this.media.repaint(); // what was drawn before is there again
  }

  // What is asked about an item of this dimension.
  asked(criteria) {
    return criteria.filter(
      (criterion) => !criterion.dimensions || !this.task || criterion.dimensions.includes(this.task.dimension),
    );
  }

  // What the item's own fields have drawn on its images.
  marked() {
    const { fixed, task } = this;
    if (fixed.stage.name === "authoring") return [];
    return [
      ...fixed.fields
        .filter(isDrawn)
        .map((field) => ({ role: field.role, options: field.options, value: task.fields[field.name] })),
      ...ofVotes(fixed.vote_criteria, task.votes),
    ];
  }

  paintItem() {
    const { fixed, task } = this;
    const dimension = fixed.dimensions[task.dimension] || { title: task.dimension };
    const authoring = fixed.stage.name === "authoring";
    const asOptions = new Set(
      fixed.criteria.filter((criterion) => criterion.kind === "option_of").map((criterion) => criterion.field),
    );
    const meta = [];
    const parts = [
      el(
        "div",
        { class: "dimension" },
        el("strong", {}, dimension.title),
        dimension.definition ? el("span", {}, dimension.definition) : null,
        authoring && this.data.to_write !== null
          ? el(
              "span",
              { class: "towrite" },
              this.data.to_write ? `${this.data.to_write} still to write here` : "no more to write here",
            )
          : null,
      ),
    ];
    if (!authoring) {
      for (const field of fixed.fields) {
        if (asOptions.has(field.name) || !(field.name in task.fields) || isDrawn(field)) continue; // marks are on the image
        const value = task.fields[field.name];
        if (!field.authored && !field.required) {
          if (value !== null && value !== "")
            meta.push(`${field.title}: ${typeof value === "object" ? JSON.stringify(value) : labelled(field, value)}`);
          continue;
        }
        const long = typeof value === "string" && value.length > 240;
        parts.push(
          el(
            "div",
            { class: "shown", data: { field: field.name } },
            el("div", { class: "term" }, field.title),
            el("div", { class: long ? "value long" : "value" }, shown(labelled(field, value))),
          ),
        );
      }
      if (meta.length) parts.push(el("div", { class: "meta" }, meta.join(" · ")));
      if (task.answer !== null && task.answer !== undefined) {
        const place = task.place && task.place[1] > 1 ? `answer ${task.place[0]} of ${task.place[1]}` : null;
        parts.push(
          el(
            "div",
            { class: "shown answer" },
            el("div", { class: "term" }, "Answer", place ? el("span", { class: "quiet" }, place) : null),
            el(
              "div",
              { class: task.answer.length > 400 ? "value long" : "value" },
              task.answer || el("span", { class: "quiet" }, "The answer is empty."),
            ),
          ),
        );
      }
    }
    fill(this.about, parts);
  }

  openPool(data, refreshed) {
    this.task = null;
    this.news.show(null);
    this.sync.close();
    this.hideBanner();
    if (!this.pool) {
      this.pool = new Pool({
        pick: (ids, dimension) => this.pick(ids, dimension),
        wish: (place) => this.ask({ pool: place }),
      });
      this.poolHost.append(this.pool.root);
    }
    this.pool.update(data.pool, this.fixed, refreshed);
    if (!refreshed) this.pool.grid.focus({ preventScroll: true });
    prefetch([]);
  }

  refreshPool() {
    if (
      !this.data ||
      this.data.view !== "pool" ||
      this.waiting ||
      this.busy ||
      this.offline ||
      document.visibilityState !== "visible" ||
      this.overlay.isOpen
    )
      return;
    const now = Date.now();
    if (now - this.lastActive > 30000 && now - (this.refreshedAt || 0) < POOL_IDLE_MS) return;
    this.refreshedAt = now;
    this.ask({ pool: this.pool.place(), refresh: true });
  }

  openNothing({ code, sentence }) {
    this.task = null;
    this.news.show(null);
    this.current = null;
    this.hideBanner();
    this.media.show([], "");
    this.media.root.replaceChildren();
    fill(this.about);
    this.note.hidden = true;
    this.talkPart.hidden = true;
    this.foot.hidden = true;
    const steps = {
      waiting_for_others: "look",
      waiting_for_media: "look",
      put_off: "look",
      all_done: "menu",
      pool_empty: "look",
      not_your_dimension: "menu",
      not_member: "menu",
      no_stage: "menu",
      not_available: "menu",
    };
    const look = el(
      "button",
      { type: "button", class: "submit", on: { click: () => this.ask({}) } },
      "Look again ",
      key("Enter"),
    );
    const menu = el(
      "button",
      { type: "button", class: "submit", on: { click: () => (location.href = "/") } },
      "My work ",
      key("Enter"),
    );
    const qualify = el(
      "button",
      { type: "button", class: "submit", on: { click: () => this.step() } },
      "Qualify ",
      key("Enter"),
    );
    this.step = steps[code] === "look" ? () => this.ask({}) : () => (location.href = "/");
    if (code === "not_qualified")
      this.step = () =>
        (location.href = `/qualify?project=${encodeURIComponent(this.fixed.project.name)}&stage=${this.fixed.stage.name}`);
    const title =
      {
        all_done: "Nothing left here",
        waiting_for_others: "Waiting for others",
        waiting_for_media: "Waiting for images or clips",
        put_off: "Put off",
        pool_empty: "No free images",
        not_your_dimension: "Not your dimension",
        not_member: "Not yours",
        no_stage: "Not part of this project",
        not_available: "Not available yet",
        not_qualified: "Not qualified yet",
        stopped: "Stopped for now",
      }[code] || "Nothing here";
    fill(
      this.formHost,
      el(
        "div",
        { class: "nothing" },
        el("h2", {}, title),
        el("p", {}, sentence),
        code === "not_qualified" ? qualify : steps[code] === "look" ? look : menu,
        this.lastSaved
          ? el(
              "p",
              { class: "quiet" },
              `Your last submission was saved at ${clock(this.lastSaved)}; `,
              key("U"),
              " takes it back.",
            )
          : null,
      ),
    );
    this.form.focus({ preventScroll: true });
  }

  // ---- the line on top

  paintLine() {
    const { fixed, data } = this;
    const { progress } = data;
    const numbers = [`${progress.done} done`];
    if (progress.left !== null) numbers.push(`${progress.left} left`);
    const kept = progress.decided ? `kept ${Math.round((100 * progress.kept) / progress.decided)} %` : null;
    const tool = (name, label, press, on) =>
      el(
        "button",
        {
          type: "button",
          class: on ? "tool on" : "tool",
          "aria-pressed": on === undefined ? undefined : String(on),
          on: { click: press },
        },
        key(name),
        el("span", {}, label),
      );
    const inTask = data.view === "task";
    fill(
      this.line,
      el(
        "div",
        { class: "where" },
        el("strong", {}, fixed.project.title),
        el("span", {}, fixed.stage.title),
        fixed.project.made_up ? el("span", { class: "made-up" }, "made-up data") : null,
        el("span", { class: "numbers" }, numbers.join(", ")),
        kept ? el("span", { class: "numbers" }, kept) : null,
      ),
      el(
        "nav",
        { class: "tools", "aria-label": "Keys" },
        tool("G", "guideline", () => this.guide.toggle(), this.guide.isOpen),
        tool("U", "undo", () => this.undo()),
        inTask ? tool("N", "note", () => this.openNote()) : null,
        inTask && this.task.item ? tool("C", "comments", () => this.openTalk()) : null,
        inTask && fixed.stage.name !== "authoring" ? tool("L", "later", () => this.later()) : null,
        inTask ? tool("B", "give back", () => this.giveBack()) : null,
        tool("M", "menu", () => this.openMenu()),
        tool("?", "keys", () => this.openKeys()),
      ),
    );
  }

  paintGuide() {
    const { fixed, data, guide } = this;
    const dimension = this.task ? fixed.dimensions[this.task.dimension] : null;
    guide.paint({
      version: data.static_hash,
      html: fixed.guideline,
      stage: fixed.stage.title,
      dimension,
      criteria: this.task ? this.asked(fixed.criteria) : [],
    });
    if (guide.isOpen) {
      this.guideline = fixed.guideline_hash;
      this.news.opened();
    }
    guide.tell(this.news.told);
    this.root.classList.toggle("guided", guide.isOpen);
    this.body.classList.toggle("guided", guide.isOpen);
    const host = data.view === "pool" ? this.poolHost : this.body;
    if (guide.root.parentNode !== host) host.append(guide.root);
  }

  // Whoever opens the guideline knows what has changed in it; if this does not get through, they are told again.
  readNews(number) {
    post("/api/guideline_seen", this.data.csrf, { project: this.fixed.project.name, number }).catch(() => {});
  }

  // ---- answering

  answers() {
    const { values, reasons = {} } = this.current === this.fields ? { values: this.fields.raw() } : this.current.raw();
    return { values, reasons, note: this.noteBox.value, ...(this.talk.text ? { comment: this.talk.text } : {}) };
  }

  changed() {
    if (!this.task || this.busy) return;
    this.say("");
    this.sync.change(this.answers());
  }

  async submit() {
    if (!this.task || this.busy || this.waiting || this.lost) return;
    if (!this.current.check()) return;
    const read = this.current === this.fields ? { values: this.fields.read(), reasons: {} } : this.current.read();
    this.setBusy(true);
    this.say("saving");
    this.talk.send(); // a comment that was not sent yet is sent with the answer
    const { id } = this.task;
    try {
      const answer = await this.sync.submit({
        ...read,
        note: this.noteBox.value.trim(),
        guideline: this.guideline,
        seconds: this.active.seconds(),
      });
      this.active.done(id);
      this.lastSaved = answer.saved_at;
      this.say(`saved ${clock(answer.saved_at)}`);
      this.hideBanner();
      this.ask({ submitted: true });
    } catch (error) {
      this.setBusy(false);
      this.say("");
      if (!(error instanceof Refused)) throw error;
      this.sync.giveUp();
      this.refused(error, "submit");
    }
  }

  refused(error, what) {
    if (error.status === 401 || error.status === 403) return this.signInAgain(error);
    if (error.status === 422 && what === "submit") {
      const rest = error.problems.length ? this.current.problems(error.problems) : [error.message];
      if (rest.length) this.show("bad", rest.join(" "));
      this.sync.change(this.answers());
      return undefined;
    }
    if (error.status === 409 || error.status === 404) {
      this.lost = true;
      this.sync.close();
      this.root.classList.add("lost");
      this.show(
        "bad",
        what === "submit" || what === "draft"
          ? `${error.message} What you wrote stays here until you go on.`
          : error.message,
        el("button", { type: "button", class: "small", on: { click: () => this.goOn() } }, key("Enter"), " go on"),
      );
      return undefined;
    }
    this.show("bad", error.message);
    return undefined;
  }

  signInAgain(error) {
    const next = encodeURIComponent(location.pathname + location.search);
    const again = error.status === 401 ? `/login?next=${next}` : location.pathname + location.search;
    const text =
      error.status === 401
        ? "Your session has ended. What you wrote is kept in this browser. "
        : `${error.message} What you wrote is kept in this browser. `;
    this.show(
      "bad",
      text,
      el("a", { href: again, class: "small" }, error.status === 401 ? "Sign in again" : "Load the page again"),
    );
  }

  goOn() {
    const old = this.task;
    if (old) this.sync.finish(old.id);
    this.lost = null;
    this.root.classList.remove("lost");
    this.ask({});
  }

  // Submissions that a reload or a crash interrupted are sent again under their own keys: stored once, whatever happened.
  async finishOld() {
    finishComments(this.data.person, () => this.data.csrf);
    for (const attempt of this.sync.unfinished()) {
      try {
        const answer = await this.sync.deliver(attempt);
        this.sync.finish(attempt.task);
        this.lastSaved = answer.saved_at;
        this.say(`saved ${clock(answer.saved_at)}`);
        if (this.task && this.task.id === attempt.task) this.ask({});
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.status !== 401 && error.status !== 403) this.sync.giveUp(attempt.task);
        if (this.task && this.task.id === attempt.task) this.refused(error, "submit");
      }
    }
  }

  async act(path, body, then) {
    if (this.busy || this.changing) return;
    this.setBusy(true);
    try {
      const answer = await post(path, this.data.csrf, body);
      this.setBusy(false);
      then(answer);
    } catch (error) {
      this.setBusy(false);
      if (error instanceof Refused) {
        if (error.status === 401 || error.status === 403) this.signInAgain(error);
        else this.show("plain", error.message, el("span", { class: "quiet" }, key("Esc"), " close"));
      } else if (error instanceof Gone)
        this.show("plain", "The server does not answer just now. Try again in a moment.");
      else throw error;
    }
  }

  async undo() {
    await this.sync.flush();
    await this.act("/api/undo", { project: this.fixed.project.name, stage: this.fixed.stage.name }, (answer) => {
      this.lastSaved = null;
      this.ask({ task: answer.task });
    });
  }

  // Put off: it stays mine for as long as its lease lasts, and comes again after the rest.
  later() {
    return this.fixed.stage.name === "authoring" ? undefined : this.putOff("/api/aside");
  }

  // Given back: others may take it at once.
  giveBack() {
    return this.putOff("/api/release");
  }

  async putOff(path) {
    if (!this.task || this.lost) return;
    const { id, item } = this.task;
    await this.sync.flush();
    await this.act(path, { task: id }, () => {
      this.sync.finish(id);
      this.ask({ put_off: item });
    });
  }

  async pick(ids, dimension) {
    if (this.busy || this.changing) return this.pool.release(ids);
    this.setBusy(true);
    try {
      await post("/api/pick", this.data.csrf, { project: this.fixed.project.name, dimension, assets: ids });
      this.setBusy(false);
      this.ask({ submitted: true });
    } catch (error) {
      this.setBusy(false);
      this.pool.release(ids);
      if (error instanceof Gone) this.show("plain", "The server does not answer just now. Try again in a moment.");
      else if (!(error instanceof Refused)) throw error;
      else if (error.status === 409) {
        this.show("plain", error.message);
        this.pool.gone(ids);
        setTimeout(() => this.hideBanner(), 5000);
      } else if (error.status === 401 || error.status === 403) this.signInAgain(error);
      else this.show("bad", error.message);
    }
    return undefined;
  }

  openNote() {
    if (!this.task) return;
    this.note.hidden = false;
    this.noteBox.focus();
    this.note.scrollIntoView({ block: "nearest" });
  }

  openTalk() {
    if (!this.task || !this.task.item) return;
    if (this.talkPart.hidden || !this.talk.data) this.talk.load();
    this.talkPart.hidden = false;
    this.talk.box.focus();
    this.talkPart.scrollIntoView({ block: "nearest" });
  }

  openHistory() {
    window.open(
      `/history?project=${encodeURIComponent(this.fixed.project.name)}&item=${encodeURIComponent(this.task.item)}`,
      "_blank",
      "noopener",
    );
  }

  setBusy(on) {
    this.busy = on;
    this.root.classList.toggle("busy", on);
    this.form.setAttribute("aria-busy", String(on));
  }

  // ---- asking for the next page

  ask(wish) {
    if (this.stopped) return;
    this.wishes += 1;
    const place = this.pool ? { pool: this.pool.place() } : {};
    this.waiting = {
      ...place,
      ahead: this.ahead.length,
      ...wish,
      n: this.wishes,
      have: "have" in wish ? wish.have : this.data.static_hash,
    };
    this.tries = 0;
    this.send();
  }

  // Whether another page is on its way; looking whether the pool has changed is none.
  get changing() {
    return Boolean(this.waiting && !this.waiting.refresh);
  }

  send() {
    clearTimeout(this.watch);
    this.tries += 1;
    if (this.tries > (this.broke ? 2 : 3)) return this.reloadWhenBack();
    this.fire({ ...this.waiting, again: this.tries });
    this.watch = setTimeout(() => this.send(), this.broke ? ANSWER_MS / 2 : ANSWER_MS);
    return undefined;
  }

  settle() {
    clearTimeout(this.watch);
    this.broke = false;
    this.waiting = null;
    this.setBusy(false);
  }

  // The connection that carries pages did not come back by itself: everything is saved, so a fresh page is safe.
  async reloadWhenBack() {
    if (this.stopped) return;
    try {
      const reply = await fetch("/healthz", { cache: "no-store" });
      if (reply.ok) {
        if (this.waiting && this.waiting.refresh) {
          this.settle();
          return;
        }
        location.reload();
        return;
      }
    } catch {
      // Not yet.
    }
    this.gone();
    this.watch = setTimeout(() => this.reloadWhenBack(), 1500);
  }

  // ---- what the person is told

  say(text) {
    this.status.textContent = text;
  }

  saved(at, what) {
    if (what === "draft" && !this.busy) this.say(`draft saved ${clock(at)}`);
  }

  // `words` are what the server says of itself, if it says anything.
  gone(words = "") {
    const why = words || "The server does not answer.";
    this.offline = true;
    this.broke = true; // until a page has come through again: Streamlit's own connection may be down for longer
    if (this.waiting)
      return this.show("plain gone", `${why} What you sent is stored; the next page comes as soon as it is back.`);
    this.say(this.busy ? "not sent yet" : "not saved yet");
    return this.show(
      "plain gone",
      this.busy
        ? `${why} Your submission is kept here and is sent as soon as it is back.`
        : `${why} Go on typing: it is kept here and saved as soon as it is back.`,
    );
  }

  back() {
    this.offline = false;
    if (this.banner.classList.contains("gone")) this.hideBanner();
  }

  other(kind, detail) {
    if (!this.task) return;
    if (kind === "open")
      this.show(
        "plain",
        "This item is open in another tab of yours too. What is typed last counts.",
        el("span", { class: "quiet" }, key("Esc"), " close"),
      );
    if (kind === "newer")
      this.show(
        "plain",
        "This item is being written in another window of yours. What is typed last counts.",
        el("span", { class: "quiet" }, key("Esc"), " close"),
      );
    if (kind === "draft" && !document.hasFocus()) {
      this.openForm(detail, this.earlier || []);
      this.noteBox.value = detail.note || "";
      this.note.hidden = !detail.note;
    }
    if (kind === "submitted" && !this.busy) {
      this.lost = true;
      this.sync.close();
      this.show(
        "plain",
        "This item was submitted in another tab.",
        el("button", { type: "button", class: "small", on: { click: () => this.goOn() } }, key("Enter"), " go on"),
      );
    }
  }

  show(kind, text, ...more) {
    this.banner.className = `banner ${kind}`;
    fill(this.banner, el("span", {}, text), more);
    this.banner.hidden = false;
  }

  hideBanner() {
    this.banner.hidden = true;
    this.root.classList.remove("lost");
  }

  // Streamlit covers the page with a dialog when its connection fails. Ours says it better, and one may go on typing.
  unblock(changes) {
    const dialogs = changes
      .flatMap((change) => [...change.addedNodes])
      .filter(
        (node) =>
          node instanceof Element &&
          (node.matches("[data-testid=stDialog]") || node.querySelector("[data-testid=stDialog]")),
      );
    for (const dialog of dialogs) {
      const close = dialog.querySelector("[aria-label=Close]");
      if (!close) continue;
      const { focused } = this;
      dialog.style.display = "none";
      close.click();
      const back = (tries) => {
        if (focused && focused.isConnected && this.root.getRootNode().activeElement !== focused)
          focused.focus({ preventScroll: true });
        if (tries) requestAnimationFrame(() => back(tries - 1));
      };
      back(5);
    }
  }

  // ---- the lease

  lease(until) {
    this.leaseUntil = Date.parse(until);
    this.lastBeat = Date.now();
    this.warned = false;
  }

  async tick() {
    if (!this.task || this.lost || this.busy) return;
    const now = Date.now();
    const left = this.leaseUntil - (now + this.skew);
    const active = this.lastActive > this.lastBeat;
    const due = now - this.lastBeat > HEARTBEAT_MS || left < LEASE_WARNING_MS;
    if (active && due && document.visibilityState === "visible" && !this.beating) {
      const { id } = this.task;
      this.beating = true;
      try {
        const answer = await post("/api/heartbeat", this.data.csrf, { task: id });
        if (this.task && this.task.id === id) {
          if (this.banner.classList.contains("lease")) this.hideBanner();
          this.lease(answer.lease_until);
        }
      } catch (error) {
        if (error instanceof Refused && this.task && this.task.id === id) this.refused(error, "heartbeat");
      } finally {
        this.beating = false;
      }
      return;
    }
    if (left < LEASE_WARNING_MS && !this.warned && !this.offline) {
      this.warned = true;
      this.show(
        "plain lease",
        `This item goes back to the others at ${clock(new Date(this.leaseUntil - this.skew).toISOString()).slice(0, 5)} unless you go on with it. Any key keeps it.`,
      );
    }
  }

  // ---- keys

  keydown(event) {
    const path = event.composedPath();
    const target = path[0];
    const outside = !path.includes(this.root);
    if (
      outside &&
      target instanceof Element &&
      target.closest("input, textarea, select, [contenteditable], [role=dialog]")
    )
      return;
    event.stopPropagation(); // Streamlit has keys of its own
    if (event.isComposing || event.key === "Dead" || event.key === "Process") return;
    this.lastActive = Date.now();
    if (this.warned) this.tick();
    if (this.handle(event, target)) event.preventDefault();
  }

  handle(event, target) {
    const typing =
      target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
    if (this.overlay.isOpen) return this.overlay.key(event);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (target === this.talk.box) this.talk.send();
      else if (this.lost) this.goOn();
      else this.submit();
      return true;
    }
    if (!typing && this.task && !this.busy && !this.waiting && !this.lost && this.media.editKey(event, target))
      return true;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (typing) {
      if (
        this.current &&
        target !== this.noteBox &&
        target !== this.talk.box &&
        this.current.boxKey &&
        this.current.boxKey(event, target)
      )
        return true;
      if (event.key === "Escape") {
        this.form.focus({ preventScroll: true });
        return true;
      }
      return false;
    }
    if (event.key === "Tab" || event.key === "Shift") return false;
    if (this.lost && event.key === "Enter") return (this.goOn(), true);
    if (target instanceof HTMLAnchorElement && event.key === "Enter") return false;
    if (target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ")) return event.repeat;
    if (event.repeat && !event.key.startsWith("Arrow") && ![",", ".", "+", "-", "Shift"].includes(event.key))
      return true;
    if (this.data.view === "task" && this.media.zoomed && this.media.key(event)) return true;
    if (event.key === "Escape" && this.current && this.task && this.current.key(event)) return true;
    if (event.key === "Escape" && !this.banner.hidden) return (this.hideBanner(), true);
    if (this.globalKey(event)) return true;
    if (this.data.view === "pool") return this.pool.key(event);
    if (this.data.view === "nothing") {
      if (event.key === "Enter") return (this.step(), true);
      return false;
    }
    if (this.busy || this.waiting || this.lost) return /^[0-9]$/.test(event.key) || event.key === "Enter";
    if ((this.current === this.rating || this.current === this.refining) && this.current.key(event)) return true;
    if (this.media.key(event)) return true;
    if (event.key === "Enter") return (this.submit(), true);
    return this.current.key(event);
  }

  globalKey(event) {
    const keys = {
      g: () => this.guide.toggle(),
      u: () => this.undo(),
      n: () => this.openNote(),
      c: () => this.openTalk(),
      l: () => this.later(),
      b: () => this.giveBack(),
      m: () => this.openMenu(),
      "?": () => this.openKeys(),
    };
    if (this.task && this.fixed.stage.name === "adjudication") keys.h = () => this.openHistory();
    if (this.task && this.fixed.stage.name === "refinement") keys.e = () => this.refining.toggle();
    const action = keys[event.key.toLowerCase()];
    if (!action) return false;
    action();
    return true;
  }

  // The kinds of what is drawn on this page.
  drawn() {
    return [...(this.fixed.criteria || []), ...(this.fixed.stage.name === "authoring" ? this.fixed.fields : [])]
      .filter(isDrawn)
      .map(({ kind }) => kind);
  }

  openMenu() {
    const places = this.data.menu && this.data.menu.length ? this.data.menu : [{ title: "My work", href: "/" }];
    this.overlay.menu([...places, { title: "Sign out", href: "/logout" }]);
  }

  openKeys() {
    this.overlay.keys(keyRows(this.data.view, this.fixed.stage.name, this.drawn()));
  }
}
