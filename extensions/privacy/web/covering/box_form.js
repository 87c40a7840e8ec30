// A box by its numbers, for those who draw without a pointer: percent of the picture, from its upper left corner; of a
// clip also the seconds in which it is there.

import { el, fill } from "../dom.js";
import { boxOf } from "./boxes.js";

/** @import { Box } from "../types" */

const PARTS = ["from the left %", "from the top %", "width %", "height %"];
const SPAN = ["begins at s", "ends at s"];

/**
 * @param {string} name of the picture
 * @param {number | null} seconds that a clip lasts
 * @param {(box: Box & { begin?: number, end?: number }) => void} add
 */
export function boxForm(name, seconds, add) {
  const parts = seconds === null ? PARTS : [...PARTS, ...SPAN];
  const inputs = parts.map((_, at) => {
    const max = at < PARTS.length ? 100 : seconds;
    return el("input", { type: "number", min: "0", max: `${max}`, step: "any", required: true });
  });
  const labels = parts.map((words, at) => el("label", {}, words, inputs[at]));
  const wrong = el("p", { class: "wrong", role: "alert" });
  const press = (/** @type {Event} */ event) => {
    event.preventDefault();
    const [x, y, w, h] = inputs.map((input) => input.valueAsNumber / 100);
    const [begin, end] = inputs.slice(PARTS.length).map((input) => input.valueAsNumber);
    const inside = x + w <= 1 + 1e-9 && y + h <= 1 + 1e-9;
    const box = inside ? boxOf(x, y, w, h) : null;
    const ends = seconds === null || (begin <= end && end <= seconds);
    const late = `A box begins before it ends, and the clip ends at ${seconds} s.`;
    const out = "A box must lie within the picture. Left and width add up to at most 100 %, and so do top and height.";
    fill(wrong, !box ? out : ends ? "" : late);
    if (!box || !ends) return;
    add(seconds === null ? box : { ...box, begin, end });
    for (const input of inputs) input.value = "";
    inputs[0].focus();
  };
  const button = el("button", { type: "submit" }, "Add this box");
  const form = el("form", { "aria-label": `A box in ${name}`, on: { submit: press } }, labels, button, wrong);
  const summary = el("summary", {}, "Add a box by numbers", el("span", { class: "unseen" }, ` to ${name}`));
  const root = el("details", {}, summary, form);
  /**
   * Have these numbers stand there, for someone to look at.
   * @param {Box} box
   * @param {number[]} span
   */
  const put = ({ x, y, w, h }, span) => {
    const numbers = [...[x, y, w, h].map((share) => Number((100 * share).toFixed(4))), ...span];
    for (const [at, input] of inputs.entries()) input.value = `${numbers[at]}`;
    root.open = true;
    inputs[PARTS.length].focus();
  };
  return { root, put };
}
