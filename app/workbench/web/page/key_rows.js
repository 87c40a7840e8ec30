// What each key does on a page: for the list of keys, and for people who choose their own.

import { el, key } from "../dom.js";
import { FIELDS, KINDS } from "../kinds/index.js";
import { KEYS } from "../kinds/keys.js";
import { isChosen } from "../own_keys.js";

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
  const otherwise = (/** @type {string} */ name) => (taken.includes(name) ? ", while no span of time is set" : "");
  /** @type {Row[]} */
  const rows = [];
  if (view === "pool")
    rows.push(
      ["← ↑ → ↓", "move in the grid"],
      ["Enter", "write about this image"],
      ["PgUp PgDn", "pages"],
      ["1 … 9", "dimension"],
    );
  if (view === "task") {
    if (writing)
      rows.push(
        ["Enter", "next field"],
        ["Tab", "next field or choice"],
        ["Esc", "leave the box; then the keys below work"],
        ["1 … 9", "the option with that number"],
      );
    else
      rows.push(
        [numbers(), "the choice with that number"],
        ["↑ ↓", "to the criterion above or below"],
        ["Esc", "back from the reasons, out of a box"],
      );
    rows.push(
      ["Ctrl Enter", "submit, from anywhere"],
      ["Z", "larger and back, all images together; arrows move, + − zoom"],
      ["← →", "image before, image after ( [ ] while enlarged )"],
      ["I", `images side by side, or one at a time${otherwise("I")}`],
      [", .", "exactly one frame back, one frame on"],
      ["Home End", "first frame, last frame"],
      ["Space", "play, pause"],
      ["< >", "slower, faster"],
      ["O", `loop, or stop at the end${otherwise("O")}`],
    );
    rows.push(...own);
  }
  rows.push(["G", "guideline"]);
  if (stage !== "adjudication") rows.push(["U", "edit your last answer"]);
  if (view === "task") rows.push(["N", "note"], ...parts);
  if (view === "task" && stage === "adjudication") rows.push(["H", "the item's whole history"]);
  if (view === "task" && !writing)
    rows.push(["L", "later: it stays yours for half an hour and comes again after the rest"]);
  if (view === "task")
    rows.push([
      "B",
      writing ? "give the image back; your text is kept" : "give back: others get it at once; your text is kept",
    ]);
  if (view === "task") rows.push(["Tab", "to the bar between media and form; ← → move it, Enter puts it back"]);
  rows.push(["T", "larger text; with Shift smaller"], ["M", "menu"], ["?", "this list"]);
  return rows;
}
