// The keys that controls print, digits first, and the buttons that carry them.

import { el, part } from "../dom.js";
import { shownKey } from "../own_keys.js";

/** @import { Child } from "../types" */

export const KEYS = [..."1234567890qwertypasdfhjkxvb"];

/** @param {KeyboardEvent} event */
export function keyIndex(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return -1;
  if (/^(Digit|Numpad)[0-9]$/.test(event.code)) return KEYS.indexOf(event.code.slice(-1));
  return KEYS.indexOf(event.key.toLowerCase());
}

/**
 * The key of a choice, as it is printed; empty where there are too many.
 * @param {number} index
 */
export const slotName = (index) => (KEYS[index] ? shownKey(KEYS[index], KEYS[index].toUpperCase()) : "");

/** @param {HTMLElement} area */
export function fitHeight(area) {
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}

/**
 * @param {Child} label
 * @param {string | null | undefined} help
 * @param {() => void} press
 */
export function keyButton(label, help, press, role = "radio") {
  return el(
    "button",
    { type: "button", class: "choice", role, "aria-checked": "false", title: help, on: { click: press } },
    el("kbd", { class: "slot", "aria-hidden": "true" }),
    label,
    help ? el("span", { class: "hint byhand" }, help) : null,
  );
}

/**
 * @param {HTMLElement} button
 * @param {boolean} chosen
 * @param {string | undefined} name of its key; none: it does not work now
 */
export function showChosen(button, chosen, name) {
  button.setAttribute("aria-checked", String(chosen));
  button.classList.toggle("chosen", chosen);
  const slot = part(button, ".slot");
  slot.textContent = name ? shownKey(name, name.toUpperCase()) : "";
  if (name) Object.assign(slot.dataset, { key: name, label: name.toUpperCase() });
  else delete slot.dataset.key;
  slot.classList.toggle("empty", !name);
}
