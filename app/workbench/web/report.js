// A report with its charts. Streamlit's own way of showing HTML takes every SVG out of it; here it is put up as it was
// written by reports/, which escapes all text from data.

import { el } from "./dom.js";

/** @import { Mounted } from "./types" */

/** @type {WeakMap<Element, string>} */
const written = new WeakMap();

/** @param {Mounted<{ html: string }>} mounted */
export default function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".whole") ?? el("div", { class: "whole" });
  if (!root.isConnected) parentElement.append(root);
  if (written.get(root) !== data.html) {
    root.innerHTML = data.html;
    written.set(root, data.html);
  }
}
