// The form of a rater: criteria with one key per choice, reasons in place, and a focus that walks down by itself.
//
// What each kind of criterion looks like and does is its control's business (kinds/); the form knows which of them are
// asked, which one is active, skips, reasons, and when everything is answered.

import { el, fill, same } from "../dom.js";
import { KINDS } from "../kinds/index.js";
import { KEYS, showChosen } from "../kinds/keys.js";
import { isChosen } from "../own_keys.js";
import { Answering, SAY_WHY } from "./answering.js";
import { blockOf, paintWhy } from "./rating_block.js";
import { ratingBoxKey, ratingKey } from "./rating_keys.js";
import { brokenRules } from "./rules.js";
import { votesTable } from "./votes.js";

/** @import { Answers, Criterion, CrossRule, Host, Option, PlanStep, Problem, Seat, Values, Vote } from "../types" */

/**
 * @typedef {object} Rated what is opened
 * @property {Criterion[]} criteria
 * @property {CrossRule[]} [rules] what has to hold between answers
 * @property {Record<string, Option[]>} [options] those of the item, by criterion
 * @property {Answers} [answers] a draft
 * @property {Values} [texts] what a criterion can be about: the item's fields and the answer
 * @property {Record<string, PlanStep[]>} [plans] the steps read from them, by criterion
 * @property {Vote[]} [votes] what others have said, where it is settled here
 */

export class RatingForm extends Answering {
  /** @param {Host} host `submit` is called when the last criterion was answered by key or click */
  constructor(host) {
    super();
    this.host = host;
    this.root = el("div", { class: "rating" });
    /** @type {CrossRule[]} */
    this.rules = [];
    /** @type {Values} */
    this.texts = {};
    /** @type {Record<string, PlanStep[]>} */
    this.plans = {};
    /** @type {string | null} */
    this.asking = null; // the criterion whose reasons are open
    this.typing = false; // a reason in words
    /** @type {Record<string, string>} */
    this.errors = {};
    this.sent = false; // someone has tried to send it: from then on it is said what is missing
    /** @type {string | undefined} */
    this.active = undefined;
  }

  /** @param {Rated} rated */
  open({ criteria, rules = [], options = {}, answers = {}, texts = {}, plans = {}, votes = [] }) {
    this.rules = rules;
    this.texts = texts;
    this.plans = plans;
    this.criteria = criteria.map((each) => ({ ...each, options: options[each.name] || each.options }));
    this.values = { ...answers.values };
    this.reasons = { ...answers.reasons };
    this.stopAsking();
    this.errors = {};
    this.sent = false;
    this.blocks = new Map();
    for (const criterion of this.criteria) this.addBlock(criterion);
    fill(
      this.root,
      votes.length ? votesTable(criteria, options, votes) : null,
      [...this.blocks.values()].map(({ root }) => root),
    );
    const visible = this.visible();
    this.active = (visible.find((criterion) => !this.answered(criterion)) ?? visible[0])?.name;
    this.paint();
  }

  /** @param {Criterion} criterion */
  addBlock(criterion) {
    const { name, kind } = criterion;
    const id = `c-${name}`;
    const control = new KINDS[kind](criterion, this.seat(name, id));
    this.blocks.set(name, blockOf(this, criterion, control, id));
  }

  /**
   * @param {string} name
   * @param {string} id
   * @returns {Seat}
   */
  seat(name, id) {
    return {
      id,
      media: this.host.media,
      value: () => this.values[name],
      text: (of) => String(this.texts[of ?? ""] ?? ""),
      plan: this.plans[name] || [],
      set: (value, said) => this.set(name, value, said),
      done: (value) => this.choose(name, value),
      onward: () => this.advance(name, { submit: false }),
      activate: () => this.activate(name, { focus: false }),
    };
  }

  // ---- drawing

  paint() {
    const visible = new Set(this.visible().map((criterion) => criterion.name));
    const broken = this.broken(this.sent);
    for (const [name, block] of this.blocks) {
      const { control, error, root, skip } = block;
      const on = name === this.active;
      const value = this.values[name];
      root.hidden = !visible.has(name);
      root.classList.toggle("active", on);
      const keyed = on && this.asking !== name;
      control.paint(value === null ? undefined : value, keyed);
      if (skip) showChosen(skip, value === null, keyed ? (isChosen("Skip") ? "Skip" : KEYS[control.slots]) : "");
      paintWhy(this, block);
      const said = this.errors[name] || broken[name] || "";
      error.hidden = !said;
      error.textContent = said;
    }
  }

