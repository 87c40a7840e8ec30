// The menu of the pages that are not for working: the rooms in the sidebar, the tabs of a room, and what M opens.

import { el, fill, key } from "./dom.js";
import { go } from "./go.js";
import sheet from "./menu.css" with { type: "css" };
import paletteSheet from "./palette.css" with { type: "css" };
import { Palette } from "./palette.js";
import { t } from "./words.js";

/** @import { MenuData, Mounted, Place } from "./types" */

const TYPED_IN = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]";
const ELSEWHERE = `${TYPED_IN}, [role=dialog], dialog, [role=listbox], [data-testid=stDataFrame]`;
const TABS = ".ts-tabs";
const NARROW = "(max-width: 768px)"; // the sidebar covers the page

/** @type {WeakMap<object, Menu>} */
const menus = new WeakMap();

/** @param {Mounted<MenuData>} mounted */
export default function mount({ data, parentElement }) {
  const menu = menus.get(parentElement) ?? new Menu(parentElement);
  menus.set(parentElement, menu);
  menu.show(data);
  return () => {
    menu.stop();
    menus.delete(parentElement);
  };
}

/**
 * Open a page. On a phone, close the sidebar, which would hide the page.
 * @param {string} href
 */
function leave(href) {
  go(href);
  if (!matchMedia(NARROW).matches) return;
  const close = document.querySelector("[data-testid=stSidebarCollapseButton] button");
  if (close instanceof HTMLElement) close.click();
}

/**
 * Follow a link without loading the page anew, unless the browser is asked for a new tab or window.
 * @param {MouseEvent} event
 * @param {string} href
 */
function follow(event, href) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  leave(href);
}

class Menu {
  /** @param {HTMLElement & DocumentOrShadowRoot} parent */
  constructor(parent) {
    /** @type {MenuData} */
    this.data = { entries: [], finder: [], here: "" };
    this.before = "";
    this.palette = new Palette(leave);
    this.list = el("nav", { "aria-label": t("Pages") });
    const open = { click: () => this.openPalette() };
    const all = el("button", { type: "button", class: "all", on: open }, key("M"), ` ${t("all pages")}`);
    this.root = el("div", { class: "menu" }, this.list, all, this.palette.root);
    parent.adoptedStyleSheets = [sheet, paletteSheet];
    parent.append(this.root);
    this.pressed = (/** @type {KeyboardEvent} */ event) => this.keydown(event);
    this.clicked = (/** @type {MouseEvent} */ event) => this.tabs(event);
    window.addEventListener("keydown", this.pressed, true);
    document.addEventListener("click", this.clicked);
  }

  stop() {
    window.removeEventListener("keydown", this.pressed, true);
    document.removeEventListener("click", this.clicked);
    this.root.remove();
  }

  /** @param {MenuData} data */
  show(data) {
    const now = JSON.stringify(data);
    if (now === this.before) return; // the page around it was drawn again
    this.before = now;
    this.data = data;
    const { entries } = data;
    const below = entries.filter(({ group }) => group === "below");
    const above = entries.filter((entry) => !below.includes(entry));
    this.list.hidden = !entries.length;
    fill(this.list, above.map(this.link, this), below.length > 0 && el("hr"), below.map(this.link, this));
  }

  /** @param {Place} place */
  link({ name, title, href, count, new: some }) {
    const news = some && el("span", { class: "new" }, some, el("span", { class: "unseen" }, ` ${t("new")}`));
    const current = name === this.data.here && "page";
    return el(
      "a",
      { href, title, "aria-current": current, on: { click: (event) => follow(event, href) } },
      el("span", { class: "name" }, title),
      count && " ",
      count && el("span", { class: "count" }, count),
      news && " ",
      news,
    );
  }

  /**
   * A click on a tab of the page leads there without loading the page anew; any click closes the list under More.
   * @param {MouseEvent} event
   */
  tabs(event) {
    const target = event.target instanceof Element ? event.target : null;
    for (const more of document.querySelectorAll(`${TABS} details[open]`)) {
      if (!target || !more.contains(target) || target.closest("a")) more.removeAttribute("open");
    }
    const href = target?.closest(`${TABS} a`)?.getAttribute("href");
    if (href) follow(event, href);
  }

  openPalette() {
    this.palette.open([...this.data.finder, { title: t("Sign out"), href: "/logout", words: "log out leave account" }]);
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    if (event.key === "Escape") this.closeMore();
    if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat || event.isComposing) return;
    if (event.composedPath().some((node) => node instanceof Element && node.matches(ELSEWHERE))) return;
    event.preventDefault();
    event.stopPropagation();
    this.openPalette();
  }

  closeMore() {
    const more = document.querySelector(`${TABS} details[open]`);
    if (!more) return;
    more.removeAttribute("open");
    more.querySelector("summary")?.focus();
  }
}
