// Settling a disagreement: the votes side by side, then one of three decisions.

import { el, fill, key, part, same } from "../dom.js";
import { keyIndex, slotName } from "../kinds/keys.js";
import { t } from "../words.js";
import { edited, untouched } from "./changed_fields.js";
import { FieldForm } from "./fields.js";
import { votesTable } from "./votes.js";

/** @import { Answers, Choice, Criterion, CrossRule, Field, Host, Option, Problem, Read, Scalar, Values, Vote } from "../types" */

const TWICE_MS = 1000; // a key that comes again sooner was pressed twice, where once was meant
const CLICK_MS = 500; // and a click that comes sooner belongs to a double click
const TWICE = t("Not submitted yet: the same key was pressed twice. Press again to choose the reason.");

const DECISIONS = [
  { value: "accept", label: t("Accept"), hint: t("unchanged") },
  { value: "reject", label: t("Reject"), hint: t("removed from the dataset") },
  { value: "edit", label: t("Edit"), hint: t("new revision, goes back to verification") },
];

/**
 * @typedef {object} Settled what is opened
 * @property {Criterion[]} criteria what was voted on
 * @property {Record<string, Option[]>} options of the item
 * @property {Vote[]} votes
 * @property {string[]} history
 * @property {Choice[]} reasons why an item can be contested
 * @property {boolean} edit whether the item may be changed
 * @property {Field[]} fields
 * @property {CrossRule[]} between
 * @property {string} dimension of the item
 * @property {Values} values of the item
 * @property {Answers} [answers] a draft
 */

