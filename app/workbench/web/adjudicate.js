// Settling a disagreement: the votes side by side, then one of three decisions.

import { el, fill, key, same, shown } from "./dom.js";
import { FieldForm } from "./fields.js";
import { KINDS } from "./kinds/index.js";
import { KEYS, keyIndex } from "./kinds/keys.js";
import { inWords, isDrawn } from "./marks.js";

const DECISIONS = [
  { value: "accept", label: "Accept", hint: "kept as it is" },
  { value: "reject", label: "Reject", hint: "taken out" },
  { value: "edit", label: "Edit", hint: "a new revision, verified again" },
];

export class AdjudicateForm {
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "adjudicate" });
    this.fields = new FieldForm({ media: host.media, change: () => host.change() });
  }

  open({ criteria, options, votes, history, causes, edit, fields, values, answers = {} }) {
    this.causes = causes;
    this.decisions = edit ? DECISIONS : DECISIONS.slice(0, 2);
    const given = answers.values || {};
    this.decision = given.decision;
    this.cause = given.cause ?? undefined;
    this.original = values;
    this.editable = fields.filter((field) => field.authored);
    this.fields.open({ fields: this.editable, values: given.fields || values });
    this.buttons = this.decisions.map((decision) =>
      el(
        "button",
        {
          type: "button",
          class: "choice",
          role: "radio",
          "aria-checked": "false",
          on: { click: () => this.decide(decision.value) },
        },
        el("kbd", { class: "slot", "aria-hidden": "true" }),
        el("span", { class: "label" }, decision.label),
        el("span", { class: "hint" }, decision.hint),
      ),
    );
    this.why = el("div", { class: "why", hidden: true });
    this.editor = el("div", { class: "editor", hidden: true }, this.fields.root);
    this.error = el("p", { class: "error", role: "alert", hidden: true });
    fill(
      this.root,
      this.table(criteria, options, votes),
      el(
        "div",
        { class: "criterion active" },
        el("div", { class: "prompt", id: "decision" }, "Decision"),
        el("div", { class: "choices row decisions", role: "radiogroup", "aria-labelledby": "decision" }, this.buttons),
        this.why,
        this.editor,
        this.error,
      ),
      history.length
        ? el(
            "section",
            { class: "history" },
            el("h3", {}, "Before ", key("H"), " all of it"),
            el(
              "ol",
              {},
              history.map((line) => el("li", {}, line)),
            ),
          )
        : null,
    );
    this.paint();
  }

  table(criteria, options, votes) {
    if (!votes.length) return el("p", { class: "help" }, "There are no votes to compare.");
    const labelOf = (criterion, value) => {
      const list = options[criterion.name] || criterion.options;
      const found = list.find((option) => same(option.value, value));
      return found
        ? (found.label ?? String(found.value))
        : isDrawn(criterion)
          ? inWords(value, criterion.options)
          : (KINDS[criterion.kind].words?.(value, criterion) ?? String(value));
    };
    const cell = (criterion, vote) => {
      const value = vote.values[criterion.name];
      if (value === undefined) return [el("span", { class: "quiet" }, "not asked")];
      const reason = vote.reasons[criterion.name];
      const option = (options[criterion.name] || criterion.options).find((candidate) => same(candidate.value, value));
      const reasons = value === null ? (criterion.skip || {}).reasons || [] : (option || {}).reasons || [];
      const because =
        reason === undefined
          ? null
          : (reasons.find((candidate) => same(candidate.value, reason)) || { label: reason }).label;
      return [
        el("strong", {}, value === null ? (criterion.skip || { label: "Skipped" }).label : labelOf(criterion, value)),
        because ? el("div", { class: "reason" }, because) : null,
      ];
    };
    const rows = criteria.map((criterion) => {
      const differs = !votes.every((vote) => same(vote.values[criterion.name], votes[0].values[criterion.name]));
      return el(
        "tr",
        { class: differs ? "differs" : "" },
        el(
          "th",
          { scope: "row" },
          differs
            ? el("span", { class: "mark", title: "The votes differ", "aria-label": "The votes differ" }, "≠")
            : null,
          criterion.prompt,
        ),
        votes.map((vote) => el("td", {}, cell(criterion, vote))),
      );
    });
    const notes = votes.some((vote) => vote.note)
      ? el(
          "tr",
          {},
          el("th", { scope: "row" }, "Note"),
          votes.map((vote) =>
            el(
              "td",
              {},
              vote.note
                ? el("div", { class: "notes", tabindex: "0" }, vote.note)
                : el("span", { class: "quiet" }, "none"),
            ),
          ),
        )
      : null;
    return el(
      "div",
      { class: "scroller" },
      el(
        "table",
        { class: "votes" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("td", {}),
            votes.map((vote) => el("th", { scope: "col" }, vote.label)),
          ),
        ),
        el("tbody", {}, rows, notes),
      ),
    );
  }

  paint() {
    this.buttons.forEach((button, index) => {
      const chosen = this.decisions[index].value === this.decision;
      button.setAttribute("aria-checked", String(chosen));
      button.classList.toggle("chosen", chosen);
      const slot = button.querySelector(".slot");
      slot.textContent = this.asking ? "" : KEYS[index].toUpperCase();
      slot.classList.toggle("empty", this.asking);
    });
    this.editor.hidden = this.decision !== "edit" || this.asking;
    this.host.media?.repaint();
    this.why.hidden = !this.decision || !this.causes.length;
    if (this.asking) this.paintCauses();
    else if (!this.why.hidden) this.paintCause();
    else fill(this.why);
  }

  // A decision is made, and why the item was contested is still to be said.
  get asking() {
    return Boolean(this.decision && this.causes.length && (this.cause === undefined || this.decision !== "edit"));
  }

  // While an item is edited its cause stands above the fields, and may be chosen anew.
  paintCause() {
    const cause = this.causes.find((candidate) => same(candidate.value, this.cause)) || { label: String(this.cause) };
    const again = () => {
      this.cause = undefined;
      this.paint();
    };
    fill(
      this.why,
      el(
        "div",
        { class: "ask" },
        el("span", {}, "Cause: ", el("strong", {}, cause.label)),
        el("button", { type: "button", class: "small", on: { click: again } }, "another"),
      ),
    );
  }

  paintCauses() {
    const list = this.causes.map((cause, index) =>
      el(
        "button",
        {
          type: "button",
          class: same(cause.value, this.cause) ? "choice chosen" : "choice",
          role: "radio",
          "aria-checked": String(same(cause.value, this.cause)),
          title: cause.help,
          on: { click: () => this.because(cause.value) },
        },
        el("kbd", { class: "slot", "aria-hidden": "true" }, KEYS[index].toUpperCase()),
        el("span", { class: "label" }, cause.label),
      ),
    );
    fill(
      this.why,
      el("div", { class: "ask" }, "Why was it contested? ", el("span", { class: "quiet" }, key("Esc"), " back")),
      el("div", { class: "choices column reasons", role: "radiogroup", "aria-label": "Cause" }, list),
    );
    this.why.scrollIntoView({ block: "nearest" });
  }

  decide(value) {
    this.decision = value;
    this.error.hidden = true;
    this.cause = undefined;
    this.paint();
    this.host.change();
    if (this.asking) return;
    if (value === "edit") this.fields.focus();
    else this.host.submit();
  }

  because(cause) {
    this.cause = cause;
    this.paint();
    this.host.change();
    if (this.decision === "edit") this.fields.focus();
    else this.host.submit();
  }

  raw() {
    const values = { decision: this.decision, cause: this.cause ?? null };
    if (this.decision === "edit") values.fields = this.fields.raw();
    return { values, reasons: {} };
  }

  read() {
    const values = { decision: this.decision, cause: this.cause ?? null };
    if (this.decision === "edit") values.fields = this.edited();
    return { values, reasons: {} };
  }

  // The fields that nobody changed, whatever the form made of their spaces.
  untouched() {
    const written = this.fields.read();
    const before = new FieldForm({ change: () => {} });
    before.open({ fields: this.editable, values: this.original });
    const was = before.read();
    return new Set(this.editable.map((field) => field.name).filter((name) => same(written[name], was[name])));
  }

  // Only what was changed: the rest stays exactly as it came, also where it would not fit today.
  edited() {
    const untouched = this.untouched();
    const written = this.fields.read();
    const changed = {};
    for (const field of this.editable)
      if (!untouched.has(field.name)) changed[field.name] = written[field.name] ?? null;
    return changed;
  }

  check() {
    const say = (text) => {
      this.error.textContent = text;
      this.error.hidden = false;
      return false;
    };
    this.error.hidden = true;
    if (!this.decision) return say("Choose a decision.");
    if (this.causes.length && this.cause === undefined) return say("Choose a cause.");
    if (this.decision === "edit") {
      if (!this.fields.check(this.untouched())) return false;
      if (!Object.keys(this.edited()).length)
        return say("Nothing is changed yet. Change a field, or accept the item as it is.");
    }
    return true;
  }

  problems(list) {
    const rest = [];
    for (const problem of list) {
      const field = problem.name.replace(/^fields\./, "");
      if (this.decision === "edit" && this.editable.some((candidate) => candidate.name === field))
        this.fields.problems([{ ...problem, name: field }]);
      else rest.push(problem.message);
    }
    return rest;
  }

  key(event) {
    if (event.key === "Escape" && this.decision) {
      this.decision = undefined;
      this.cause = undefined;
      this.paint();
      this.host.change();
      return true;
    }
    const index = keyIndex(event);
    if (index < 0) return false;
    if (this.asking) {
      if (index >= this.causes.length) return false;
      this.because(this.causes[index].value);
      return true;
    }
    if (this.decision === "edit" && this.fields.key(event)) return true;
    if (index >= this.decisions.length) return false;
    this.decide(this.decisions[index].value);
    return true;
  }

  boxKey(event, box) {
    return this.fields.boxKey(event, box);
  }
}
