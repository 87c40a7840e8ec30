// What the pointer does on an image that is drawn on: moves, drags a handle, chooses, or makes something new.

import { toImage } from "../geometry.js";
import { gripAt, moved, tidied, under } from "./places.js";
import { setPoint } from "./points.js";

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
  const { shape, limits } = editor;
  const start = toImage(rect, px, py);
  if (editor.open) return setPoint(editor, frame, start, px, py);
  const where = (/** @type {number} */ x, /** @type {number} */ y) => toImage(frame.rect, x, y);
  const mine = editor.list.map((_, index) => index).filter((index) => imageOf(editor, index) === frame.number);
  const found = under(
    mine.map((index) => editor.list[index]),
    rect,
    px,
    py,
  );
  const at = found < 0 ? -1 : mine[found];
  const chosen = imageOf(editor, editor.at) === frame.number ? editor.list[editor.at] : null;
  const grip = chosen && gripAt(chosen, rect, px, py, limits);
  if (grip) return { move: (x, y) => editor.replace(editor.at, tidied(grip.to(where(x, y)), limits)), up: nothing };
  const inside = chosen && under([chosen], rect, px, py) === 0;
  if (inside || (shape.numbered && at >= 0)) {
    if (!inside) editor.choose(at);
    const from = editor.list[editor.at];
    return {
      move: (x, y) => editor.replace(editor.at, moved(from, where(x, y).x - start.x, where(x, y).y - start.y, limits)),
      up: nothing,
    };
  }
  const { between } = shape;
  if (!between) {
    if (at >= 0) return { move: nothing, up: () => editor.choose(at) };
    if (!shape.numbered) return setPoint(editor, frame, start, px, py);
    const onImage = start.x >= 0 && start.x <= 1 && start.y >= 0 && start.y <= 1;
    return { move: nothing, up: () => (onImage ? editor.append(start, frame) : editor.choose(-1)) };
  }
  let made = -1;
  return {
    move: (x, y) => {
      const mark = between(start, where(x, y), limits);
      if (made === -1) made = editor.append(mark, frame);
      else editor.replace(made, { ...editor.list[made], ...mark });
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
