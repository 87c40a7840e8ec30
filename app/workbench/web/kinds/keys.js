// The keys that controls print, digits first, and the buttons that carry them.

import { el } from "../dom.js";

export const KEYS = [..."1234567890qwertypasdfhjkxvb"];

export function keyIndex(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return -1;
  if (/^(Digit|Numpad)[0-9]$/.test(event.code)) return KEYS.indexOf(event.code.slice(-1));
  return KEYS.indexOf(event.key.toLowerCase());
}

export function grow(area) {
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}

export function keyButton(label, help, press, role = "radio") {
  return el(
    "button",
    { type: "button", class: "choice", role, "aria-checked": "false", title: help, on: { click: press } },
    el("kbd", { class: "slot", "aria-hidden": "true" }),
    label,
  );
}

export function mark(button, chosen, name) {
  button.setAttribute("aria-checked", String(chosen));
  button.classList.toggle("chosen", chosen);
  const slot = button.querySelector(".slot");
  slot.textContent = name ? name.toUpperCase() : "";
  slot.classList.toggle("empty", !name);
}
