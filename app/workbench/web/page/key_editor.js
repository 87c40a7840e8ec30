// People choose their own keys for a stage. A key that is taken is refused with the reason, before anything is saved.

import { el, fill } from "../dom.js";
import { Gone, post, Refused } from "../http.js";
import { KEYS } from "../kinds/keys.js";
import { chosenKeys, pressedKey, printKeys, useKeys } from "../own_keys.js";
import { t } from "../words.js";
import { rowsOf } from "./key_rows.js";

/** @import { Bench } from "./bench.js" */

const SIGN = /^[\p{L}\p{N}\p{P}\p{S}]$/u;
const FIXED = [...",.<>+-=[]?/'"]; // of the page, or of browsers

/** @typedef {{ id: string, usual: string, what: string }} Action what a key can be chosen for */

/**
 * @param {Bench} bench
 * @param {() => void} done what follows when the keys are saved or left
 */
export function openKeyEditor(bench, done) {
  const actions = actionsOf(bench);
  const fixed = fixedKeys(bench, actions);
  /** @type {Record<string, string>} */
  let keys = chosenKeys();
  /** @type {string | null} */
  let waiting = null; // the action whose new key is about to be pressed

  const say = el("p", { class: "error", role: "alert" });
  const table = el("tbody");
  const save = button(t("Save keys"), "submit", () => send(bench, keys, say, done));
  const reset = button(t("Reset"), "small", () => {
    keys = {};
    waiting = null;
    paint();
  });

  const paint = () => {
    const wrong = conflicts(actions, keys, fixed);
    fill(
      table,
      actions.map(({ id, usual, what }) => {
        const pressing = waiting === id;
        const press = () => {
          waiting = pressing ? null : id;
          paint();
        };
        const name = pressing ? t("Press a key") : printed(keys[id] ?? usual);
        const change = button(name, pressing ? "small on" : "small", press);
        change.setAttribute(
          "aria-label",
          pressing ? t("Press the new key for: {what}", { what }) : t("Change {name}: {what}", { name, what }),
        );
        change.dataset.action = id;
        const why = wrong.get(id);
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, change),
          el("td", {}, what, why ? el("p", { class: "error" }, why) : null),
        );
      }),
    );
    save.disabled = wrong.size > 0;
    say.hidden = true;
    const at = waiting ?? last;
    const button_ = at ? table.querySelector(`[data-action="${CSS.escape(at)}"]`) : null;
    if (button_ instanceof HTMLElement) button_.focus();
  };
  /** @type {string | null} */
  let last = null;

  bench.overlay.open(t("Change keys"), [
    el(
      "p",
      { class: "quiet" },
      t("Press a button, then the new key. Your keys apply to this stage on all your computers."),
    ),
    el("table", { class: "keyeditor" }, table),
    say,
    el("p", { class: "buttons" }, save, reset, button(t("Cancel"), "small", done)),
  ]);
  bench.overlay.capture = (event) => {
    if (waiting === null) return false;
    if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return true;
    last = waiting;
    const key = pressedKey(event);
    waiting = null;
    if (event.key === "Escape" || event.key === "Tab") {
      paint();
      return event.key === "Escape";
    }
    const allowed = SIGN.test(key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (allowed) {
      const action = actions.find(({ id }) => id === last);
      if (action && action.usual.toLowerCase() === key) delete keys[action.id];
      else if (last) keys[last] = key;
    }
    paint();
    if (!allowed) {
      say.textContent = t("Browsers and screen readers use this key. Choose a letter, a digit or a symbol.");
      say.hidden = false;
    }
    return true;
  };
  paint();
}

/**
 * @param {string} label
 * @param {string} kind
 * @param {() => void} press
 */
const button = (label, kind, press) => el("button", { type: "button", class: kind, on: { click: press } }, label);

/**
 * @param {Bench} bench
 * @param {Record<string, string>} keys
 * @param {HTMLElement} say
 * @param {() => void} done
 */
async function send(bench, keys, say, done) {
  try {
    await post("/api/keys", bench.page.csrf, { stage: bench.stage, keys });
  } catch (error) {
    if (!(error instanceof Gone || error instanceof Refused)) throw error;
    say.textContent =
      error instanceof Refused
        ? error.message
        : t("The keys are not saved, because the server does not answer. Try again.");
    say.hidden = false;
    return;
  }
  useKeys(keys);
  printKeys(bench.root);
  const { current } = bench.forms;
  if (current === bench.forms.rating) bench.forms.rating.paint();
  if (say.isConnected) done();
}

