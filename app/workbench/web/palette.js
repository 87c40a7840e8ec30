// The finder, which M opens on every page: type a word, and Enter opens the page or action.

import { el, fill, focusedNear, key } from "./dom.js";
import { t } from "./words.js";

/** @import { Place } from "./types" */

const PAGE = 8;
const LAST = 3; // the rank of a place that has all words, though not in its name

/** @param {string} text */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * The places whose names, rooms or further words have all typed words, best first: the first page of a room that is
 * called so, those whose names begin with what was typed, then those with a word of the name that does. If no place has
 * all of them, those that have most.
 * @param {Place[]} places
 * @param {string} typed
 */
export function matching(places, typed) {
  const asked = folded(typed).trim();
  const parts = asked.split(/\s+/).filter(Boolean);
  const rank = (/** @type {Place} */ place) => {
    const { title, group = "", words = "" } = place;
    const name = folded(title);
    const isFirst = group && places.find((other) => other.group === group) === place;
    if (asked && isFirst && folded(group).startsWith(asked)) return 0;
    const all = ` ${name} ${folded(group)} ${folded(words)}`;
    const has = (/** @type {string} */ part) => name.includes(part) || all.includes(` ${part}`);
    const missing = parts.filter((part) => !has(part)).length;
    if (missing) return parts.some((part) => part.length > 2 && has(part)) ? LAST + missing : -1;
    if (name.startsWith(asked)) return 0;
    if (` ${name}`.includes(` ${asked}`)) return 1;
    return parts.every((part) => name.includes(part)) ? 2 : LAST;
  };
  const ranked = places.map((place) => ({ place, at: rank(place) })).filter(({ at }) => at >= 0);
  const least = Math.min(...ranked.map(({ at }) => at));
  return ranked
    .filter(({ at }) => (least > LAST ? at === least : at <= LAST))
    .sort((one, other) => one.at - other.at)
    .map(({ place }) => place);
}

export class Palette {
  /** @param {(href: string) => void} go */
  constructor(go) {
    this.go = go;
    /** @type {Place[]} */
    this.places = [];
    /** @type {Place[]} */
    this.found = [];
    this.at = 0;
    /** @type {HTMLElement | null} */
    this.before = null; // what had the focus
    this.box = el("input", {
      type: "text",
      role: "combobox",
      "aria-label": t("Find a page or an action"),
      "aria-controls": "places",
      "aria-expanded": "true",
      "aria-autocomplete": "list",
      placeholder: t("Find a page or an action"),
      autocomplete: "off",
      spellcheck: "false",
      on: { input: () => this.paint() },
    });
    this.list = el("ul", { id: "places", role: "listbox", "aria-label": t("Pages and actions") });
    this.none = el("p", { class: "none", role: "status" });
    this.root = el(
      "dialog",
      {
        class: "palette",
        "aria-label": t("Find a page or an action"),
        on: { keydown: (event) => this.pressed(event) },
      },
      this.box,
      this.list,
      this.none,
      el(
        "p",
        { class: "hint" },
        key("↑"),
        key("↓"),
        ` ${t("choose")} `,
        key("Enter"),
        ` ${t("go there")} `,
        key("Esc"),
        ` ${t("close")}`,
      ),
    );
    this.root.addEventListener("mousedown", (event) => {
      if (event.target === this.root)
        this.close(); // next to it
      else if (event.target !== this.box) event.preventDefault(); // the focus stays in the box
    });
    this.root.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
  }

  get isOpen() {
    return this.root.open;
  }

  /** @param {Place[]} places */
  open(places) {
    if (this.isOpen) return;
    this.before = focusedNear(this.root);
    this.places = places;
    this.box.value = "";
    this.root.showModal();
    this.box.focus();
    this.paint();
  }

  close() {
    this.box.blur(); // or the next key goes to the hidden box, until the page is drawn again
    this.root.close(); // what had the focus gets it back
    if (this.before?.isConnected) this.before.focus({ preventScroll: true });
  }

  paint() {
    const typed = this.box.value;
    this.found = matching(this.places, typed);
    this.none.textContent = this.found.length ? "" : t("No page or action matches. Try another word.");
    const groups = this.found.map(({ group }) => group);
    fill(
      this.list,
      this.found.map((place, index) =>
        el(
          "li",
          { id: `place-${index}`, role: "option", on: { click: () => this.leave(place) } },
          !typed && index < 9 ? key(String(index + 1)) : el("span", { class: "slot" }),
          el("span", { class: "name" }, place.title),
          typed || groups[index] !== groups[index - 1] ? el("span", { class: "group" }, place.group) : null,
        ),
      ),
    );
    this.choose(0);
  }

  /** @param {number} at */
  choose(at) {
    this.at = at;
    for (const [index, row] of [...this.list.children].entries()) {
      row.setAttribute("aria-selected", String(index === at));
      if (index === at) row.scrollIntoView({ block: "nearest" });
    }
    if (this.found.length) this.box.setAttribute("aria-activedescendant", `place-${at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  /** @param {Place | undefined} place */
  leave(place) {
    if (!place) return;
    this.close();
    this.go(place.href);
  }

  /**
   * No key goes further than this, as the page around has keys of its own.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    event.stopPropagation();
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.used(event.key)) event.preventDefault();
  }

  /** @param {string} name of a key */
  used(name) {
    const last = this.found.length - 1;
    /** @type {Record<string, () => void>} */
    const keys = {
      Escape: () => this.close(),
      Enter: () => this.leave(this.found[this.at]),
      ArrowDown: () => this.choose(this.at < last ? this.at + 1 : 0),
      ArrowUp: () => this.choose(this.at > 0 ? this.at - 1 : Math.max(last, 0)),
      PageDown: () => this.choose(Math.max(Math.min(this.at + PAGE, last), 0)),
      PageUp: () => this.choose(Math.max(this.at - PAGE, 0)),
      Tab: () => {}, // there is nothing else to go to
    };
    if (!this.box.value && /^[1-9]$/.test(name)) keys[name] = () => this.leave(this.found[Number(name) - 1]);
    keys[name]?.();
    return name in keys;
  }
}