  /**
   * @param {string} name
   * @param {{ focus?: boolean }} [how]
   */
  activate(name, { focus = true } = {}) {
    if (this.active !== name) {
      this.active = name;
      if (this.asking !== name) this.stopAsking();
      this.paint();
    }
    const block = this.blocks.get(name);
    if (!block) return;
    if (focus && !block.control.focus()) this.host.blur();
    block.root.scrollIntoView({ block: "nearest" });
  }

  /** In a window that has become smaller, or next to the guideline, what keys go to is still seen. */
  keepInSight() {
    this.blocks.get(this.active ?? "")?.root.scrollIntoView({ block: "nearest" });
  }

  // ---- answering

  stopAsking() {
    this.asking = null;
    this.typing = false;
  }

  /**
   * Keeps an answer that may not be finished; undefined takes it back.
   * @param {string} name
   * @param {unknown} value
   * @param {string | null} [said] what is wrong with it
   */
  set(name, value, said = null) {
    if (value === undefined) delete this.values[name];
    else this.values[name] = value;
    if (said) this.errors[name] = said;
    else delete this.errors[name];
    this.paint();
    this.host.change();
  }

  /**
   * @param {string} name
   * @param {unknown} value null: skipped
   */
  choose(name, value) {
    const { criterion, why } = this.block(name);
    this.active = name;
    if (!same(this.values[name], value)) delete this.reasons[name];
    this.values[name] = value;
    delete this.errors[name];
    this.stopAsking();
    if (this.reasonsOf(criterion)) {
      this.asking = name;
      this.paint();
      this.host.change();
      why.scrollIntoView({ block: "nearest" });
      return;
    }
    delete this.reasons[name];
    this.host.change();
    this.advance(name);
  }

  /**
   * @param {string} name
   * @param {unknown} reason
   */
  because(name, reason) {
    this.reasons[name] = reason;
    this.stopAsking();
    delete this.errors[name];
    this.host.change();
    this.advance(name);
  }

  /** @param {string} name */
  typeReason(name) {
    this.asking = name;
    this.typing = true;
    const wanted = this.reasonsOf(this.block(name).criterion);
    if (wanted?.list.some((reason) => same(reason.value, this.reasons[name]))) delete this.reasons[name];
    this.paint();
  }

  /**
   * To what is answered next; whether there is something.
   * @param {string} name
   * @param {{ submit?: boolean }} [how]
   */
  advance(name, { submit = true } = {}) {
    const walk = this.visible().filter((criterion) => criterion.required || this.control(criterion).onTheWay);
    const at = walk.findIndex((criterion) => criterion.name === name);
    const open = (/** @type {Criterion} */ criterion) => !this.answered(criterion);
    const before = walk.slice(0, Math.max(at, 0)).filter((criterion) => criterion.required);
    const next = walk.slice(at + 1).find(open) || before.find(open) || walk[at + 1];
    if (next) this.activate(next.name);
    this.paint();
    if (!next && submit) this.host.submit();
    return Boolean(next);
  }

  /** Marks what is missing or wrong; true when nothing is. */
  check() {
    this.errors = {};
    for (const criterion of this.visible()) {
      const { name, required } = criterion;
      const value = this.values[name];
      if (!required && value === undefined) continue;
      const said = this.problem(criterion);
      if (!said || (!required && this.control(criterion).read(value) === undefined)) continue;
      this.errors[name] = said;
      if (said === SAY_WHY && Object.keys(this.errors).length === 1) this.asking = name;
    }
    this.sent = true;
    const first = Object.keys({ ...this.errors, ...this.broken(true) })[0];
    if (first) this.activate(first);
    this.paint();
    return !first;
  }

  /** @param {boolean} complete */
  broken(complete) {
    if (!this.rules.length) return {};
    const visible = new Set(this.visible().map(({ name }) => name));
    return brokenRules(this.rules, { ...this.texts, ...this.read().values }, (name) => visible.has(name), complete);
  }

  /**
   * Shows what the server found; gives back what belongs to no criterion here.
   * @param {Problem[]} list
   */
  problems(list) {
    const known = list.filter(({ name }) => this.blocks.has(name));
    for (const { name, message } of known) this.errors[name] = message;
    if (known.length) this.activate(known[0].name);
    this.paint();
    return list.filter((problem) => !known.includes(problem)).map(({ message }) => message);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return ratingKey(this, event);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  boxKey(event, box) {
    return ratingBoxKey(this, event, box);
  }
}
