// What the form has of one criterion: its prompt, its control, the skip button, reasons and what is wrong.

import { el, fill, key, same } from "../dom.js";
import { fitHeight, KEYS, keyButton, showChosen } from "../kinds/keys.js";
import { t } from "../words.js";
import { leaveReasons } from "./rating_keys.js";

/** @import { Control, Criterion, Reasons } from "../types" */
/** @import { RatingForm } from "./rating.js" */

/**
 * @typedef {object} Block
 * @property {Criterion} criterion
 * @property {Control} control
 * @property {HTMLElement} root
 * @property {HTMLElement} why
 * @property {HTMLElement} error
 * @property {HTMLButtonElement | null} skip
 */

/**
 * @param {RatingForm} form
 * @param {Criterion} criterion
 * @param {Control} control
 * @param {string} id labels it for screen readers
 * @returns {Block}
 */
export function blockOf(form, criterion, control, id) {
  const { name, help, required, aspects } = criterion;
  const head = el("div", { class: "prompt", id }, criterion.prompt);
  if (!required) head.append(el("span", { class: "quiet" }, ` ${t("optional")}`));
  const skip = criterion.skip ? skipButton(form, name, criterion.skip) : null;
  const why = el("div", { class: "why", hidden: true });
  const error = el("p", { class: "error", role: "alert", hidden: true });
  const beside = control.choices;
  if (skip && beside) beside.append(skip);
  const below = skip && !beside;
  const root = el(
    "div",
    { class: form.criteria.length > 1 ? "criterion many" : "criterion", data: { criterion: name } },
    head,
    help ? el("p", { class: "help" }, help) : null,
    control.root,
    below ? el("div", { class: "choices column", role: "radiogroup", "aria-labelledby": id }, skip) : null,
    why,
    error,
    aspects.length
      ? el(
          "dl",
          { class: "aspects" },
          aspects.map(({ title, definition }) => [el("dt", {}, title), el("dd", {}, definition)]),
        )
      : null,
  );
  // Before the control's own handlers, which may go on to the next criterion; not as early as pointerdown, as painting
  // would replace what is about to be clicked or dragged.
  root.addEventListener("click", () => form.activate(name, { focus: false }), true);
  return { criterion, control, root, why, error, skip };
}

/**
 * @param {RatingForm} form
 * @param {string} name
 * @param {NonNullable<Criterion["skip"]>} skip
 */
function skipButton(form, name, { label, reasons }) {
  const button = keyButton(el("span", { class: "label" }, label), null, () => form.choose(name, null));
  button.classList.add("skip");
  if (reasons.length) {
    button.append(el("span", { class: "hint" }, reasons.map((reason) => reason.label).join(" · ")));
  }
  return button;
}

/**
 * The reason that was given, or while it is asked for, the list of reasons.
 * @param {RatingForm} form
 * @param {Block} block
 */
export function paintWhy(form, { criterion, why }) {
  const { name } = criterion;
  const wanted = form.reasonsOf(criterion);
  why.hidden = !wanted;
  if (!wanted) fill(why);
  else if (form.asking === name) askWhy(form, name, wanted, why);
  else {
    const given = form.reasons[name];
    const label = wanted.list.find((reason) => same(reason.value, given))?.label ?? given ?? "";
    fill(why, el("span", { class: "quiet" }, `${t("Why:")} `), String(label) || t("no reason yet"));
  }
}

/**
 * @param {RatingForm} form
 * @param {string} name
 * @param {Reasons} wanted
 * @param {HTMLElement} why
 */
function askWhy(form, name, wanted, why) {
  const given = form.reasons[name];
  const buttons = wanted.list.map((reason, index) => {
    const label = el("span", { class: "label" }, reason.label);
    const button = keyButton(label, reason.help, () => form.because(name, reason.value));
    showChosen(button, same(reason.value, given), KEYS[index]);
    return button;
  });
  if (wanted.typed) {
    const label = el("span", { class: "label" }, t("Another reason (in your words)"));
    const other = keyButton(label, null, () => form.typeReason(name));
    showChosen(other, false, KEYS[wanted.list.length]);
    buttons.push(other);
  }
  const leave = () => leaveReasons(form, name);
  const back = el("button", { type: "button", class: "small", on: { click: leave } }, key("Esc"), ` ${t("back")}`);
  const box = el("div", { class: "choices column reasons", role: "radiogroup", "aria-label": t("Reason") }, buttons);
  fill(why, el("div", { class: "ask" }, `${t("Why?")} `, back), box);
  if (!form.typing) return;
  const words = el("textarea", {
    class: "box",
    rows: "2",
    "aria-label": t("Reason in your words"),
    data: { enter: "reason" },
  });
  words.addEventListener("input", () => {
    form.reasons[name] = words.value;
    fitHeight(words);
    form.host.change();
  });
  const known = wanted.list.some((reason) => same(reason.value, given));
  words.value = known ? "" : String(given ?? "");
  const done = () => {
    if (words.value.trim()) form.because(name, words.value.trim());
  };
  why.append(
    words,
    el("button", { type: "button", class: "small", on: { click: done } }, key("Enter"), ` ${t("done")}`),
  );
  words.focus();
}