export class AdjudicateForm {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "adjudicate" });
    this.fields = new FieldForm({ media: host.media, change: () => host.change(), look: host.look });
    /** @type {Choice[]} */
    this.reasons = [];
    this.decisions = DECISIONS;
    /** @type {string | undefined} */
    this.decision = undefined;
    /** @type {Scalar | undefined} */
    this.reason = undefined;
    /** When the decision was made, and by which key; without one it was a click. */
    this.decided = { at: 0, key: "" };
    /** @type {Values} */
    this.original = {};
    /** @type {Field[]} */
    this.editable = [];
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.why = el("div", { class: "why", hidden: true });
    this.editor = el("div", { class: "editor", hidden: true }, this.fields.root);
    this.error = el("p", { class: "error", role: "alert", hidden: true });
  }

  /** @param {Settled} settled */
  open({ criteria, options, votes, history, reasons, edit, fields, between, dimension, values, answers = {} }) {
    const given = /** @type {{ decision?: string, cause?: Scalar | null, fields?: Values }} */ (answers.values ?? {});
    this.reasons = reasons;
    this.decisions = edit ? DECISIONS : DECISIONS.slice(0, 2);
    this.decision = given.decision;
    this.reason = given.cause ?? undefined;
    this.decided = { at: 0, key: "" };
    this.original = values;
    this.editable = fields.filter((field) => field.authored);
    this.fields.open({ fields: this.editable, between, dimension, values: given.fields || values });
    this.error.hidden = true;
    this.buttons = this.decisions.map(({ value, label, hint }) =>
      choice("", false, () => this.decide(value), [
        el("span", { class: "label" }, label),
        el("span", { class: "hint" }, hint),
      ]),
    );
    const decide = el(
      "div",
      { class: "criterion active" },
      el("div", { class: "prompt", id: "decision" }, t("Decision")),
      el("div", { class: "choices row decisions", role: "radiogroup", "aria-labelledby": "decision" }, this.buttons),
      this.why,
      this.editor,
      this.error,
    );
    fill(this.root, votesTable(criteria, options, votes), decide, history.length ? before(history) : null);
    this.paint();
  }

  paint() {
    this.buttons.forEach((button, index) => {
      const chosen = this.decisions[index].value === this.decision;
      button.setAttribute("aria-checked", String(chosen));
      button.classList.toggle("chosen", chosen);
      const slot = part(button, ".slot");
      slot.textContent = this.asking ? "" : slotName(index);
      slot.classList.toggle("empty", this.asking);
    });
    this.editor.hidden = this.decision !== "edit" || this.asking;
    this.host.media.repaint();
    this.why.hidden = !this.decision || !this.reasons.length;
    if (this.asking) this.paintReasons();
    else if (!this.why.hidden) this.paintReason();
    else fill(this.why);
  }

  /** A decision is made, and why the item was contested is still to be said. */
  get asking() {
    return Boolean(this.decision && this.reasons.length && (this.reason === undefined || this.decision !== "edit"));
  }

  /** While an item is edited its reason stands above the fields, and may be chosen anew. */
  paintReason() {
    const reason = this.reasons.find((candidate) => same(candidate.value, this.reason))?.label ?? String(this.reason);
    const click = () => {
      this.reason = undefined;
      this.paint();
    };
    const again = el("button", { type: "button", class: "small", on: { click } }, t("another"));
    fill(this.why, el("div", { class: "ask" }, el("span", {}, `${t("Reason:")} `, el("strong", {}, reason)), again));
  }

  paintReasons() {
    const list = this.reasons.map((reason, index) => {
      const label = el("span", { class: "label" }, reason.label);
      const chosen = same(reason.value, this.reason);
      const button = choice(slotName(index), chosen, () => this.choose(reason.value), [label]);
      if (reason.help) button.title = reason.help;
      return button;
    });
    const back = el("span", { class: "quiet" }, key("Esc"), ` ${t("back")}`);
    fill(
      this.why,
      el("div", { class: "ask" }, `${t("Why did this item need adjudication?")} `, back),
      el("div", { class: "choices column reasons", role: "radiogroup", "aria-label": t("Reason") }, list),
    );
    this.why.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {string} value
   * @param {string} [pressed] the key
   */
  decide(value, pressed = "") {
    if (this.host.unseen()) return; // what is settled stays so: a late press must not begin with the next item
    this.decided = { at: Date.now(), key: pressed };
    this.decision = value;
    this.error.hidden = true;
    this.reason = undefined;
    this.paint();
    this.host.change();
    if (!this.asking) this.goOn();
  }

  /**
   * @param {Scalar} reason
   * @param {string} [pressed] the key
   */
  choose(reason, pressed = "") {
    const { at, key: before } = this.decided;
    if (pressed === before && Date.now() - at < (pressed ? TWICE_MS : CLICK_MS)) {
      this.host.say(TWICE);
      return;
    }
    this.reason = reason;
    this.paint();
    this.host.change();
    this.goOn();
  }

  /** To the fields if the item is edited; else it is settled. */
  goOn() {
    if (this.decision === "edit") this.fields.focus();
    else this.host.submit();
  }

  /**
   * @param {() => Values} fields
   * @returns {Read}
   */
  with(fields) {
    const values = { decision: this.decision, cause: this.reason ?? null };
    return { values: this.decision === "edit" ? { ...values, fields: fields() } : values, reasons: {} };
  }

  raw() {
    return this.with(() => this.fields.raw());
  }

  read() {
    return this.with(() => edited(this.fields, this.editable, this.original));
  }

  check() {
    this.error.hidden = true;
    if (!this.decision) return this.say(t("Choose a decision."));
    if (this.reasons.length && this.reason === undefined) return this.say(t("Choose a reason."));
    if (this.decision !== "edit") return true;
    if (!this.fields.check(untouched(this.fields, this.editable, this.original))) return false;
    if (Object.keys(edited(this.fields, this.editable, this.original)).length) return true;
    return this.say(t("You have not changed anything. Change a field, or accept the item."));
  }

  /** @param {string} problem */
  say(problem) {
    this.error.textContent = problem;
    this.error.hidden = false;
    return false;
  }

  /** @param {Problem[]} list */
  problems(list) {
    /** @type {string[]} */
    const rest = [];
    for (const problem of list) {
      const name = problem.name.replace(/^fields\./, "");
      const ours = this.decision === "edit" && this.editable.some((field) => field.name === name);
      if (ours) this.fields.problems([{ ...problem, name }]);
      else rest.push(problem.message);
    }
    return rest;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape" && this.decision) {
      this.decision = undefined;
      this.reason = undefined;
      this.paint();
      this.host.change();
      return true;
    }
    const index = keyIndex(event);
    if (index < 0) return false;
    if (this.asking) {
      const reason = this.reasons[index];
      if (reason) this.choose(reason.value, event.key);
      return Boolean(reason);
    }
    if (this.decision === "edit" && this.fields.key(event)) return true;
    const decision = this.decisions[index];
    if (decision) this.decide(decision.value, event.key);
    return Boolean(decision);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  boxKey(event, box) {
    return this.fields.boxKey(event, box);
  }
}

/**
 * @param {string} name of its key
 * @param {boolean} chosen
 * @param {() => void} click
 * @param {HTMLElement[]} content
 */
const choice = (name, chosen, click, content) =>
  el(
    "button",
    {
      type: "button",
      class: chosen ? "choice chosen" : "choice",
      role: "radio",
      "aria-checked": String(chosen),
      on: { click },
    },
    el("kbd", { class: "slot", "aria-hidden": "true" }, name),
    content,
  );

/** @param {string[]} history */
const before = (history) =>
  el(
    "section",
    { class: "history" },
    el("h3", {}, `${t("History so far")} `, key("H"), ` ${t("full history")}`),
    el(
      "ol",
      {},
      history.map((line) => el("li", {}, line)),
    ),
  );
