// Masks, point by point: set with the pointer, taken back, closed; and their numbers, to be typed.

import { el } from "../dom.js";
import { GRIP, rounded, toScreen } from "../geometry.js";
import { t } from "../words.js";
import { isArea } from "./area.js";

/** @import { ImageFrame } from "../media/image.js" */
/** @import { Area, Point } from "../types" */
/** @import { MarksEditor } from "./editor.js" */
/** @import { Stroke } from "./stroke.js" */

const LEAST = 3;

/**
 * The mask that is chosen, if it has points.
 * @param {MarksEditor} editor
 * @returns {(Area & { rings: number[][][] }) | null}
 */
function chosen(editor) {
  const mark = editor.list[editor.at];
  return mark && isArea(mark) && mark.rings ? { ...mark, rings: mark.rings } : null;
}

/**
 * A press that sets a point: of the ring that is open, or the first one of a new mask. On the first point of the ring it
 * closes it.
 * @param {MarksEditor} editor
 * @param {ImageFrame} frame
 * @param {Point} start
 * @param {number} px
 * @param {number} py
 * @returns {Stroke}
 */
export function setPoint(editor, frame, start, px, py) {
  const rest = { move: () => {}, up: () => {} };
  if (start.x < 0 || start.x > 1 || start.y < 0 || start.y > 1) return rest;
  const area = editor.open ? chosen(editor) : null;
  const ring = area?.rings.at(-1) ?? [];
  const first = ring.length >= LEAST ? toScreen(frame.rect, ring[0][0], ring[0][1]) : null;
  if (first && Math.hypot(first.x - px, first.y - py) <= GRIP) return { ...rest, up: () => close(editor) };
  const { at } = editor;
  const put = (/** @type {Point} */ point) => {
    const rings = [...(area?.rings.slice(0, -1) ?? []), [...ring, [point.x, point.y]]];
    editor.replace(editor.at, { ...area, ...tidyRings(editor, rings) });
  };
  if (area && (editor.list[at].image ?? 1) !== frame.number) return rest;
  if (area) put(start);
  else if (editor.append({ rings: [[[start.x, start.y]]] }, frame) < 0) return rest;
  editor.open = true;
  editor.repaint();
  return {
    move: (x, y) => {
      const there = { x: (x - frame.rect.left) / frame.rect.width, y: (y - frame.rect.top) / frame.rect.height };
      if (area) put(there);
      else movedLast(editor, there);
    },
    up: () => {},
  };
}

/**
 * @param {MarksEditor} editor
 * @param {Point} point
 */
function movedLast(editor, point) {
  const area = chosen(editor);
  if (area) editor.replace(editor.at, { ...area, ...tidyRings(editor, [[[point.x, point.y]]]) });
}

/**
 * @param {MarksEditor} editor
 * @param {number[][][]} rings
 * @returns {{ rings: number[][][] }}
 */
const tidyRings = ({ limits }, rings) => ({
  rings: rings.map((ring) => ring.map((point) => point.map((each) => rounded(Math.min(1, Math.max(0, each)), limits)))),
});

/**
 * The next points begin a further ring of the mask: a hole, or another part.
 * @param {MarksEditor} editor
 */
export function anotherRing(editor) {
  const area = chosen(editor);
  if (!area) return;
  if (!editor.open) editor.replace(editor.at, { ...area, rings: [...area.rings, []] });
  editor.open = true;
  editor.repaint();
}

/**
 * No more points: the ring is closed.
 * @param {MarksEditor} editor
 */
export function close(editor) {
  const area = chosen(editor);
  if (area && !area.rings.at(-1)?.length) takeBack(editor);
  else if (area?.rings.some((ring) => ring.length < LEAST)) {
    editor.say(t("Add points until the area has at least three. Escape removes the last point."));
    return;
  }
  editor.open = false;
  editor.repaint();
}

/**
 * The last point is gone, with its ring and its mask if it was the only one.
 * @param {MarksEditor} editor
 */
export function takeBack(editor) {
  const area = chosen(editor);
  if (!area) return;
  const ring = (area.rings.at(-1) ?? []).slice(0, -1);
  const rings = [...area.rings.slice(0, -1), ...(ring.length ? [ring] : [])];
  editor.open = ring.length > 0;
  if (rings.length) editor.replace(editor.at, { ...area, rings });
  else editor.remove();
}

/**
 * Keys while a ring is open; they come before those of what is chosen.
 * @param {MarksEditor} editor
 * @param {string} name
 * @returns {boolean} whether it was used
 */
export function pointKey(editor, name) {
  if (name === "Enter") close(editor);
  else if (name === "Escape" || name === "Backspace") takeBack(editor);
  else return false;
  return true;
}

/**
 * A box with the points of the chosen mask in percent, a ring on each line: `10,20 50,20 30,40`.
 * @param {MarksEditor} editor
 */
export function numbersBox(editor) {
  const box = el("textarea", {
    class: "box points",
    rows: "2",
    spellcheck: "false",
    autocomplete: "off",
    hidden: true,
    "aria-label": t("Points of the mask in percent: x,y for each point, one ring per line"),
  });
  box.addEventListener("mousedown", (event) => event.stopPropagation()); // it takes the focus
  for (const event of ["focus", "blur"]) box.addEventListener(event, () => editor.repaint()); // other keys work then
  box.addEventListener("input", () => {
    const area = chosen(editor);
    const rings = ringsIn(box.value);
    if (!area) return;
    if (typeof rings === "string") editor.say(rings);
    else {
      editor.open = false;
      editor.replace(editor.at, { ...area, ...tidyRings(editor, rings) });
    }
  });
  return box;
}

/**
 * What the box shows; what is being typed stays.
 * @param {MarksEditor} editor
 */
export function paintNumbers(editor) {
  const { numbers } = editor;
  if (!numbers) return;
  const area = chosen(editor);
  numbers.hidden = !area;
  if (!area || numbers.matches(":focus")) return;
  numbers.value = area.rings.map((ring) => ring.map((point) => point.map(percent).join(",")).join(" ")).join("\n");
}

/** @param {number} share */
const percent = (share) => String(Math.round(share * 1e6) / 1e4);

/**
 * The rings of a text, or what is wrong with it.
 * @param {string} text
 * @returns {number[][][] | string}
 */
function ringsIn(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const rings = lines.map((line) =>
    line
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split(",").map(numberIn)),
  );
  const points = rings.flat();
  if (!rings.length || points.some((point) => point.length !== 2 || !point.every((each) => each >= 0 && each <= 1)))
    return t(
      "Write each point as two numbers from 0 to 100 with a comma, and put spaces between points: 10,20 50,20 30,40",
    );
  if (rings.some((ring) => ring.length < LEAST)) return t("Add points until the area has at least three.");
  return rings;
}

/** @param {string} text */
const numberIn = (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) / 100 : Number.NaN);
