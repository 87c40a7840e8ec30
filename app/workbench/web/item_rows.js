// Keys and clicks of a table of items or cases. The table is markup of the page around this part.

import { el } from "./dom.js";
import { go } from "./go.js";

/** @import { ItemRowsData, Mounted } from "./types" */

const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable=true]";
const ELSEWHERE = `${TYPED_IN}, [role=dialog], dialog, [role=listbox], [data-testid=stPopoverBody]`;
const POPOVER = "[data-testid=stPopoverBody]";
const PAUSE_MS = 200; // until Streamlit has drawn or removed a popover
const OWN_CLICK = "a, button, input, label, summary, details";

/** @type {WeakMap<object, ItemRows>} */
const shown = new WeakMap();

/** @param {Mounted<ItemRowsData>} mounted */
export default function mount({ data, parentElement }) {
  const rows = shown.get(parentElement) ?? new ItemRows(parentElement);
  shown.set(parentElement, rows);
  rows.show(data);
  return () => {
    rows.stop();
    shown.delete(parentElement);
  };
}

class ItemRows {
  /** @param {Element} parent */
  constructor(parent) {
    /** @type {ItemRowsData} */
    this.data = { item: null, close: "", focus: false };
    this.root = el("span", { hidden: true });
    parent.append(this.root);
    this.pressed = (/** @type {KeyboardEvent} */ event) => this.keydown(event);
    this.clicked = (/** @type {MouseEvent} */ event) => this.click(event);
    document.addEventListener("keydown", this.pressed);
    document.addEventListener("click", this.clicked);
  }

  stop() {
    document.removeEventListener("keydown", this.pressed);
    document.removeEventListener("click", this.clicked);
    this.root.remove();
  }

  /** @param {ItemRowsData} data */
  show(data) {
    const isNew = data.item !== this.data.item;
    this.data = data;
    if (isNew) this.rows()[this.at()]?.scrollIntoView({ block: "nearest" });
  }

  rows() {
    return /** @type {HTMLElement[]} */ ([...document.querySelectorAll("tr[data-item]")]);
  }

  at() {
    const { focus, item } = this.data;
    return this.rows().findIndex((row) => (focus ? row.contains(document.activeElement) : row.dataset.item === item));
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
      return;
    const target = event.target instanceof Element ? event.target : null;
    const link = target?.closest("a[href^='/items?'], tr[data-item] a[href^='/']");
    if (link?.closest("[data-testid=stMain]")) {
      event.preventDefault();
      go(link.getAttribute("href") ?? "");
      return;
    }
    const row = target?.closest("tr[data-item]");
    if (!row || target?.closest(OWN_CLICK) || String(getSelection())) return;
    this.open(row);
  }

  /** @param {Element | undefined} row */
  open(row) {
    const href = row?.querySelector("a[href]")?.getAttribute("href");
    if (href) go(href);
  }

  /**
   * Move the focus into a popover that the keyboard opens, and back when Escape closes the popover. Streamlit draws
   * the content at the end of the page, where Tab hardly gets.
   * @param {KeyboardEvent} event
   */
  followPopover(event) {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key === "Escape" && target?.closest(POPOVER)) {
      setTimeout(() => this.popover?.focus(), PAUSE_MS);
    } else if ((event.key === "Enter" || event.key === " ") && target?.closest("[data-testid=stPopover]")) {
      this.popover = target;
      setTimeout(() => {
        /** @type {HTMLElement | null} */ (document.querySelector(`${POPOVER} :is(input, button, a[href])`))?.focus();
      }, PAUSE_MS);
    }
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    this.followPopover(event);
    if (event.composedPath().some((node) => node instanceof Element && node.matches(ELSEWHERE))) return;
    const by = { j: 1, k: -1 }[event.key.toLowerCase()];
    if (by) {
      const at = this.at();
      const row = this.rows()[at < 0 && by < 0 ? -1 : at + by];
      /** @type {HTMLElement | null | undefined} */
      const link = row?.querySelector("a[href]");
      if (this.data.focus) link?.focus();
      else this.open(row);
    } else if (event.key === "Escape" && this.data.item && !document.querySelector(ANY_LAYER)) {
      go(this.data.close);
    } else if (event.key === "/") {
      event.preventDefault();
      /** @type {HTMLInputElement | null} */ (document.querySelector("[class*=st-key-items-text] input"))?.focus();
    }
  }
}

const ANY_LAYER = "[role=dialog], [data-testid=stPopoverBody]";
