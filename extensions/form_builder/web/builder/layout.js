// The frame of the builder: the bar on top and the three panes.

import { el } from "../dom.js";

/** @import { LiveForm } from "./live_form.js" */

/** What the buttons of the frame do. @typedef {{ undo: () => void, create: () => void, download: () => void, toFinding: () => void, guideline: () => void }} Acts */

/**
 * @param {{ running: boolean, back: (() => void) | string, live: LiveForm, acts: Acts }} given `running`: the form of a running project
 */
export function layout({ running, back, live, acts }) {
  const status = el("span", { class: "quiet", role: "status" });
  const looks = el("button", { type: "button", class: "chip", hidden: true, on: { click: acts.toFinding } });
  const undo = el(
    "button",
    { type: "button", on: { click: acts.undo } },
    "Undo ",
    el("kbd", { "aria-hidden": "true" }, "Ctrl Z"),
  );
  const create = el(
    "button",
    { type: "button", class: "primary", disabled: true, on: { click: acts.create } },
    running ? "See effects" : "Create project",
  );
  const title = el("h1", {}, "Form builder");
  const banner = el("div", { class: "banner", role: "alert", hidden: true });
  const list = el("div", { class: "rows", tabindex: "-1" });
  const text = el("div", { class: "text" });
  const guideline = el("textarea", {
    class: "guideline",
    "aria-label": "Guideline in Markdown",
    hidden: true,
    on: { input: acts.guideline },
  });
  const foot = el("div", { class: "foot quiet" });
  const top = el(
    "header",
    { class: "top" },
    typeof back === "string"
      ? el("a", { href: back, class: "link" }, "‹ Schema")
      : el("button", { type: "button", class: "link", on: { click: back } }, "‹ New form"),
    title,
    status,
    el("span", { class: "space" }),
    looks,
    undo,
    el("button", { type: "button", on: { click: acts.download } }, "Download"),
    create,
  );
  const parts = el(
    "section",
    { class: "pane parts", "aria-label": "Parts" },
    el("div", { class: "bar" }, el("h2", {}, "Parts"), el("span", { class: "quiet" }, "Alt ↑ ↓ moves a row")),
    list,
  );
  const yaml = el(
    "section",
    { class: "pane yaml", "aria-label": "Text" },
    el("div", { class: "bar" }, texts(text, guideline)),
    text,
    guideline,
    foot,
  );
  const root = el(
    "div",
    { class: "builder whole colors" },
    top,
    banner,
    el("div", { class: "panes" }, parts, live.root, yaml),
  );
  return { root, status, looks, undo, create, title, banner, list, text, guideline, foot };
}

/**
 * The switch between the YAML and the guideline.
 * @param {HTMLElement} text
 * @param {HTMLElement} guideline
 */
function texts(text, guideline) {
  const buttons = ["YAML", "Guideline"].map((label, at) => {
    const choose = () => {
      text.hidden = at === 1;
      guideline.hidden = at === 0;
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
    };
    /** @type {HTMLButtonElement} */
    const button = el("button", { type: "button", "aria-pressed": String(at === 0), on: { click: choose } }, label);
    return button;
  });
  return el("div", { class: "switch", role: "group", "aria-label": "Text" }, buttons);
}

/**
 * Let the browser save the YAML as a file.
 * @param {string} text
 * @param {unknown} name
 */
export function download(text, name) {
  const called = typeof name === "string" ? name.replace(/[^\w.-]/g, "_") : "form";
  const href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  el("a", { href, download: `${called}.yaml` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
