// Who gets a key: what is open over the page, then what is being drawn or typed, then the keys that work everywhere,
// then the form and the media.

import { usualEvent } from "../own_keys.js";
import { openHistory, openKeys, openMenu } from "./dialogs.js";
import { LateKeys } from "./sending.js";

/** @import { Bench } from "./bench.js" */

const ELSEWHERE = "input, textarea, select, [contenteditable], [role=dialog]";
const HELD = [",", ".", "+", "-", "Shift"]; // these and the arrows go on while they are held down

export class Keyboard {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.late = new LateKeys();
    this.pressed = (/** @type {KeyboardEvent} */ event) => this.keydown(event);
    window.addEventListener("keydown", this.pressed, true);
  }

  stop() {
    window.removeEventListener("keydown", this.pressed, true);
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    const { bench } = this;
    if (bench.palette.isOpen) return; // it has all keys
    const path = event.composedPath();
    const target = path[0];
    const outside = !path.includes(bench.root);
    if (outside && target instanceof Element && target.closest(ELSEWHERE)) return;
    event.stopPropagation(); // Streamlit has keys of its own
    if (event.isComposing || event.key === "Dead" || event.key === "Process") return;
    if (!bench.data) return; // nothing has come yet that a key could be about
    bench.lastActive = Date.now();
    bench.lease.touched();
    if (this.handle(event, target)) event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget | undefined} target
   * @returns {boolean} whether the key was used
   */
  handle(event, target) {
    const { bench } = this;
    const box = boxOf(target);
    if (bench.overlay.isOpen) return bench.overlay.key(event);
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const usual = box || modified ? event : usualEvent(event);
    if (!modified && this.late.ignores(usual.key, Date.now(), bench.sends)) {
      if (!bench.sends) bench.side.warn(this.late.told());
      return true;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return event.repeat || this.submits(target);
    if (target === bench.split.bar && !event.altKey && bench.split.key(event)) return true;
    if (!box && bench.task && !bench.held && bench.media.editKey(usual, target)) return true;
    if (modified) return false;
    if (box) return this.inBox(event, box);
    if (event.key === "Tab" || event.key === "Shift") return false;
    if (bench.lost && event.key === "Enter") return used(() => bench.actions.goOn());
    if (target instanceof HTMLAnchorElement && event.key === "Enter") return false;
    if (target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ")) return event.repeat;
    if (event.repeat && !event.key.startsWith("Arrow") && !HELD.includes(event.key)) return true;
    return this.onPage(usual);
  }

  /**
   * Ctrl Enter, from anywhere.
   * @param {EventTarget | undefined} target
   */
  submits(target) {
    const { bench } = this;
    const part = bench.side.partWith(target);
    if (part) part.send();
    else if (bench.lost) bench.actions.goOn();
    else bench.actions.submit();
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} box
   */
  inBox(event, box) {
    const { forms, side } = this.bench;
    const ours = box === side.noteBox || side.partWith(box) !== undefined;
    if (!ours && forms.current?.boxKey(event, box)) return true;
    if (event.key !== "Escape") return false;
    side.focus();
    return true;
  }

  /** @param {KeyboardEvent} event */
  onPage(event) {
    const { bench } = this;
    const { forms, media } = bench;
    const { view } = bench.page;
    const leaves = event.key === "Escape";
    const enter = event.key === "Enter";
    if (view === "task" && media.zoomed && media.key(event)) return true;
    if (leaves && bench.task && forms.current?.key(event)) return true;
    if (leaves && bench.banner.isShown) return used(() => bench.hideBanner());
    if (leaves && bench.task?.correction) return used(() => bench.edit.leave());
    if (this.everywhere(event)) return true;
    if (view === "pool") return Boolean(bench.pool?.key(event));
    if (view === "nothing") return enter && used(() => bench.step());
    if (bench.held) return /^[0-9]$/.test(event.key) || enter;
    if (forms.keysFirst && forms.current?.key(event)) return true;
    if (media.key(event)) return true;
    if (enter) return used(() => bench.actions.submit());
    return Boolean(forms.current?.key(event));
  }

  /** @param {KeyboardEvent} event */
  everywhere(event) {
    const { bench } = this;
    const { actions, side } = bench;
    /** @type {Record<string, () => unknown>} */
    const keys = {
      g: () => bench.guideline.guide.toggle(),
      u: () => actions.undo(),
      n: () => side.openNote(),
      l: () => actions.postpone(),
      b: () => actions.giveBack(),
      t: () => side.say(bench.text.next(event.shiftKey)),
      m: () => openMenu(bench),
      "?": () => openKeys(bench),
    };
    for (const part of side.parts) keys[part.key] = () => side.openPart(part);
    if (bench.task && bench.stage === "adjudication") keys.h = () => openHistory(bench);
    if (bench.task && bench.stage === "refinement") keys.e = () => bench.forms.refining.toggle();
    const action = keys[event.key.toLowerCase()];
    return Boolean(action) && used(action);
  }
}

/**
 * Someone types here, so that letters are text.
 * @param {EventTarget | undefined} target
 */
export function boxOf(target) {
  const text = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
  return text ? target : null;
}

/** @param {() => unknown} act */
function used(act) {
  act();
  return true;
}
