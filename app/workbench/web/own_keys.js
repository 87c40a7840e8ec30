// The keys that a person has chosen in place of the usual ones. All other code names keys as usual: this module
// translates what is pressed, and what is printed.

/** @type {Map<string, string>} */
let chosen = new Map(); // the person's key for each usual one
/** @type {Map<string, string>} */
let meant = new Map(); // the usual key for each of the person's

/** @param {Record<string, string>} keys the person's keys, by the usual ones; also by "Skip" and "Submit" */
export function useKeys(keys) {
  chosen = new Map(Object.entries(keys));
  meant = new Map([...chosen].map(([name, key]) => [key, name]));
}

/** The keys in use that differ from the usual ones. */
export const chosenKeys = () => Object.fromEntries(chosen);

/** @param {string} name of a usual key, or "Skip" or "Submit" */
export const isChosen = (name) => chosen.has(name);

/**
 * A key as it is printed.
 * @param {string} name
 * @param {string} [label] printed if the person has no key of their own for it
 */
export function shownKey(name, label = name) {
  const own = chosen.get(name.length === 1 ? name.toLowerCase() : name);
  return own === undefined ? label : own.toUpperCase();
}

/**
 * The key that was pressed. Digits are the same on all keyboards.
 * @param {KeyboardEvent} event
 */
export const pressedKey = ({ code, key }) =>
  /^(Digit|Numpad)[0-9]$/.test(code) ? code.slice(-1) : key.length === 1 ? key.toLowerCase() : key;

/**
 * The event with the usual key that the person means. A usual key without an action means nothing.
 * @param {KeyboardEvent} event
 */
export function usualEvent(event) {
  if (!chosen.size) return event;
  const pressed = pressedKey(event);
  const name = meant.get(pressed) ?? (chosen.has(pressed) ? "Unidentified" : null);
  if (name === null) return event;
  const { repeat, shiftKey } = event;
  const code = /^[0-9]$/.test(name) ? `Digit${name}` : "";
  return new KeyboardEvent("keydown", { key: name === "Submit" ? "Enter" : name, code, repeat, shiftKey });
}

/**
 * Print the keys again that are printed in there.
 * @param {HTMLElement} root
 */
export function printKeys(root) {
  for (const kbd of root.querySelectorAll("kbd[data-key]")) {
    if (kbd instanceof HTMLElement && kbd.dataset.key) kbd.textContent = shownKey(kbd.dataset.key, kbd.dataset.label);
  }
}
