// What each key does on a page: for the list of keys, and for people who choose their own.

import { el, key } from "../dom.js";
import { FIELDS, KINDS } from "../kinds/index.js";
import { KEYS } from "../kinds/keys.js";
import { isChosen } from "../own_keys.js";
import { t } from "../words.js";

/** @import { KeyRow as Row } from "../types" */
/** @import { Bench } from "./bench.js" */

/** @param {Row[]} rows */
export function keyTables(rows) {
  const row = (/** @type {Row} */ [names, what]) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        names.split(" ").map((name) => key(name)),
      ),
      el("td", {}, what),
    );
  const table = (/** @type {Row[]} */ part) => el("table", {}, el("tbody", {}, part.map(row)));
  const half = rows.length > 16 ? Math.ceil(rows.length / 2) : rows.length;
  return el(
    "div",
    { class: "keylist" },
    table(rows.slice(0, half)),
    half < rows.length ? table(rows.slice(half)) : null,
  );
}

/** The kinds of controls that the page has. @param {Bench} bench */
function controlsOf({ fixed, stage }) {
  const fields = stage === "authoring" ? fixed.fields : [];
  return new Set([...fixed.criteria.map(({ kind }) => KINDS[kind]), ...fields.map(({ kind }) => FIELDS[kind])]);
}

/**
 * The rows of the page that is open.
 * @param {Bench} bench
 */
export function rowsOf(bench) {
  const controls = [...controlsOf(bench)];
  const own = controls.flatMap(({ keys = [] }) => keys);
  const taken = controls.flatMap(({ takes = [] }) => takes);
  const parts = bench.side.parts.map(({ key, help }) => /** @type {Row} */ ([key.toUpperCase(), help]));
  return keyRows(bench.page.view, bench.stage, own, taken, parts);
}

/** The keys of the first nine choices. */
const numbers = () => (KEYS.slice(0, 9).some(isChosen) ? KEYS.slice(0, 9).join(" ") : "1 … 9");

/**
 * What the keys do on a page, as rows of names and meaning.
 * @param {string} view
 * @param {string} stage
 * @param {Row[]} own the keys of what is asked on it
 * @param {string[]} taken the keys that some of that takes from the media while it is active
 * @param {Row[]} parts the keys of what extensions add below the form
 * @returns {Row[]}
 */
export function keyRows(view, stage, own = [], taken = [], parts = []) {
  const writing = stage === "authoring";
  const otherwise = (/** @type {string} */ name) =>
    taken.includes(name) ? t(", unless you are setting a time span") : "";
  /** @type {Row[]} */
  const rows = [];
  if (view === "pool")
    rows.push(
      ["← ↑ → ↓", t("move in the grid")],
      ["Enter", t("write about this image")],
      ["PgUp PgDn", t("pages")],
      ["1 … 9", t("dimension")],
    );
  if (view === "task") {
    if (writing)
      rows.push(
        ["Enter", t("next field")],
        ["Tab", t("next field or choice")],
        ["Esc", t("leave the text box, so that the keys below work")],
        ["1 … 9", t("choose the option by number")],
      );
    else
      rows.push(
        [numbers(), t("choose by number")],
        ["↑ ↓", t("previous or next criterion")],
        ["Esc", t("leave the reasons or the text box")],
      );
    rows.push(
      ["Ctrl Enter", t("submit from anywhere")],
      ["Z", t("enlarge or shrink, show all images; arrows move, + − zoom")],
      ["← →", t("previous image, next image ( [ ] while enlarged )")],
      ["I", t("images side by side, or one at a time{value}", { value: otherwise("I") })],
      [", .", t("one frame back, one frame forward")],
      ["Home End", t("first frame, last frame")],
      ["Space", t("play, pause")],
      ["< >", t("slower, faster")],
      ["O", t("repeat, or stop at the end{value}", { value: otherwise("O") })],
    );
    rows.push(...own);
  }
  rows.push(["G", t("guideline")]);
  if (stage !== "adjudication") rows.push(["U", t("edit your last answer")]);
  if (view === "task") rows.push(["N", t("note")], ...parts);
  if (view === "task" && stage === "adjudication") rows.push(["H", t("full history of the item")]);
  if (view === "task" && !writing)
    rows.push(["L", t("later: the item stays yours for half an hour and returns after the others")]);
  if (view === "task")
    rows.push([
      "B",
      writing
        ? t("give the image back; your text is kept")
        : t("give back: others can take the item now; your text is kept"),
    ]);
  if (view === "task") rows.push(["Tab", t("select the divider between media and form; ← → move it, Enter resets it")]);
  rows.push(["T", t("larger text; with Shift, smaller")], ["M", t("menu")], ["?", t("this list")]);
  return rows;
}
