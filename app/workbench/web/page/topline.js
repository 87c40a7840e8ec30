// The thin line on top: where one is, how much is done, and the keys that work everywhere.

import { el, key } from "../dom.js";
import { t } from "../words.js";
import { openKeys, openMenu } from "./dialogs.js";

/** @import { Child, Page, Static } from "../types" */
/** @import { Bench } from "./bench.js" */

/**
 * @param {Page} page
 * @param {Static} fixed
 * @returns {Child}
 */
export function where({ progress, notes }, fixed) {
  const numbers = [t("{done} done", { done: progress.done })];
  if (progress.left !== null) numbers.push(t("{left} left", { left: progress.left }));
  const kept = progress.decided
    ? t("kept {percent} %", { percent: Math.round((100 * progress.kept) / progress.decided) })
    : null;
  return el(
    "div",
    { class: "where" },
    el("strong", {}, fixed.project.title),
    el("span", {}, fixed.stage.title),
    fixed.project.made_up ? el("span", { class: "made-up" }, t("made-up data")) : null,
    el("span", { class: "numbers" }, numbers.join(", ")),
    kept ? el("span", { class: "numbers" }, kept) : null,
    ...notes.map((words) => el("span", { class: "numbers note-on-top" }, words)),
  );
}

/**
 * @param {Bench} bench
 * @returns {Child}
 */
export function tools(bench) {
  const { actions, side, task } = bench;
  const { guide } = bench.guideline;
  const inTask = bench.page.view === "task";
  const holds = inTask && !task?.correction;
  const nav = el(
    "nav",
    { class: "tools", "aria-label": t("Actions") },
    tool("G", t("guideline"), () => guide.toggle(), guide.isOpen),
    bench.stage !== "adjudication" ? tool("U", t("edit last"), () => actions.undo()) : null, // a decision stands
    inTask ? tool("N", t("note"), () => side.openNote()) : null,
    ...side.parts.map((part) =>
      inTask && task && part.isOffered(task)
        ? tool(part.key.toUpperCase(), part.title, () => side.openPart(part))
        : null,
    ),
    holds && bench.stage !== "authoring" ? tool("L", t("later"), () => actions.postpone()) : null,
    holds ? tool("B", t("give back"), () => actions.giveBack()) : null,
    inTask ? tool("T", t("text size"), () => side.say(bench.text.next(false))) : null,
    tool("M", t("menu"), () => openMenu(bench)),
    tool("?", t("keys"), () => openKeys(bench)),
  );
  const more = el("button", { type: "button", class: "small more", "aria-expanded": "false" }, t("Actions"));
  const open = (/** @type {boolean} */ on) => {
    nav.classList.toggle("open", on);
    more.setAttribute("aria-expanded", String(on));
  };
  more.addEventListener("click", () => open(!nav.classList.contains("open")));
  nav.addEventListener("click", () => open(false));
  return [nav, more];
}

/**
 * @param {string} name
 * @param {string} label
 * @param {() => void} press
 * @param {boolean} [on] of a switch: whether it is on
 */
function tool(name, label, press, on) {
  return el(
    "button",
    {
      type: "button",
      class: on ? "tool on" : "tool",
      "aria-pressed": on === undefined ? undefined : String(on),
      on: { click: press },
    },
    key(name),
    el("span", {}, label),
  );
}
