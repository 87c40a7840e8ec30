// What all rows have in common: a section with its head, an entry that opens, and findings with their fixes.

import { el } from "../dom.js";
import { act, named } from "./fields.js";

/** @import { Child } from "../types" */
/** @import { Finding, Part, RowsContext, Step } from "../builder_types" */

/**
 * @param {RowsContext} ctx
 * @param {string} title
 * @param {string} id
 * @param {Child[]} actions
 * @param {Child[]} children
 * @param {Step[]} [path] findings there that no entry shows are shown here
 * @param {string} [help]
 */
export function section(ctx, title, id, actions, children, path, help) {
  return el(
    "section",
    { data: { id: `section.${id}` } },
    el("div", { class: "head" }, el("h3", { title: help }, title), el("span", { class: "adds" }, actions)),
    children,
    path && findingsAt(ctx, path),
  );
}

/**
 * An entry of a list: a head that opens it, its boxes, and buttons to move and delete it.
 * @param {RowsContext} ctx
 * @param {Step[]} path
 * @param {number} count
 * @param {string} title
 * @param {string} about
 * @param {() => Child[]} body
 */
export function entry(ctx, path, count, title, about, body) {
  const id = named(path);
  const at = Number(path.at(-1));
  const open = ctx.open === id;
  const findings = findingsAt(ctx, path);
  return el(
    "div",
    {
      class: open ? "entry open" : "entry",
      data: { id: `entry.${id}`, entry: id, at: String(at), count: String(count), path: JSON.stringify(path) },
    },
    el(
      "button",
      { type: "button", class: "title", "aria-expanded": String(open), data: { id: `open.${id}`, open: id } },
      el("strong", {}, title),
      el("span", { class: "quiet" }, about),
    ),
    open && el("div", { class: "boxes", data: { id: `boxes.${id}` } }, body(), tools(path, at, count, title)),
    findings,
  );
}

/**
 * @param {Step[]} path
 * @param {number} at
 * @param {number} count
 * @param {string} title
 */
function tools(path, at, count, title) {
  const id = named(path);
  const around = path.slice(0, -1);
  /** @param {number} to */
  const move = (to) => /** @type {const} */ ([{ do: "move", path, at: to }]);
  return el(
    "div",
    { class: "tools" },
    act("Move up", [...move(at - 1)], {
      id: `up.${id}`,
      title: `Move ${title} up`,
      open: named([...around, at - 1]),
      disabled: at === 0,
    }),
    act("Move down", [...move(at + 1)], {
      id: `down.${id}`,
      title: `Move ${title} down`,
      open: named([...around, at + 1]),
      disabled: at + 1 >= count,
    }),
    act("Delete", [{ do: "remove", path }], { id: `delete.${id}`, title: `Delete ${title}`, open: "" }),
  );
}

/**
 * How many keys a row does not show.
 * @param {Part} part
 * @param {string[]} shown
 */
export function more(part, shown) {
  const n = Object.keys(part ?? {}).filter((key) => !shown.includes(key)).length;
  return n ? el("p", { class: "quiet" }, `${n} more ${n === 1 ? "setting" : "settings"} in the YAML`) : null;
}

/**
 * The findings at a path, or those that are given, with their fixes.
 * @param {RowsContext} ctx
 * @param {Step[]} path
 * @param {Finding[]} [given]
 */
export function findingsAt(ctx, path, given) {
  const found =
    given ??
    ctx.findings.filter((finding) => !ctx.shown.has(finding) && path.every((step, at) => finding.path[at] === step));
  return found.map((finding) => {
    ctx.shown.add(finding);
    const id = `finding.${finding.line}.${finding.message}`;
    return el(
      "div",
      { class: `finding ${finding.level}`, data: { id } },
      el(
        "button",
        {
          type: "button",
          class: "line",
          title: "Show the line in the YAML",
          data: { id: `line.${id}`, line: String(finding.line) },
        },
        `Line ${finding.line}`,
      ),
      el("span", {}, finding.message),
      finding.fixes.map((fix) => act(fix.label, fix.edits, { id: `fix.${id}.${fix.label}`, style: "small fix" })),
    );
  });
}
