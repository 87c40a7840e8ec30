// The form of a rater: criteria with one key per choice, reasons in place, and a focus that walks down by itself.
//
// What each kind of criterion looks like and does is its control's business (kinds/); the form knows which of them are
// asked, which one is active, skips, reasons, and when everything is answered.

import { el, fill, key, same } from "./dom.js";
import { KINDS } from "./kinds/index.js";
import { grow, KEYS, keyButton, keyIndex, mark } from "./kinds/keys.js";

// `host` hears change() after every change and submit() when the last criterion was answered by key or click;
// `host.media` is the pane with the item's pictures.
export class RatingForm {
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "rating" });
  }

  open({ criteria, options = {}, answers = {}, texts = {}, plans = {} }) {
    this.texts = texts;
    this.plans = plans;
    this.criteria = criteria.map((criterion) => ({
      ...criterion,
      options: options[criterion.name] || criterion.options,
    }));
    this.values = { ...(answers.values || {}) };
    this.reasons = { ...(answers.reasons || {}) };
    this.asking = null; // the criterion whose reasons are open
    this.typing = false; // a reason in words
    this.errors = {};
    this.blocks = new Map();
    this.host.media?.forget();
    fill(
      this.root,
      this.criteria.map((criterion) => this.block(criterion)),
    );
    const open = this.visible().find((criterion) => !this.answered(criterion));
    this.active = (open || this.visible()[0] || {}).name;
    this.paint();
  }

  read() {
    const values = {};
    const reasons = {};
    for (const criterion of this.visible()) {
      const given = this.values[criterion.name];
      const value = given === undefined || given === null ? given : this.control(criterion).read(given);
      if (value === undefined) continue;
      values[criterion.name] = value;
      if (this.reasons[criterion.name] !== undefined) reasons[criterion.name] = this.reasons[criterion.name];
    }
    return { values, reasons };
  }

  raw() {
    return { values: { ...this.values }, reasons: { ...this.reasons } };
  }

  visible() {
    const seen = new Set();
    return this.criteria.filter((criterion) => {
      const shows = Object.entries(criterion.show_if || {}).every(
        ([other, wanted]) => seen.has(other) && wanted.some((value) => same(value, this.values[other])),
      );
      if (shows) seen.add(criterion.name);
      return shows;
    });
  }

  find(name) {
    return this.criteria.find((criterion) => criterion.name === name);
  }

  control(criterion) {
    return this.blocks.get(criterion.name).control;
  }

  reasonsOf(criterion) {
    const value = this.values[criterion.name];
    if (value === undefined) return null;
    if (value === null)
      return criterion.skip && criterion.skip.reasons.length ? { list: criterion.skip.reasons, typed: false } : null;
    return this.control(criterion).reasons(value);
  }

  // What is wrong with the answer to a criterion, or missing from it; null if nothing is.
  problem(criterion) {
    const value = this.values[criterion.name];
    if (value !== null) {
      const said = this.control(criterion).problem(value);
      if (said) return said;
    }
    return this.reasonsOf(criterion) && !String(this.reasons[criterion.name] ?? "").trim() ? "Say why." : null;
  }

  answered(criterion) {
    return this.values[criterion.name] !== undefined && !this.problem(criterion);
  }

  complete() {
    return this.visible().every((criterion) => !criterion.required || this.answered(criterion));
  }

  // ---- drawing

  block(criterion) {
    const { name } = criterion;
    const id = `c-${name}`;
    const parts = { criterion };
    const head = el("div", { class: "prompt", id }, criterion.prompt);
    if (!criterion.required) head.append(el("span", { class: "quiet" }, " optional"));
    parts.control = new KINDS[criterion.kind](criterion, this.seat(name, id));
    const children = [head, criterion.help ? el("p", { class: "help" }, criterion.help) : null, parts.control.root];
    if (criterion.skip) {
      parts.skip = keyButton(el("span", { class: "label" }, criterion.skip.label), null, () => this.choose(name, null));
      parts.skip.classList.add("skip");
      if (criterion.skip.reasons.length) {
        parts.skip.append(
          el("span", { class: "hint" }, criterion.skip.reasons.map((reason) => reason.label).join(" · ")),
        );
      }
      if (parts.control.choices) parts.control.choices.append(parts.skip);
      else children.push(el("div", { class: "choices column", role: "radiogroup", "aria-labelledby": id }, parts.skip));
    }
    parts.why = el("div", { class: "why", hidden: true });
    parts.error = el("p", { class: "error", role: "alert", hidden: true });
    children.push(parts.why, parts.error);
    if (criterion.aspects.length) {
      children.push(
        el(
          "dl",
          { class: "aspects" },
          criterion.aspects.map((aspect) => [el("dt", {}, aspect.title), el("dd", {}, aspect.definition)]),
        ),
      );
    }
    parts.root = el(
      "div",
      { class: this.criteria.length > 1 ? "criterion many" : "criterion", data: { criterion: name } },
      children,
    );
    // Before the control's own handlers, which may go on to the next criterion; not as early as pointerdown, as painting
    // would replace what is about to be clicked or dragged.
    parts.root.addEventListener("click", () => this.activate(name, { focus: false }), true);
    this.blocks.set(name, parts);
    return parts.root;
  }

  seat(name, id) {
    return {
      id,
      media: this.host.media,
      value: () => this.values[name],
      text: (of) => String(this.texts[of] ?? ""),
      plan: this.plans[name] || [],
      set: (value, said) => this.set(name, value, said),
      done: (value) => this.choose(name, value),
      onward: () => this.advance(name, { submit: false }),
      activate: () => this.activate(name, { focus: false }),
    };
  }

  paint() {
    const visible = new Set(this.visible().map((criterion) => criterion.name));
    for (const [name, parts] of this.blocks) {
      const on = name === this.active;
      const value = this.values[name];
      parts.root.hidden = !visible.has(name);
      parts.root.classList.toggle("active", on);
      const keyed = on && this.asking !== name;
      parts.control.paint(value === null ? undefined : value, keyed);
      if (parts.skip) mark(parts.skip, value === null, keyed ? KEYS[parts.control.slots] : "");
      this.paintWhy(parts);
      parts.error.hidden = !this.errors[name];
      parts.error.textContent = this.errors[name] || "";
    }
  }

  paintWhy(parts) {
    const { criterion } = parts;
    const name = criterion.name;
    const wanted = this.reasonsOf(criterion);
    const open = this.asking === name && wanted;
    parts.why.hidden = !wanted;
    if (!wanted) return fill(parts.why);
    const given = this.reasons[name];
    if (!open) {
      const label = (wanted.list.find((reason) => same(reason.value, given)) || {}).label ?? given ?? "";
      fill(parts.why, el("span", { class: "quiet" }, "Why: "), label || "no reason yet");
      return;
    }
    const buttons = wanted.list.map((reason, index) => {
      const button = keyButton(el("span", { class: "label" }, reason.label), reason.help, () =>
        this.because(name, reason.value),
      );
      mark(button, same(reason.value, given), KEYS[index]);
      return button;
    });
    if (wanted.typed) {
      const other = keyButton(el("span", { class: "label" }, "Another reason, in words"), null, () =>
        this.typeReason(name),
      );
      mark(other, false, KEYS[wanted.list.length]);
      buttons.push(other);
    }
    const box = el("div", { class: "choices column reasons", role: "radiogroup", "aria-label": "Reason" }, buttons);
    fill(parts.why, el("div", { class: "ask" }, "Why? ", el("span", { class: "quiet" }, key("Esc"), " back")), box);
    if (this.typing) {
      const known = wanted.list.some((reason) => same(reason.value, given));
      parts.words = el("textarea", {
        class: "box",
        rows: "2",
        "aria-label": "Reason in words",
        on: {
          input: () => {
            this.reasons[name] = parts.words.value;
            grow(parts.words);
            this.host.change();
          },
        },
      });
      parts.words.value = known ? "" : (given ?? "");
      parts.words.dataset.enter = "reason";
      parts.why.append(parts.words, el("span", { class: "quiet" }, key("Enter"), " done"));
      parts.words.focus();
    }
  }

  // ---- answering

  activate(name, { focus = true } = {}) {
    if (this.active !== name) {
      this.active = name;
      if (this.asking !== name) this.stopAsking();
      this.paint();
    }
    const parts = this.blocks.get(name);
    if (!parts) return;
    if (focus && !parts.control.focus()) this.host.blur();
    parts.root.scrollIntoView({ block: "nearest" });
  }

  // In a window that has become smaller, or beside the guideline, what keys go to is still seen.
  keepInSight() {
    const parts = this.blocks.get(this.active);
    if (parts) parts.root.scrollIntoView({ block: "nearest" });
  }

  stopAsking() {
    this.asking = null;
    this.typing = false;
  }

  // Keeps an answer that may not be finished; undefined takes it back.
  set(name, value, said = null) {
    if (value === undefined) delete this.values[name];
    else this.values[name] = value;
    if (said) this.errors[name] = said;
    else delete this.errors[name];
    this.paint();
    this.host.change();
  }

  choose(name, value) {
    const criterion = this.find(name);
    this.active = name;
    if (!same(this.values[name], value)) delete this.reasons[name];
    this.values[name] = value;
    delete this.errors[name];
    this.stopAsking();
    if (this.reasonsOf(criterion)) {
      this.asking = name;
      this.paint();
      this.host.change();
      this.blocks.get(name).why.scrollIntoView({ block: "nearest" });
      return;
    }
    delete this.reasons[name];
    this.host.change();
    this.advance(name);
  }

  because(name, reason) {
    this.reasons[name] = reason;
    this.stopAsking();
    delete this.errors[name];
    this.host.change();
    this.advance(name);
  }

  typeReason(name) {
    this.asking = name;
    this.typing = true;
    const wanted = this.reasonsOf(this.find(name));
    if (wanted.list.some((reason) => same(reason.value, this.reasons[name]))) delete this.reasons[name];
    this.paint();
  }

  advance(name, { submit = true } = {}) {
    const walk = this.visible().filter((criterion) => criterion.required || this.control(criterion).onTheWay);
    const at = walk.findIndex((criterion) => criterion.name === name);
    const open = (criterion) => !this.answered(criterion);
    const next =
      walk.slice(at + 1).find(open) ||
      walk.slice(0, Math.max(at, 0)).find((criterion) => criterion.required && open(criterion)) ||
      walk[at + 1];
    if (next) this.activate(next.name);
    this.paint();
    if (!next && submit) this.host.submit();
    return Boolean(next);
  }

  // Marks what is missing or wrong; true when nothing is.
  check() {
    this.errors = {};
    for (const criterion of this.visible()) {
      if (!criterion.required && this.values[criterion.name] === undefined) continue;
      const said = this.problem(criterion);
      if (!said || (!criterion.required && this.control(criterion).read(this.values[criterion.name]) === undefined))
        continue;
      this.errors[criterion.name] = said;
      if (said === "Say why." && Object.keys(this.errors).length === 1) this.asking = criterion.name;
    }
    const first = Object.keys(this.errors)[0];
    if (first) this.activate(first);
    this.paint();
    return !first;
  }

  problems(list) {
    const unknown = [];
    for (const problem of list) {
      if (this.blocks.has(problem.name)) this.errors[problem.name] = problem.message;
      else unknown.push(problem.message);
    }
    const first = list.find((problem) => this.blocks.has(problem.name));
    if (first) this.activate(first.name);
    this.paint();
    return unknown;
  }

  // Keys outside of text boxes; true when one was used.
  key(event) {
    if (event.key === "Escape" && this.asking) {
      const name = this.asking;
      this.stopAsking();
      if (!this.answered(this.find(name))) delete this.values[name];
      this.paint();
      this.host.change();
      return true;
    }
    const criterion = this.visible().find((candidate) => candidate.name === this.active);
    if (criterion && this.asking !== criterion.name && this.control(criterion).key(event)) return true;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const list = this.visible();
      if (list.length < 2) return false;
      const at = list.findIndex((candidate) => candidate.name === this.active);
      const next = list[at + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) this.activate(next.name);
      return true;
    }
    const index = keyIndex(event);
    if (index < 0 || !criterion) return false;
    if (this.asking === criterion.name) {
      const wanted = this.reasonsOf(criterion);
      if (index < wanted.list.length) this.because(criterion.name, wanted.list[index].value);
      else if (wanted.typed && index === wanted.list.length) this.typeReason(criterion.name);
      else return false;
      return true;
    }
    if (!criterion.skip || index !== this.control(criterion).slots) return false;
    this.choose(criterion.name, null);
    return true;
  }

  // Enter and Escape inside a text box of this form; true when used.
  boxKey(event, box) {
    if (box.dataset.enter === "reason") {
      if (event.key === "Enter" && !event.shiftKey) {
        const text = box.value.trim();
        if (text) this.because(this.asking, text);
        return true;
      }
      if (event.key === "Escape") {
        this.typing = false;
        this.paint();
        this.host.blur();
        return true;
      }
    }
    const own = [...this.blocks.values()].find((parts) => parts.control.boxKey && parts.control.root.contains(box));
    return own ? own.control.boxKey(event, box) : false;
  }
}
