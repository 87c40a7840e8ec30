// One form that is being built: what is typed, and what the server says about it.

import { el, fill } from "../dom.js";
import { Gone, post, Refused } from "../http.js";
import { YamlEditor } from "../vendor/codemirror.js";
import { askCreate } from "./create.js";
import { download, layout } from "./layout.js";
import { nameInAddress, saveOnLeave, seeEffects } from "./leaving.js";
import { LiveForm } from "./live_form.js";
import { morph } from "./morph.js";
import { count } from "./parts.js";
import { answered, listen } from "./row_events.js";
import { rows } from "./rows.js";

/** @import { BuilderPage, Checked, DraftLine, Edit, Finding, FormState, Opened } from "../builder_types" */

const PAUSE_MS = 300;
const AGAIN_MS = 2000;
/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit" };

/** @typedef {{ data: BuilderPage, opened: Opened, csrf: () => string, back: (() => void) | string, open: (other: Opened) => void, parent: Node }} Given */

export class Builder {
  /** @param {Given} given */
  constructor({ data, opened, csrf, back, open, parent }) {
    this.data = data;
    this.csrf = csrf;
    this.openOther = open;
    this.draft = opened.draft;
    this.revision = opened.revision;
    /** @type {FormState | null} the last that could be read */
    this.state = null;
    /** @type {Finding[]} */
    this.findings = [];
    this.broken = false;
    this.openRow = "";
    /** @type {string | null} the row that gets the focus when it is drawn; empty: the list */
    this.focusRow = null;
    this.stage = "";
    this.dimension = "";
    /** @type {Edit[][]} edits that wait for the server */
    this.waiting = [];
    this.dirty = false; // something is not saved yet
    this.busy = false;
    this.stopped = false;
    this.timer = 0;
    this.live = new LiveForm((stage, dimension) => {
      this.stage = stage ?? this.stage;
      this.dimension = dimension ?? this.dimension;
      this.check(0);
    });
    this.frame = layout({
      running: data.project !== null,
      back,
      live: this.live,
      acts: {
        undo: () => void this.editor.undo(),
        create: () => this.create(),
        download: () => download(this.editor.text, this.state?.value?.name),
        toFinding: () =>
          this.editor.go((this.findings.find(({ level }) => level === "error") ?? this.findings[0])?.line ?? 1),
        guideline: () => this.typed(),
      },
    });
    this.root = this.frame.root;
    this.list = this.frame.list;
    this.frame.guideline.value = opened.guideline;
    parent.appendChild(this.root); // the editor takes its styles to where it stands
    const root = this.root.getRootNode();
    this.editor = new YamlEditor({
      parent: this.frame.text,
      root: root instanceof ShadowRoot ? root : document,
      text: opened.text,
      label: "YAML of the form",
      changed: () => this.typed(),
      moved: (line) => this.openAt(line),
    });
    this.frame.undo.disabled = true;
    listen(this);
    this.forget = saveOnLeave(this);
    this.check(0);
  }

  typed() {
    this.dirty = true;
    this.frame.undo.disabled = !this.editor.canUndo;
    this.check(PAUSE_MS);
  }

  /** Ask the server for an edit of a row. @param {Edit[]} edits */
  edit(edits) {
    this.waiting.push(edits);
    this.dirty = true;
    this.check(0);
  }

