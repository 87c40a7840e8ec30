// While something is sent the form is locked, and one sees that it is: what is typed then would belong to no item. Keys
// that were meant for a text are not taken for the keys of the item that opens meanwhile, either.

import { t } from "../words.js";

/** @import { FormPane } from "./form_pane.js" */
/** @import { MediaPane } from "../media/pane.js" */

const BURST_MS = 700; // whoever types a text makes no longer pauses between its letters
const HARMLESS = ["g", "?", "m", "t"]; // the guideline, the keys, the menu, the size of letters

const IGNORED = t("Not accepted: you typed this while the last item was being sent. Type it again.");

/** Which keys are part of a text that someone began to type while the page could not take it. */
export class LateKeys {
  constructor() {
    this.last = Number.NEGATIVE_INFINITY;
    this.unsaid = false; // whether keys were ignored of which the page has not told yet
  }

  /** What the page says of the keys that were ignored since it said so last; empty if there were none. */
  told() {
    const words = this.unsaid ? IGNORED : "";
    this.unsaid = false;
    return words;
  }

  /**
   * A key outside of the keys that are always taken.
   * @param {string} key
   * @param {number} now
   * @param {boolean} locked whether the form is locked just now
   * @returns {boolean} whether it is to be ignored
   */
  ignores(key, now, locked) {
    const follows = now - this.last < BURST_MS;
    const begins = locked && /^[^\d\s]$/u.test(key) && !HARMLESS.includes(key.toLowerCase());
    if (!begins && !(follows && (key.length === 1 || key === "Backspace"))) return false;
    this.last = now;
    this.unsaid = true;
    return true;
  }
}

export class Lock {
  /**
   * @param {FormPane} side
   * @param {MediaPane} media
   */
  constructor(side, media) {
    this.side = side;
    this.parts = [side.scroll, media.root];
    /** @type {HTMLElement | null} */
    this.focused = null; // what had the focus when it was locked
  }

  /** @param {boolean} on */
  set(on) {
    const { side } = this;
    if (on === side.scroll.inert) return;
    if (on) this.focused = inside(side.scroll);
    for (const part of this.parts) part.inert = on;
    side.submitButton.disabled = on;
    side.root.setAttribute("aria-busy", String(on));
    if (on && this.focused) side.focus();
    else if (!on && this.focused?.isConnected && !inside(side.scroll)) this.focused.focus({ preventScroll: true });
    if (!on) this.focused = null;
  }
}

/**
 * The element in there that has the focus.
 * @param {HTMLElement} part
 */
function inside(part) {
  const around = part.getRootNode();
  const found = around instanceof ShadowRoot || around instanceof Document ? around.activeElement : null;
  return found instanceof HTMLElement && part.contains(found) ? found : null;
}
