// Typed text.

import { el } from "../dom.js";
import { grow } from "./keys.js";

export class Text {
  constructor(criterion, seat) {
    this.seat = seat;
    this.slots = 0;
    this.onTheWay = false;
    this.area = el("textarea", {
      class: "box",
      rows: "2",
      "aria-labelledby": seat.id,
      data: { criterion: criterion.name },
      on: {
        input: () => {
          grow(this.area);
          seat.set(this.area.value);
        },
        focus: () => seat.activate(),
      },
    });
    this.area.value = seat.value() ?? "";
    this.root = this.area;
  }

  paint() {
    grow(this.area);
  }

  problem(value) {
    return value === undefined || !String(value).trim() ? "Write something here." : null;
  }

  read(value) {
    return this.problem(value) ? undefined : value;
  }

  reasons() {
    return null;
  }

  key() {
    return false;
  }

  focus() {
    this.area.focus();
    return true;
  }
}

export { Text as control };
