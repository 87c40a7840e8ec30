// Keys of a rater's form; true when one was used.

import { keyIndex } from "../kinds/keys.js";
import { isChosen } from "../own_keys.js";

/** @import { RatingForm } from "./rating.js" */

/**
 * A key outside of text boxes.
 * @param {RatingForm} form
 * @param {KeyboardEvent} event
 */
export function ratingKey(form, event) {
  if (event.key === "Escape" && form.asking) return leaveReasons(form, form.asking);
  const visible = form.visible();
  const at = visible.findIndex((candidate) => candidate.name === form.active);
  const criterion = visible[at];
  if (criterion && form.asking !== criterion.name && form.control(criterion).key(event)) return true;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (visible.length < 2) return false;
    const next = visible[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) form.activate(next.name);
    return true;
  }
  const skips = event.key === "Skip";
  const index = keyIndex(event);
  if ((index < 0 && !skips) || !criterion) return false;
  if (form.asking === criterion.name) return reasonKey(form, criterion.name, index);
  const slot = !isChosen("Skip") && index === form.control(criterion).slots;
  if (!criterion.skip || !(skips || slot)) return false;
  form.choose(criterion.name, null);
  return true;
}

/**
 * Back from the reasons; an answer that lacks one is taken back.
 * @param {RatingForm} form
 * @param {string} name
 */
export function leaveReasons(form, name) {
  form.stopAsking();
  if (!form.answered(form.block(name).criterion)) delete form.values[name];
  form.paint();
  form.host.change();
  return true;
}

/**
 * @param {RatingForm} form
 * @param {string} name
 * @param {number} index
 */
function reasonKey(form, name, index) {
  const wanted = form.reasonsOf(form.block(name).criterion);
  if (!wanted) return false;
  const { list, typed } = wanted;
  if (index < list.length) form.because(name, list[index].value);
  else if (typed && index === list.length) form.typeReason(name);
  else return false;
  return true;
}

/**
 * Enter and Escape inside of a text box of the form.
 * @param {RatingForm} form
 * @param {KeyboardEvent} event
 * @param {HTMLElement} box
 */
export function ratingBoxKey(form, event, box) {
  if (form.asking && box instanceof HTMLTextAreaElement && box.dataset.enter === "reason") {
    if (event.key === "Enter" && !event.shiftKey) {
      const text = box.value.trim();
      if (text) form.because(form.asking, text);
      return true;
    }
    if (event.key === "Escape") {
      form.typing = false;
      form.paint();
      form.host.blur();
      return true;
    }
  }
  const own = [...form.blocks.values()].find(({ control }) => control.boxKey && control.root.contains(box));
  return Boolean(own?.control.boxKey?.(event, box));
}
