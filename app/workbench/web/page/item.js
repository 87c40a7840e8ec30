// The item that is asked about: its dimension, the fields that its stage shows, and a model's answer.

import { el, shown } from "../dom.js";
import { FIELDS, KINDS } from "../kinds/index.js";
import { ofVotes } from "../marks/tones.js";
import { t } from "../words.js";

/** @import { Child, Field, Shown, Static, Task } from "../types" */

const LONG_TEXT = 240;
const LONG_ANSWER = 400;

/**
 * @param {Static} fixed
 * @param {Task} task
 * @param {number | null} toWrite how many items its dimension still needs, for authors
 * @returns {Child[]}
 */
export function itemParts(fixed, task, toWrite) {
  const authoring = fixed.stage.name === "authoring";
  const parts = [about(fixed, task, authoring ? toWrite : null)];
  return authoring ? parts : [...parts, ...fieldsOf(fixed, task), answerOf(task), answersOf(task)];
}

/**
 * @param {Static} fixed
 * @param {Task} task
 * @param {number | null} toWrite
 */
function about(fixed, task, toWrite) {
  const dimension = fixed.dimensions[task.dimension] || { title: task.dimension, definition: null };
  return el(
    "div",
    { class: "dimension" },
    el("strong", {}, dimension.title),
    dimension.definition ? el("span", {}, dimension.definition) : null,
    toWrite === null
      ? null
      : el(
          "span",
          { class: "towrite" },
          toWrite ? t("{toWrite} still to write here", { toWrite }) : t("nothing more to write here"),
        ),
  );
}

/**
 * The fields, and below them in one line those that came with the item and need not be there.
 * @param {Static} fixed
 * @param {Task} task
 * @returns {Child[]}
 */
function fieldsOf(fixed, task) {
  const asOptions = new Set(
    fixed.criteria.filter(({ kind }) => KINDS[kind].showsField).map((criterion) => criterion.field),
  );
  // Marks are on the image.
  const seen = fixed.fields.filter(
    (field) => !asOptions.has(field.name) && field.name in task.fields && !FIELDS[field.kind].drawn,
  );
  const aside = seen.filter((field) => !field.authored && !field.required);
  const meta = aside.map((field) => inLine(field, task.fields[field.name])).filter(Boolean);
  return [
    seen.filter((field) => !aside.includes(field)).map((field) => inFull(field, task.fields[field.name])),
    meta.length ? el("div", { class: "meta" }, meta.join(" · ")) : null,
  ];
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function inLine(field, value) {
  if (value === null || value === "") return null;
  const said = told(field, value);
  return `${field.title}: ${typeof said === "object" ? JSON.stringify(said) : said}`;
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
function inFull(field, value) {
  const long = typeof value === "string" && value.length > LONG_TEXT;
  return el(
    "div",
    { class: "shown", data: { field: field.name } },
    el("div", { class: "term" }, field.title),
    el("div", { class: long ? "value long" : "value" }, shown(told(field, value))),
  );
}

/**
 * @param {Field} field
 * @param {unknown} value
 */
const told = (field, value) => FIELDS[field.kind].told?.(field, value) ?? value;

/** @param {Task} task */
function answerOf({ answer, place }) {
  if (answer === null || answer === undefined) return null;
  return el(
    "div",
    { class: "shown answer" },
    el(
      "div",
      { class: "term" },
      t("Answer"),
      place && place[1] > 1
        ? el("span", { class: "quiet" }, t("answer {n} of {of}", { n: place[0], of: place[1] }))
        : null,
    ),
    el(
      "div",
      { class: answer.length > LONG_ANSWER ? "value long" : "value" },
      answer || el("span", { class: "quiet" }, t("The answer is empty.")),
    ),
  );
}

/** @param {Task} task */
function answersOf({ answers }) {
  if (!answers) return null;
  const sides = [t("Left"), t("Right")].map((title, at) =>
    el(
      "div",
      { class: "shown answer", data: { side: ["left", "right"][at] } },
      el("div", { class: "term" }, title),
      el(
        "div",
        { class: valueClass(answers) },
        answers[at] || el("span", { class: "quiet" }, t("The answer is empty.")),
      ),
    ),
  );
  return el("div", { class: "sides" }, sides);
}

/**
 * Both have the letters of the longer one, so that its length alone makes none look better.
 * @param {string[]} answers
 */
const valueClass = (answers) => (answers.some((each) => each.length > LONG_ANSWER / 2) ? "value long" : "value");

/**
 * What the item's own fields and the votes have drawn on its images.
 * @param {Static} fixed
 * @param {Task} task
 * @returns {Shown[]}
 */
export function drawnOn(fixed, task) {
  if (fixed.stage.name === "authoring") return [];
  const own = fixed.fields
    .filter(({ kind }) => FIELDS[kind].drawn)
    .map(({ kind, name, role, options, drawing, cover }) => ({
      role,
      options,
      value: task.fields[name],
      tone: drawing?.tone ?? "",
      tint: drawing?.tint,
      filled: FIELDS[kind].filled || cover ? drawing?.grey : undefined,
      cover,
    }));
  const drawn = fixed.vote_criteria.filter(({ kind }) => KINDS[kind].drawn);
  return [...own, ...ofVotes(drawn, task.votes)];
}
