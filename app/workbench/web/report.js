// A report with its charts. Streamlit's own way of showing HTML takes every SVG out of it; here it is put up as it was
// written by reports/, which escapes all text from data.

import { el } from "./dom.js";

/** @import { Mounted } from "./types" */

/** @type {WeakMap<Element, string>} */
const written = new WeakMap();
/** @type {WeakMap<Element, number>} */
const reached = new WeakMap();

/** @param {Mounted<{ html: string, asked: number }>} mounted */
export default function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".whole") ?? el("div", { class: "whole" });
  if (!root.isConnected) parentElement.append(root);
  if (written.get(root) !== data.html) {
    root.innerHTML = data.html;
    written.set(root, data.html);
  }
  if (data.asked > (reached.get(root) ?? 0)) {
    reached.set(root, data.asked);
    // Its heading stands above it, in the part of the page that opens and closes.
    const host = /** @type {ShadowRoot} */ (root.getRootNode()).host ?? root;
    goTo(host.closest("details") ?? root);
  }
}

/** Long enough for a part to unfold on a slow machine. */
const UNFOLDS_MS = 1500;

/**
 * Bring a part of the page to the top, and keep it there while it unfolds, unless someone moves the page.
 * @param {Element} part
 */
function goTo(part) {
  const grows = new ResizeObserver(() => part.scrollIntoView());
  const leave = () => grows.disconnect();
  grows.observe(part);
  setTimeout(leave, UNFOLDS_MS);
  for (const move of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(move, leave, { once: true, passive: true, capture: true });
  }
}
