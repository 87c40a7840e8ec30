// The form of a rater: criteria with one key per choice, reasons in place, and a focus that walks down by itself.

import { el, fill, key, same } from "./dom.js";

export const KEYS = [..."1234567890qwertypasdfhjkxvb"];

export function keyIndex(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return -1;
  if (/^(Digit|Numpad)[0-9]$/.test(event.code)) return KEYS.indexOf(event.code.slice(-1));
  return KEYS.indexOf(event.key.toLowerCase());
}

export function grow(area) {
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}

// `host` hears change() after every change and submit() when the last criterion was answered by key or click.
export class RatingForm {
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "rating" });
  }

  open({ criteria, options = {}, answers = {} }) {
    this.criteria = criteria.map((criterion) => ({ ...criterion, options: options[criterion.name] || criterion.options }));
    this.values = { ...(answers.values || {}) };
    this.reasons = { ...(answers.reasons || {}) };
    this.asking = null; // the criterion whose reasons are open
    this.typing = false; // a reason in words
    this.errors = {};
    this.blocks = new Map();
    const open = this.visible().find((criterion) => !this.answered(criterion));
    this.active = (open || this.visible()[0] || {}).name;
    fill(this.root, this.criteria.map((criterion) => this.block(criterion)));
    this.paint();
  }

  read() {
    const values = {};
    const reasons = {};
    for (const criterion of this.visible()) {
      const value = this.values[criterion.name];
      if (value === undefined || (criterion.kind === "text" && value !== null && !String(value).trim())) continue;
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

  reasonsOf(criterion) {
    const value = this.values[criterion.name];
    if (value === undefined) return null;
    if (value === null) return criterion.skip && criterion.skip.reasons.length ? { list: criterion.skip.reasons, typed: false } : null;
    const option = criterion.options.find((candidate) => same(candidate.value, value));
    return option && option.reasons.length ? { list: option.reasons, typed: true } : null;
  }

  answered(criterion) {
    const value = this.values[criterion.name];
    if (value === undefined) return false;
    if (criterion.kind === "text") return value === null || String(value).trim() !== "";
    return !this.reasonsOf(criterion) || Boolean(String(this.reasons[criterion.name] ?? "").trim());
  }

  complete() {
    return this.visible().every((criterion) => !criterion.required || this.answered(criterion));
  }

  // ---- drawing

  block(criterion) {
    const id = `c-${criterion.name}`;
    const several = this.criteria.length > 1;
    const parts = { criterion };
    const head = el("div", { class: "prompt", id }, criterion.prompt);
    if (!criterion.required) head.append(el("span", { class: "quiet" }, " optional"));
    const children = [head];
    if (criterion.help) children.push(el("p", { class: "help" }, criterion.help));
    if (criterion.kind === "text") {
      parts.area = el("textarea", { class: "box", rows: "2", "aria-labelledby": id, data: { criterion: criterion.name },
        on: {
          input: () => {
            this.values[criterion.name] = parts.area.value;
            grow(parts.area);
            delete this.errors[criterion.name];
            this.host.change();
          },
          focus: () => this.activate(criterion.name, { focus: false }),
        } });
      parts.area.value = this.values[criterion.name] ?? "";
      children.push(parts.area);
    }
    parts.buttons = [];
    const rows = criterion.kind === "text" ? [] : criterion.options;
    const short = rows.length > 1 && rows.every((option) => `${option.label ?? ""}${criterion.kind === "scale" ? option.value : ""}`.length <= 14) && rows.length <= 5;
    const choices = el("div", { class: `choices ${short ? "row" : "column"} kind-${criterion.kind}`, role: "radiogroup", "aria-labelledby": id });
    rows.forEach((option) => {
      const label = criterion.kind === "scale"
        ? [el("span", { class: "step" }, option.value), option.label ? el("span", { class: "steplabel" }, option.label) : null]
        : el("span", { class: "label" }, option.label ?? option.value);
      parts.buttons.push(this.button(label, option.help, () => this.choose(criterion.name, option.value)));
    });
    choices.append(...parts.buttons);
    if (criterion.skip) {
      parts.skip = this.button(el("span", { class: "label" }, criterion.skip.label), null, () => this.choose(criterion.name, null));
      parts.skip.classList.add("skip");
      if (criterion.skip.reasons.length) {
        parts.skip.append(el("span", { class: "hint" }, criterion.skip.reasons.map((reason) => reason.label).join(" · ")));
      }
      choices.append(parts.skip);
    }
    children.push(choices);
    parts.why = el("div", { class: "why", hidden: true });
    parts.error = el("p", { class: "error", role: "alert", hidden: true });
    children.push(parts.why, parts.error);
    if (criterion.aspects.length) {
      children.push(el("dl", { class: "aspects" }, criterion.aspects.map((aspect) => [el("dt", {}, aspect.title), el("dd", {}, aspect.definition)])));
    }
    parts.root = el("div", { class: several ? "criterion many" : "criterion", data: { criterion: criterion.name },
      on: { pointerdown: () => this.activate(criterion.name, { focus: false }) } }, children);
    this.blocks.set(criterion.name, parts);
    return parts.root;
  }

  button(label, help, press) {
    return el("button", { type: "button", class: "choice", role: "radio", "aria-checked": "false", title: help, on: { click: press } },
      el("kbd", { class: "slot", "aria-hidden": "true" }), label);
  }

  paint() {
    const visible = new Set(this.visible().map((criterion) => criterion.name));
    for (const [name, parts] of this.blocks) {
      const { criterion } = parts;
      const on = name === this.active;
      const value = this.values[name];
      parts.root.hidden = !visible.has(name);
      parts.root.classList.toggle("active", on);
      const keyed = on && this.asking !== name;
      parts.buttons.forEach((button, index) => {
        const chosen = value !== undefined && same(criterion.options[index].value, value);
        this.mark(button, chosen, keyed ? KEYS[index] : "");
      });
      if (parts.skip) this.mark(parts.skip, value === null, keyed ? KEYS[parts.buttons.length] : "");
      this.paintWhy(parts);
      parts.error.hidden = !this.errors[name];
      parts.error.textContent = this.errors[name] || "";
      if (parts.area) grow(parts.area);
    }
  }

  mark(button, chosen, name) {
    button.setAttribute("aria-checked", String(chosen));
    button.classList.toggle("chosen", chosen);
    const slot = button.querySelector(".slot");
    slot.textContent = name ? name.toUpperCase() : "";
    slot.classList.toggle("empty", !name);
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
      const button = this.button(el("span", { class: "label" }, reason.label), reason.help, () => this.because(name, reason.value));
      this.mark(button, same(reason.value, given), KEYS[index]);
      return button;
    });
    if (wanted.typed) {
      const other = this.button(el("span", { class: "label" }, "Another reason, in words"), null, () => this.typeReason(name));
      this.mark(other, false, KEYS[wanted.list.length]);
      buttons.push(other);
    }
    const box = el("div", { class: "choices column reasons", role: "radiogroup", "aria-label": "Reason" }, buttons);
    fill(parts.why, el("div", { class: "ask" }, "Why? ", el("span", { class: "quiet" }, key("Esc"), " back")), box);
    if (this.typing) {
      const known = wanted.list.some((reason) => same(reason.value, given));
      parts.words = el("textarea", { class: "box", rows: "2", "aria-label": "Reason in words", on: { input: () => {
        this.reasons[name] = parts.words.value;
        grow(parts.words);
        this.host.change();
      } } });
      parts.words.value = known ? "" : given ?? "";
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
    if (focus) {
      if (parts.area) parts.area.focus();
      else this.host.blur();
    }
    parts.root.scrollIntoView({ block: "nearest" });
  }

  stopAsking() {
    this.asking = null;
    this.typing = false;
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

  advance(name) {
    const walk = this.visible().filter((criterion) => criterion.required || criterion.kind !== "text");
    const at = walk.findIndex((criterion) => criterion.name === name);
    const open = (criterion) => !this.answered(criterion);
    const next = walk.slice(at + 1).find(open) || walk.slice(0, Math.max(at, 0)).find((criterion) => criterion.required && open(criterion)) || walk[at + 1];
    if (next) this.activate(next.name);
    this.paint();
    if (!next) this.host.submit();
  }

  // Marks what is missing; true when nothing is.
  check() {
    this.errors = {};
    for (const criterion of this.visible()) {
      if (!criterion.required || this.answered(criterion)) continue;
      const reason = this.values[criterion.name] !== undefined && this.reasonsOf(criterion);
      this.errors[criterion.name] = reason ? "Say why." : criterion.kind === "text" ? "Write something here." : "Choose one.";
      if (reason && Object.keys(this.errors).length === 1) this.asking = criterion.name;
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
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const list = this.visible();
      if (list.length < 2) return false;
      const at = list.findIndex((criterion) => criterion.name === this.active);
      const next = list[at + (event.key === "ArrowDown" ? 1 : -1)];
      if (next) this.activate(next.name);
      return true;
    }
    const index = keyIndex(event);
    if (index < 0) return false;
    const criterion = this.visible().find((candidate) => candidate.name === this.active);
    if (!criterion) return false;
    if (this.asking === criterion.name) {
      const wanted = this.reasonsOf(criterion);
      if (index < wanted.list.length) this.because(criterion.name, wanted.list[index].value);
      else if (wanted.typed && index === wanted.list.length) this.typeReason(criterion.name);
      else return false;
      return true;
    }
    if (criterion.kind !== "text" && index < criterion.options.length) this.choose(criterion.name, criterion.options[index].value);
    else if (criterion.skip && index === (criterion.kind === "text" ? 0 : criterion.options.length)) this.choose(criterion.name, null);
    else return false;
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
    return false;
  }
}
