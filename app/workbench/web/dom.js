// Small building blocks. Text from data only ever becomes a text node.

import { shownKey } from "./own_keys.js";
import { t } from "./words.js";

/** @import { Child, Props } from "./types" */

/**
 * An element with its attributes, listeners and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = String(value);
    else if (name === "on") listen(node, props.on);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name in node && typeof value !== "string") Object.assign(node, { [name]: value });
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {Props["on"]} listeners
 */
function listen(node, listeners = {}) {
  for (const [event, handler] of Object.entries(listeners)) {
    node.addEventListener(event, /** @type {(event: Event) => void} */ (handler));
  }
}

/**
 * @template {Element} T
 * @param {T} node
 * @param {Child[]} children
 */
export function add(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(node, child);
    else if (child !== undefined && child !== null && child !== false) {
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
  return node;
}

/**
 * @template {Element} T
 * @param {T} node
 * @param {...Child} children
 */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

/**
 * For `mousedown`: the focus stays where it is, so that Enter does not press again what was pressed with the mouse.
 * @param {Event} event
 */
export const keepFocus = (event) => event.preventDefault();

/**
 * A piece of an element that is certainly there.
 * @param {Element} node
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(node, selector) {
  const found = node.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return found;
}

/**
 * What has the focus, next to or inside of a shadow root.
 * @param {Element} node
 * @returns {HTMLElement | null}
 */
export function focusedNear(node) {
  const root = node.getRootNode();
  const found = root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
  return found instanceof HTMLElement ? found : null;
}

/**
 * A key, as it is printed.
 * @param {string} name
 * @param {string} [label] printed in place of the name
 */
export const key = (name, label = name) =>
  el("kbd", { "aria-hidden": "true", data: { key: name, label } }, shownKey(name, label));

/** @param {string} [iso] now, if it is absent */
export function clock(iso) {
  const date = iso ? new Date(iso) : new Date();
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/**
 * A value of an item's field, as a person reads it.
 * @param {unknown} value
 * @returns {Child}
 */
export function shown(value) {
  if (value === null || value === undefined || value === "") return el("span", { class: "quiet" }, t("none"));
  if (Array.isArray(value) && value.every((entry) => typeof entry !== "object")) {
    return el(
      "ol",
      { class: "entries" },
      value.map((entry) => el("li", {}, entry)),
    );
  }
  if (typeof value === "object") return el("pre", {}, JSON.stringify(value, null, 1));
  if (value === true) return t("yes");
  if (value === false) return t("no");
  return String(value);
}

/**
 * Whether two values are the same JSON.
 * @param {unknown} one
 * @param {unknown} other
 */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Whether nothing is written or chosen.
 * @param {unknown} value
 */
export const blank = (value) =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && !value.trim()) ||
  (Array.isArray(value) && !value.some(Boolean));

/** A key that no one else has; outside of a secure context the browser has no function for it. */
export const unique = () =>
  crypto.randomUUID
    ? crypto.randomUUID()
    : Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
