// A box by its numbers, for those who draw without a pointer: percent of the picture, from its upper left corner.

import { el, fill } from "../dom.js";
import { boxOf } from "./boxes.js";

/** @import { Box } from "../types" */

const PARTS = ["from the left", "from the top", "width", "height"];

/**
 * @param {string} name of the picture
 * @param {(box: Box) => void} add
 */
export function boxForm(name, add) {
  const inputs = PARTS.map(() => el("input", { type: "number", min: "0", max: "100", step: "any", required: true }));
  const labels = PARTS.map((words, at) => el("label", {}, `${words} %`, inputs[at]));
  const wrong = el("p", { class: "wrong", role: "alert" });
  const press = (/** @type {Event} */ event) => {
    event.preventDefault();
    const [x, y, w, h] = inputs.map((input) => input.valueAsNumber / 100);
    const inside = x + w <= 1 + 1e-9 && y + h <= 1 + 1e-9;
    const box = inside ? boxOf(x, y, w, h) : null;
    fill(
      wrong,
      box ? "" : "A box lies within the picture: left and width come to at most 100 %, and so do top and height.",
    );
    if (!box) return;
    add(box);
    for (const input of inputs) input.value = "";
    inputs[0].focus();
  };
  const button = el("button", { type: "submit" }, "Add this box");
  const form = el("form", { "aria-label": `A box in ${name}`, on: { submit: press } }, labels, button, wrong);
  return el(
    "details",
    {},
    el("summary", {}, "Add a box by numbers", el("span", { class: "unseen" }, ` to ${name}`)),
    form,
  );
}
