// Boxes and numbered points: drawn on the item's image, listed here.

import { same } from "../dom.js";
import { MarksEditor } from "../marks.js";

export class Drawn {
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

  // The pane listens to the criterion that is active, so that keys and pointer draw for it.
  paint(value, keyed) {
    if (!same(value, this.editor.value())) this.editor.set(value);
    if (keyed) this.editor.attach();
    else this.editor.detach();
  }

  problem(value) {
    return this.editor.problem(value);
  }

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
