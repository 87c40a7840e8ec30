// Boxes over a picture, in shares of it: painted with their numbers, and drawn with the pointer.

import { el, fill } from "../dom.js";
import { within } from "../geometry.js";

/** @import { Box } from "../types" */
/** @import { PrivacyBox, PrivacyPicture } from "../privacy_types" */

const LEAST = 0.002; // a share of the picture; less is a slip
const DECIMALS = 6;

/** @param {number} value */
const share = (value) => Number(value.toFixed(DECIMALS));

/**
 * The box, so that nothing of it lies outside once it is rounded.
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @returns {Box | null} null: it is none
 */
export function boxOf(x, y, w, h) {
  const [left, top] = [share(x), share(y)];
  const [wide, high] = [Math.min(share(w), share(1 - left)), Math.min(share(h), share(1 - top))];
  const whole = [left, top, wide, high].every(Number.isFinite);
  return whole && left >= 0 && top >= 0 && wide >= LEAST && high >= LEAST
    ? { x: left, y: top, w: wide, h: high }
    : null;
}

/**
 * @param {HTMLElement} layer
 * @param {PrivacyBox[]} boxes
 * @param {PrivacyPicture["decided"]} decided
 */
export function painted(layer, boxes, decided) {
  fill(
    layer,
    boxes.map((box, at) => {
      const off = !box.cover || decided === "nothing";
      const shown = el("div", { class: off ? "box off" : "box" }, el("span", {}, at + 1));
      put(shown, box);
      return shown;
    }),
  );
}

/**
 * @param {HTMLElement} node
 * @param {Box} box
 */
export function put(node, { x, y, w, h }) {
  const percent = (/** @type {number} */ value) => `${100 * value}%`;
  Object.assign(node.style, { left: percent(x), top: percent(y), width: percent(w), height: percent(h) });
}

/**
 * @param {HTMLElement} stage
 * @param {HTMLElement} layer
 * @param {(box: Box) => void} add
 */
export function listenForBoxes(stage, layer, add) {
  /** @type {{ x: number, y: number } | null} */
  let from = null;
  const drawn = el("div", { class: "box drawn" });
  const at = (/** @type {PointerEvent} */ event) => {
    const seen = stage.getBoundingClientRect();
    return {
      x: within((event.clientX - seen.left) / seen.width, 0, 1),
      y: within((event.clientY - seen.top) / seen.height, 0, 1),
    };
  };
  const to = (/** @type {PointerEvent} */ event) => {
    const here = at(event);
    const start = from ?? here;
    const [x, y] = [Math.min(start.x, here.x), Math.min(start.y, here.y)];
    return { x, y, w: Math.abs(start.x - here.x), h: Math.abs(start.y - here.y) };
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    from = at(event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!from) return;
    put(drawn, to(event));
    if (!drawn.isConnected) layer.append(drawn);
  });
  stage.addEventListener("pointerup", (event) => {
    if (!from) return;
    const { x, y, w, h } = to(event);
    from = null;
    drawn.remove();
    const box = boxOf(x, y, w, h);
    if (box) add(box);
  });
  stage.addEventListener("pointercancel", () => {
    from = null;
    drawn.remove();
  });
}
