// The menu of the pages that are not for working: the list in the sidebar, of which one group is open at a time, and
// what M opens.

import { el, fill, key } from "./dom.js";
import { go } from "./go.js";
import sheet from "./menu.css" with { type: "css" };
import paletteSheet from "./palette.css" with { type: "css" };
import { Palette } from "./palette.js";

/** @import { MenuData, Mounted, Place } from "./types" */

const TYPED_IN = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]";
const ELSEWHERE = `${TYPED_IN}, [role=dialog], dialog, [role=listbox], [data-testid=stDataFrame]`;
const KEPT = "touchstone.menu";

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

class Menu {
  /** @param {HTMLElement & DocumentOrShadowRoot} parent */
  constructor(parent) {
    /** @type {MenuData} */
    this.data = { menu: [], elsewhere: [], here: "", listed: false };
    this.before = "";
    /** @type {string | null} */
    this.opened = null; // the group that is open
    this.palette = new Palette(go);
    this.list = el("nav", { "aria-label": "Pages" });
    const open = { click: () => this.openPalette() };
    const all = el("button", { type: "button", class: "all", on: open }, key("M"), " all pages");
    this.root = el("div", { class: "menu" }, this.list, all, this.palette.root);
    parent.adoptedStyleSheets = [sheet, paletteSheet];
    parent.append(this.root);
    this.pressed = (/** @type {KeyboardEvent} */ event) => this.keydown(event);
    window.addEventListener("keydown", this.pressed, true);
  }

  stop() {
    window.removeEventListener("keydown", this.pressed, true);
    this.root.remove();
  }

  /** @param {MenuData} data */
  show(data) {
    const now = JSON.stringify(data);
    if (now === this.before) return; // the page around it was drawn again
    this.before = now;
    this.data = data;
    this.opened = this.toOpen();
    this.paint();
  }

  /** The group that someone has opened on this page, else that of the page. */
  toOpen() {
    const { here, menu } = this.data;
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    if (kept.here === here) return kept.opened;
    return menu.find(({ name }) => name === here)?.group ?? null;
  }

  /** @param {string | null} group */
  open(group) {
    this.opened = group;
    sessionStorage.setItem(KEPT, JSON.stringify({ here: this.data.here, opened: group }));
    this.paint();
  }

  paint() {
    this.list.hidden = !this.data.listed;
    const groups = [...new Set(this.data.menu.map(({ group = "" }) => group))];
    fill(this.list, this.data.listed ? groups.map((group, at) => this.group(group, at)) : null);
  }

  /**
   * @param {string} group
   * @param {number} at
   */
  group(group, at) {
    const places = this.data.menu.filter((place) => place.group === group).map((place) => this.link(place));
    if (!group) return places;
    const isOpen = group === this.opened;
    const toggle = () => {
      this.open(isOpen ? null : group);
      this.list.querySelectorAll("button")[at]?.focus();
    };
    const head = el(
      "button",
      { type: "button", "aria-expanded": String(isOpen), "aria-controls": `group-${at}`, on: { click: toggle } },
      group,
    );
    return [head, el("div", { id: `group-${at}`, hidden: !isOpen }, places)];
  }

  /** @param {Place} place */
  link({ name, title, href, new: some }) {
    const follow = (/** @type {MouseEvent} */ event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      go(href);
    };
    const count = some && el("span", { class: "new" }, some, el("span", { class: "unseen" }, " new"));
    const current = name === this.data.here && "page";
    return el("a", { href, title, "aria-current": current, on: { click: follow } }, title, count && " ", count);
  }

  openPalette() {
    const { menu, elsewhere } = this.data;
    this.palette.open([...menu, ...elsewhere, { title: "Sign out", href: "/logout" }]);
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat || event.isComposing) return;
    if (event.composedPath().some((node) => node instanceof Element && node.matches(ELSEWHERE))) return;
    event.preventDefault();
    event.stopPropagation();
    this.openPalette();
  }
}
