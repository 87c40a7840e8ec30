// What the form shows of what is drawn: its tools, a row for each box or point, and the keys that work now.

import { el, fill, key } from "../dom.js";
import { t } from "../words.js";
import { LABEL_KEYS } from "./keys.js";
import { placeInWords } from "./places.js";
import { anotherRing, close, paintNumbers } from "./points.js";
import { toneAt } from "./tones.js";

/** @import { Child, Mark } from "../types" */
/** @import { MarksEditor } from "./editor.js" */

/** @param {MarksEditor} editor */
export function paintList(editor) {
  fill(editor.bar, toolsOf(editor));
  fill(
    editor.rows,
    editor.list.map((entry, index) => rowOf(editor, entry, index)),
  );
  paintNumbers(editor);
  fill(editor.hint, editor.note || hintOf(editor));
}

/**
 * @param {MarksEditor} editor
 * @returns {Child}
 */
function toolsOf(editor) {
  const named = editor.at >= 0 ? editor.list[editor.at].label : editor.label;
  const labels = editor.labels.map(({ value, label }, index) => {
    const name = (LABEL_KEYS[index] || "").toUpperCase();
    const button = tool(editor, name, label, () => editor.name(value), value === named);
    button.style.setProperty("--tone", toneAt(index));
    button.classList.add("tone");
    return button;
  });
  const empty = () => {
    editor.nothing();
    editor.host.done();
  };
  const none = !editor.list.length && !editor.spec.min;
  return [
    tool(editor, "A", t("new {noun}", { noun: editor.shape.noun }), () => editor.addAtMiddle()),
    editor.shape.numbered ? null : labels,
    editor.numbers && editor.at >= 0 && !editor.open
      ? tool(editor, "R", t("another ring"), () => anotherRing(editor))
      : null,
    editor.open ? tool(editor, "Enter", t("close the ring"), () => close(editor)) : null,
    none ? tool(editor, "0", t("nothing to mark"), empty, editor.given) : null,
  ];
}

/**
 * @param {MarksEditor} editor
 * @param {string} name
 * @param {string} label
 * @param {() => void} press
 * @param {boolean} [on] of a switch: whether it is on
 */
function tool(editor, name, label, press, on) {
  const click = () => {
    editor.take();
    press();
  };
  return el(
    "button",
    {
      type: "button",
      class: on ? "small on" : "small",
      tabindex: "-1",
      "aria-pressed": on === undefined ? undefined : String(on),
      on: { click },
    },
    key(name),
    " ",
    label,
  );
}

/**
 * @param {MarksEditor} editor
 * @param {Mark} entry
 * @param {number} index
 */
function rowOf(editor, entry, index) {
  const where = placeInWords(entry);
  const { noun, numbered } = editor.shape;
  const text = numbered ? `${noun} ${entry.number}` : editor.textOf(entry) || `${noun} ${index + 1}`;
  const choose = () => {
    editor.take();
    editor.choose(index);
  };
  const remove = (/** @type {Event} */ event) => {
    event.stopPropagation();
    editor.take();
    editor.remove(index);
  };
  const row = el(
    "li",
    { class: index === editor.at ? "chosen" : "", on: { click: choose } },
    el("span", { class: "swatch" }),
    el(
      "span",
      { class: "what" },
      text,
      entry.image ? el("span", { class: "quiet" }, ` ${t("image {image}", { image: entry.image })}`) : null,
    ),
    el("span", { class: "where2 quiet" }, where),
    el(
      "button",
      {
        type: "button",
        class: "small",
        tabindex: "-1",
        "aria-label": t("Remove {text}", { text }),
        on: { click: remove },
      },
      "×",
    ),
  );
  row.style.setProperty("--tone", editor.toneOf(entry));
  return row;
}

/**
 * @param {MarksEditor} editor
 * @returns {Child}
 */
function hintOf(editor) {
  if (!editor.attached) return "";
  if (editor.numbers?.matches(":focus")) return keysLine(["Esc", t("back to the mask")]);
  if (editor.open) return keysLine(["Enter", t("close the ring")], ["Esc", t("undo the last point")]);
  if (editor.at < 0) {
    return [
      keysLine(["A", t("or {begin} on the image", { begin: editor.shape.begin })]),
      editor.list.length ? keysLine(["Tab", t("choose")], ["Enter", t("done")]) : null,
    ];
  }
  const { turns } = editor.shape;
  const turn = turns ?? t("move");
  /** @type {[string, string][]} */
  const more = turns ? [["E", editor.sizing ? t("move") : turns]] : [];
  if (editor.numbers) more.push(["E", t("type the points")], ["R", t("another ring")]);
  return keysLine(
    ["← ↑ → ↓", editor.sizing ? turn : t("move")],
    ["Shift", t("small steps")],
    ...more,
    ["Del", t("remove")],
    ["Enter", t("done")],
  );
}

/**
 * @param {...[names: string, what: string]} pairs
 * @returns {Child[]}
 */
const keysLine = (...pairs) =>
  pairs.flatMap(([names, what]) => [names.split(" ").map((name) => key(name)), ` ${what}  `]);