/**
 * What keys can be chosen for on this page.
 * @param {Bench} bench
 * @returns {Action[]}
 */
function actionsOf(bench) {
  const { fixed, side, stage, task } = bench;
  const most = Math.min(9, choicesOf(bench));
  const choices = KEYS.slice(0, most).map((usual, at) => ({
    id: usual,
    usual,
    what: t("choice {number}", { number: at + 1 }),
  }));
  const skips = fixed.criteria.some(({ skip }) => skip);
  /** @type {(Action | null)[]} */
  const rest = [
    skips ? { id: "Skip", usual: t("number"), what: t("skip") } : null,
    { id: "Submit", usual: "Enter", what: t("submit (Enter and Ctrl Enter also submit)") },
    letter("g", t("guideline")),
    stage === "adjudication" ? letter("h", t("item history")) : letter("u", t("edit your last answer")),
    stage === "refinement" ? letter("e", t("edit the item")) : null,
    letter("n", t("note")),
    ...side.parts.map((part) => (task && part.isOffered(task) ? letter(part.key, part.title) : null)),
    stage === "authoring" ? null : letter("l", t("later")),
    letter("b", t("give back")),
    letter("z", t("enlarge the image")),
    letter("i", t("images side by side")),
    letter("t", t("text size")),
    letter("m", t("menu")),
  ];
  return [...choices, ...rest.filter((each) => each !== null)];
}

/** @param {string} key */
const printed = (key) => (key.length === 1 ? key.toUpperCase() : key);

/**
 * @param {string} usual
 * @param {string} what
 * @returns {Action}
 */
const letter = (usual, what) => ({ id: usual, usual, what });

/**
 * The most choices that are offered at once.
 * @param {Bench} bench
 */
function choicesOf({ fixed, task }) {
  const asked = fixed.criteria.map(({ name, options, skip }) => {
    const none = skip ? 1 : 0;
    return (task?.options[name] ?? options).length + none;
  });
  const causes = fixed.adjudication ? Math.max(3, fixed.adjudication.reasons.length) : 0;
  return Math.max(2, causes, ...asked, ...fixed.fields.map(({ options }) => options.length));
}

/**
 * Keys that keep their meaning, with that meaning.
 * @param {Bench} bench
 * @param {Action[]} actions
 */
function fixedKeys(bench, actions) {
  const open = new Set(actions.map(({ id }) => id));
  /** @type {Map<string, string>} */
  const fixed = new Map(FIXED.map((key) => [key, t("images and clips, or the browser")]));
  for (const [names, what] of rowsOf(bench)) {
    const single = names.split(" ").filter((name) => name.length === 1 && SIGN.test(name));
    for (const name of single) if (!open.has(name.toLowerCase())) fixed.set(name.toLowerCase(), what);
  }
  for (const key of KEYS.slice(9, choicesOf(bench)))
    fixed.set(key, t("choice {value}", { value: KEYS.indexOf(key) + 1 }));
  for (const key of KEYS.slice(0, 9)) if (open.has(key)) fixed.delete(key);
  return fixed;
}

/**
 * Why keys cannot stay as they are, by action.
 * @param {Action[]} actions
 * @param {Record<string, string>} keys
 * @param {Map<string, string>} fixed
 * @returns {Map<string, string>}
 */
export function conflicts(actions, keys, fixed) {
  const used = actions.map((action) => ({ ...action, key: keys[action.id] ?? action.usual }));
  /** @type {Map<string, string>} */
  const wrong = new Map();
  for (const { id, key, what } of used) {
    if (keys[id] === undefined) continue;
    const other = used.find((each) => each.id !== id && each.key === key);
    const taken = fixed.get(key);
    const name = key.toUpperCase();
    if (other)
      wrong.set(
        id,
        t("“{name}” is also the key for “{what}”. Give “{other}” or “{what}” another key.", {
          name,
          what: other.what,
          other: what,
        }),
      );
    else if (taken) wrong.set(id, t("“{name}” is always the key for “{taken}”. Choose another key.", { name, taken }));
  }
  return wrong;
}