  /** @param {number} pause */
  check(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), pause);
  }

  async send() {
    if (this.stopped) return;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.again = false;
    const [text, guideline, edits, save] = [
      this.editor.text,
      this.frame.guideline.value,
      this.waiting[0] ?? [],
      this.dirty,
    ];
    const { draft, revision, stage, dimension } = this;
    try {
      const body = { draft, revision, text, guideline, edits, save, stage, dimension, project: this.data.project };
      /** @type {Checked} */
      const checked = await post("/api/form_check", this.csrf(), body);
      if (!this.stopped) this.take(checked, text, guideline, edits, save);
    } catch (error) {
      if (!this.stopped) this.failed(error, edits);
    } finally {
      this.busy = false;
    }
    if (this.waiting.length || this.again) this.check(0);
  }

  /**
   * @param {Checked} checked
   * @param {string} text the text and the guideline that were sent
   * @param {string} guideline
   * @param {Edit[]} edits
   * @param {boolean} saved
   */
  take(checked, text, guideline, edits, saved) {
    this.draft = checked.draft;
    this.revision = checked.revision;
    if (saved && this.data.project === null) nameInAddress(checked.draft);
    if (checked.copied) this.copied();
    if (edits.length && this.editor.text !== text) return; // typed meanwhile: the edit is made again, on the newer text
    if (edits.length) {
      this.waiting.shift();
      if (!this.waiting.length) answered(this.list);
      if (checked.refused) this.say(checked.refused);
      else if (!checked.copied) this.quiet();
      this.editor.set(checked.text);
      clearTimeout(this.timer); // what was set is what was checked
    }
    const current = this.editor.text === checked.text && this.frame.guideline.value === guideline;
    if (saved && current) {
      this.dirty = false;
      this.frame.status.textContent = `Draft saved ${new Date(checked.saved_at).toLocaleTimeString([], TIME)}`;
    }
    this.frame.undo.disabled = !this.editor.canUndo;
    this.show(checked);
  }

  /** @param {unknown} error @param {Edit[]} edits */
  failed(error, edits) {
    if (error instanceof Gone) {
      this.frame.status.textContent = "Not saved: no connection. Trying again.";
      this.check(AGAIN_MS);
      return;
    }
    if (!(error instanceof Refused)) throw error;
    if (edits.length) this.waiting.shift();
    answered(this.list);
    this.frame.status.textContent = "Not saved";
    this.say([error.message, ...error.problems.map(({ message }) => message)].join(" "));
  }

  /** @param {FormState} state */
  show(state) {
    const { frame } = this;
    const { findings } = state;
    this.broken = state.value === null;
    if (!this.broken) this.state = state;
    this.findings = findings;
    const errors = findings.filter(({ level }) => level === "error");
    const top = errors[0] ?? findings[0];
    const title = this.state?.value?.title;
    this.root.classList.toggle("stale", this.broken);
    frame.title.textContent = typeof title === "string" && title ? title : "Untitled form";
    frame.looks.hidden = !top;
    frame.looks.className = errors.length ? "chip bad" : "chip";
    frame.looks.textContent = errors.length
      ? count(errors.length, "error")
      : `${count(findings.length, "thing")} to look at`;
    frame.create.disabled = !state.valid;
    frame.create.title = state.valid ? "" : "Fix the errors first.";
    this.editor.findings(findings.map(({ line, message, level }) => ({ line, message, severity: level })));
    const line =
      top && el("button", { type: "button", class: "chip", data: { line: String(top.line) } }, `Line ${top.line}`);
    fill(frame.foot, top ? [line, ` ${top.message}`] : "Nothing to fix");
    this.live.show(state);
    this.drawRows();
  }

  drawRows() {
    const { state, broken, findings } = this;
    if (!state) {
      fill(this.list, el("p", { class: "stale-note" }, "Fix the YAML to see its rows."));
      return;
    }
    const ctx = {
      value: state.value,
      findings: broken ? [] : findings,
      keep: state.keep,
      catalog: this.data.catalog,
      open: this.openRow,
      shown: new Set(),
    };
    const stale =
      broken && `Line ${findings[0]?.line ?? 1} is not plain YAML yet. The rows show the last text that could be read.`;
    const next = el(
      "div",
      { class: "rows", tabindex: "-1" },
      stale && el("p", { class: "stale-note", role: "status", data: { id: "stale" } }, stale),
      el("fieldset", { class: "lock", disabled: broken, data: { id: "lock" } }, rows(ctx)),
    );
    morph(this.list, next);
    const lock = this.list.querySelector("fieldset.lock");
    if (lock instanceof HTMLFieldSetElement) lock.disabled = broken;
    this.moveFocus();
    const span = broken ? undefined : state.lines[this.openRow];
    this.editor.mark(span?.[0] ?? 0, span?.[1] ?? 0);
  }

  /** Keep the focus on a row that was added or moved. */
  moveFocus() {
    if (this.focusRow === null || this.waiting.length) return;
    const title = this.list.querySelector(`[data-id="${CSS.escape(`open.${this.focusRow}`)}"]`);
    const target = this.focusRow ? title : this.list;
    if (target instanceof HTMLElement) target.focus();
    this.focusRow = null;
  }

  /** Open the row that has this line of the text. @param {number} line */
  openAt(line) {
    const entries = [...this.list.querySelectorAll("[data-entry]")].map(
      (node) => (node instanceof HTMLElement && node.dataset.entry) || "",
    );
    const found = entries.find((id) => {
      const span = this.state?.lines[id];
      return span && span[0] <= line && line <= span[1];
    });
    if (found === undefined || found === this.openRow) return;
    this.openRow = found;
    this.drawRows();
    this.list.querySelector(".entry.open")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} words @param {HTMLElement} [action] */
  say(words, action) {
    this.frame.banner.hidden = false;
    const close = el("button", { type: "button", class: "small", on: { click: () => this.quiet() } }, "Close");
    fill(this.frame.banner, el("span", {}, words), action, close);
  }

  quiet() {
    this.frame.banner.hidden = true;
  }

  /** Another tab has saved a different text, so this one has become a draft of its own. */
  async copied() {
    const { project } = this.data;
    const words = "Another tab changed this form. Your version is now a separate draft, and the other version is kept.";
    this.say(words);
    /** @type {{ drafts: DraftLine[] }} */
    const { drafts } = await post("/api/form_list", this.csrf(), { project });
    const other = drafts.find(({ draft }) => draft !== this.draft);
    if (!other) return;
    const open = async () => this.openOther(await post("/api/form_open", this.csrf(), { draft: other.draft, project }));
    this.say(words, el("button", { type: "button", class: "small", on: { click: open } }, "Open other version"));
  }

  create() {
    if (this.data.project !== null) {
      seeEffects(this, this.data.project);
      return;
    }
    const form = () => ({ draft: this.draft, text: this.editor.text, guideline: this.frame.guideline.value });
    const title = this.state?.value?.title;
    askCreate(this.root, this.csrf, typeof title === "string" ? title : "", form, () => this.stop(true));
  }

  /** @param {boolean} [stay] leave what is seen until the next page is there */
  stop(stay = false) {
    clearTimeout(this.timer);
    if (!stay) this.forget();
    this.stopped = true;
    if (stay) return;
    this.live.stop();
    this.editor.destroy();
    this.root.remove();
  }
}
