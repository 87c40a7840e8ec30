// The boxes before the items of a list: which are ticked on this page and on others. The table is markup of the page
// around this part; what is ticked waits in this tab of the browser, and the server hears of it while it is wanted there.

import { el, fill } from "./dom.js";
import sheet from "./ticks.css" with { type: "css" };

/** @import { Mounted, TicksData } from "./types" */

const ROWS = "input[data-tick]";
const WHOLE_PAGE = "input[data-ticks=page]";

/** @type {WeakMap<object, Ticks>} */
const shown = new WeakMap();

/** @param {Mounted<TicksData>} mounted */
export default function mount({ data, parentElement, setStateValue }) {
  const ticks = shown.get(parentElement) ?? new Ticks(parentElement, data.kept);
  shown.set(parentElement, ticks);
  ticks.send = (said) => setStateValue("said", said);
  ticks.show(data);
  return () => {
    ticks.stop();
    shown.delete(parentElement);
  };
}

class Ticks {
  /**
   * @param {HTMLElement & DocumentOrShadowRoot} parent
   * @param {string} kept the name under which they wait
   */
  constructor(parent, kept) {
    this.kept = kept;
    this.ticked = new Set(stored(kept));
    this.dropped = "";
    /** @type {(said: TicksData["said"]) => void} */
    this.send = () => {};
    /** @type {TicksData | null} */
    this.data = null;
    /** @type {HTMLInputElement | null} */
    this.last = null;
    this.said = el("span", { role: "status" });
    const clear = () => this.change([...this.ticked], false);
    this.clear = el("button", { type: "button", on: { click: clear } }, "Deselect all");
    this.root = el("div", { class: "ticks" }, this.said, this.clear);
    parent.adoptedStyleSheets = [sheet];
    parent.append(this.root);
    this.pressed = (/** @type {MouseEvent} */ event) => this.click(event);
    document.addEventListener("click", this.pressed);
    this.moved = (/** @type {KeyboardEvent} */ event) => this.move(event);
    document.addEventListener("keydown", this.moved);
    this.drawn = new MutationObserver(() => this.paint());
    this.drawn.observe(document.querySelector("[data-testid=stMain]") ?? document.body, {
      childList: true,
      subtree: true,
    });
  }

  stop() {
    this.drawn.disconnect();
    document.removeEventListener("click", this.pressed);
    document.removeEventListener("keydown", this.moved);
    this.root.remove();
  }

  /** @param {TicksData} data */
  show(data) {
    this.data = data;
    if (data.kept !== this.kept) {
      this.kept = data.kept;
      this.ticked = new Set(stored(data.kept));
    }
    const dropping = JSON.stringify(data.drop);
    if (dropping !== this.dropped) {
      this.dropped = dropping;
      if (data.drop.length) this.change(data.drop, false);
    }
    this.paint();
    this.tell();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const box = event.target;
    if (!(box instanceof HTMLInputElement)) return;
    if (box.matches(WHOLE_PAGE)) this.change(rows().map(nameOf), box.checked);
    if (!box.matches(ROWS)) return;
    const every = rows();
    const [from, to] = [every.indexOf(this.last ?? box), every.indexOf(box)];
    const between = event.shiftKey && from >= 0 ? every.slice(Math.min(from, to), Math.max(from, to) + 1) : [box];
    this.last = box;
    this.change(between.map(nameOf), box.checked);
  }

  /**
   * From box to box, past the links between them; with Shift, the next one gets what this one has.
   * @param {KeyboardEvent} event
   */
  move(event) {
    const box = event.target;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !(box instanceof HTMLInputElement) || !box.matches(`${ROWS}, ${WHOLE_PAGE}`)) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const every = rows();
    const next = every[every.indexOf(box) + by];
    if (!next) return;
    next.focus();
    if (event.shiftKey && box.matches(ROWS)) this.change([nameOf(next)], box.checked);
  }

  /**
   * @param {string[]} names
   * @param {boolean} on
   */
  change(names, on) {
    for (const name of names) {
      if (!on) this.ticked.delete(name);
      else if (this.ticked.size < this.most()) this.ticked.add(name);
    }
    keep(this.kept, [...this.ticked]);
    this.paint();
    this.tell();
  }

  // At once, or never: a press of a button after this comes after it at the server as well.
  tell() {
    if (!this.data?.wanted && !this.data?.drop.length) return;
    const said = { asked: this.data.asked, ticked: [...this.ticked] };
    if (JSON.stringify(said) === JSON.stringify(this.data.said)) return;
    this.send(said);
  }

  most() {
    return this.data?.most ?? 0;
  }

  paint() {
    const every = rows();
    const here = every.filter((box) => this.ticked.has(nameOf(box))).length;
    for (const box of every) box.checked = this.ticked.has(nameOf(box));
    const whole = /** @type {HTMLInputElement | null} */ (document.querySelector(WHOLE_PAGE));
    if (whole) {
      whole.checked = every.length > 0 && here === every.length;
      whole.indeterminate = here > 0 && here < every.length;
    }
    const n = this.ticked.size;
    const full = n >= this.most() ? " (the maximum)" : "";
    const words = n ? `${n.toLocaleString("en")} selected, ${here} on this page${full}` : "";
    if (this.said.textContent !== words) fill(this.said, words);
    this.clear.hidden = n === 0;
  }
}

/** @returns {HTMLInputElement[]} */
function rows() {
  return [...document.querySelectorAll(ROWS)].filter((each) => each instanceof HTMLInputElement);
}

/** @param {HTMLInputElement} box */
function nameOf(box) {
  return box.dataset.tick ?? "";
}

/**
 * @param {string} name
 * @returns {string[]}
 */
function stored(name) {
  try {
    const found = JSON.parse(sessionStorage.getItem(name) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

/**
 * @param {string} name
 * @param {string[]} ticked
 */
function keep(name, ticked) {
  try {
    sessionStorage.setItem(name, JSON.stringify(ticked));
  } catch {
    // A store that is full or forbidden costs what is ticked when the page is loaded anew.
  }
}
