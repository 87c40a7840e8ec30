// Boxes and numbered points: drawn on the item's image, listed here.

import { same } from "../dom.js";
import { MarksEditor } from "../marks/editor.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @implements {Control} */
export class Drawn {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.onTheWay = true;
    this.slots = criterion.kind === "boxes" ? criterion.options.length : 0;
    this.editor = new MarksEditor(criterion, {
      media: seat.media,
      change: () => {
        seat.set(this.editor.value());
        seat.activate();
      },
      done: () => seat.onward(),
    });
    this.root = this.editor.root;
  }

  /**
   * The pane listens to the criterion that is active, so that keys and pointer draw for it.
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    if (!same(value, this.editor.value())) this.editor.set(value);
    if (keyed) this.editor.attach();
    else this.editor.detach();
  }

  /** @param {unknown} value */
  problem(value) {
    return this.editor.problem(value);
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  // Its keys come before all others, by way of the pane.
  key() {
    return false;
  }

  focus() {
    return false;
  }
}
