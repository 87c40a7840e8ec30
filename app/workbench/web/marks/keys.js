// Keys for what is being drawn; they come before all others.

import { t } from "../words.js";
import { isArea } from "./area.js";
import { moved, turned } from "./places.js";
import { anotherRing, pointKey } from "./points.js";

/** @import { MarksEditor } from "./editor.js" */

/** @type {Record<string, [x: number, y: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
export const LABEL_KEYS = [..."123456789qwrtypsdfhjkxvb"];

/**
 * @param {MarksEditor} editor
 * @param {KeyboardEvent} event
 * @param {EventTarget | undefined} target
 * @returns {boolean} whether the key was used
 */
export function editorKey(editor, event, target) {
  if (event.ctrlKey || event.metaKey) return false;
  const { key: name } = event;
  const pressed = target instanceof HTMLButtonElement;
  if (name === "Tab") return !pressed && !event.altKey && tab(editor, event.shiftKey ? -1 : 1);
  if (pressed && (name === "Enter" || name === " ")) return false;
  if (editor.open && pointKey(editor, name)) return true;
  if (name in ARROWS) return arrow(editor, event);
  if (event.altKey) return false;
  if (name === "a" || name === "A") {
    editor.addAtMiddle();
    return true;
  }
  if (name === "0" || event.code === "Numpad0") {
    if (editor.list.length || editor.spec.min) return true;
    editor.nothing();
    editor.host.done();
    return true;
  }
  if (labelled(editor, event)) return true;
  if (editor.at >= 0) return chosenKey(editor, event);
  // What is drawn is left as it is: on to what comes next, if anything does.
  return name === "Enter" && editor.answered && Boolean(editor.host.done());
}

/**
 * The label that a key stands for.
 * @param {MarksEditor} editor
 * @param {KeyboardEvent} event
 */
function labelled(editor, event) {
  if (editor.shape.numbered) return false;
  const label = editor.labels[LABEL_KEYS.indexOf(digitOf(event) ?? event.key.toLowerCase())];
  if (!label) return false;
  editor.name(label.value);
  return true;
}

/**
 * Keys for the box or point that is chosen.
 * @param {MarksEditor} editor
 * @param {KeyboardEvent} event
 */
function chosenKey(editor, event) {
  const digit = digitOf(event);
  if (editor.shape.numbered && digit) {
    renumber(editor, Number(digit));
    return true;
  }
  switch (event.key) {
    case "e":
    case "E":
      editor.resize();
      return true;
    case "r":
    case "R":
      if (!editor.numbers) return false;
      anotherRing(editor);
      return true;
    case "Delete":
    case "Backspace":
      editor.remove();
      return true;
    case "Escape":
      editor.choose(-1);
      return true;
    case "Enter":
      editor.choose(-1);
      if (!editor.problem()) editor.host.done();
      return true;
    default:
      return false;
  }
}

/**
 * @param {MarksEditor} editor
 * @param {number} number the one that has it takes the other
 */
function renumber(editor, number) {
  const other = editor.list.findIndex((entry) => entry.number === number);
  const mine = editor.list[editor.at].number;
  if (other >= 0) editor.list[other] = { ...editor.list[other], number: mine };
  editor.replace(editor.at, { ...editor.list[editor.at], number });
}

/**
 * @param {MarksEditor} editor
 * @param {KeyboardEvent} event
 */
function arrow(editor, event) {
  const entry = editor.list[editor.at];
  if (!entry) return false;
  const { limits } = editor;
  const step = event.shiftKey ? limits.fine : limits.step;
  const [x, y] = ARROWS[event.key];
  const turns = editor.shape.turns && (event.altKey || editor.sizing);
  if (isArea(entry) && entry.rle) editor.say(t("You cannot move a pixel mask. You can only remove it."));
  else editor.replace(editor.at, (turns ? turned : moved)(entry, x * step, y * step, limits));
  return true;
}

/**
 * Through the boxes; after the last one the key is the browser's again.
 * @param {MarksEditor} editor
 * @param {number} by
 */
function tab(editor, by) {
  const { list } = editor;
  if (!list.length) return false;
  const next = editor.at < 0 ? (by > 0 ? 0 : list.length - 1) : editor.at + by;
  const there = next >= 0 && next < list.length;
  editor.choose(there ? next : -1);
  return there;
}

/** @param {KeyboardEvent} event */
const digitOf = (event) => (/^(Digit|Numpad)[1-9]$/.test(event.code) ? event.code.slice(-1) : null);
