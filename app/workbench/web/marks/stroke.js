// What the pointer does on an image that is drawn on: moves, drags a handle, chooses, or makes a new box or point.

import { between, dragged, handleAt, hit, isBox, moved, toImage } from "../geometry.js";

/** @import { ImageFrame } from "../media/image.js" */
/** @import { MarksEditor } from "./editor.js" */

/**
 * @typedef {object} Stroke hears where the pointer goes, in pixels of the frame, and that it is lifted
 * @property {(px: number, py: number) => void} move
 * @property {() => void} up
 */

const nothing = () => {};

/**
 * A press on the image, in pixels of its frame.
 * @param {MarksEditor} editor
 * @param {ImageFrame} frame
 * @param {number} px
 * @param {number} py
 * @returns {Stroke}
 */
export function press(editor, frame, px, py) {
  const { rect } = frame;
  const start = toImage(rect, px, py);
  const where = (/** @type {number} */ x, /** @type {number} */ y) => toImage(frame.rect, x, y);
  const mine = editor.list.map((_, index) => index).filter((index) => imageOf(editor, index) === frame.number);
  const under = hit(
    mine.map((index) => editor.list[index]),
    rect,
    px,
    py,
  );
  const at = under < 0 ? -1 : mine[under];
  const chosen = imageOf(editor, editor.at) === frame.number ? editor.list[editor.at] : null;
  const handle = chosen && isBox(chosen) ? handleAt(chosen, rect, px, py) : null;
  if (chosen && isBox(chosen) && handle)
    return {
      move: (x, y) => editor.replace(editor.at, dragged(chosen, handle, where(x, y).x, where(x, y).y, editor.limits)),
      up: nothing,
    };
  const inside = chosen && hit([chosen], rect, px, py) === 0;
  if (inside || (!editor.boxes && at >= 0)) {
    if (!inside) editor.choose(at);
    const from = editor.list[editor.at];
    return {
      move: (x, y) =>
        editor.replace(editor.at, moved(from, where(x, y).x - start.x, where(x, y).y - start.y, editor.limits)),
      up: nothing,
    };
  }
  if (!editor.boxes) {
    const onImage = start.x >= 0 && start.x <= 1 && start.y >= 0 && start.y <= 1;
    return { move: nothing, up: () => (onImage ? editor.append(start, frame) : editor.choose(-1)) };
  }
  let made = -1;
  return {
    move: (x, y) => {
      const box = between(start, where(x, y), editor.limits);
      if (made === -1) made = editor.append(box, frame);
      else editor.replace(made, { ...editor.list[made], ...box });
    },
    up: () => made === -1 && editor.choose(at),
  };
}

/**
 * The number of the image that an entry is on.
 * @param {MarksEditor} editor
 * @param {number} index
 */
const imageOf = (editor, index) => (index < 0 ? null : (editor.list[index].image ?? 1));
