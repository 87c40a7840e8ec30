// What the tests of forms share: a page around them, criteria and fields with the values that the server always sends.

/** @import { Criterion, Field, Host } from "../../app/workbench/web/types" */

/**
 * A host that writes down what it is told.
 * @returns {Host & { log: string[] }}
 */
export function hostOf() {
  /** @type {string[]} */
  const log = [];
  const media = { frames: [], editor: null, edit() {}, repaint() {}, forget() {} };
  return {
    log,
    media: /** @type {any} */ (media),
    change: () => log.push("change"),
    submit: () => log.push("submit"),
    unseen: () => false,
    say: (words) => log.push(`say ${words}`),
    blur: () => log.push("blur"),
  };
}

/**
 * @param {Partial<Criterion>} own
 * @returns {Criterion}
 */
export const criterion = (own) => ({
  name: "c",
  kind: "choice",
  prompt: "What is it?",
  help: null,
  field: null,
  options: [],
  aspects: [],
  dimensions: null,
  required: true,
  show_if: {},
  skip: null,
  ...own,
});

/**
 * @param {Partial<Field>} own
 * @returns {Field}
 */
export const field = (own) => ({
  name: "f",
  title: "Field",
  kind: "text",
  help: null,
  required: true,
  field: null,
  options: [],
  by_dimension: {},
  formed: null,
  only: null,
  distinct: false,
  options_title: null,
  length: null,
  min: null,
  max: null,
  authored: true,
  language: null,
  wording: false,
  ...own,
});

/** @param {(string | number | boolean)[]} values */
export const options = (...values) =>
  values.map((value) => ({ value, label: `the ${value}`, help: null, reasons: /** @type {any[]} */ ([]) }));

/**
 * A key as the browser tells of it.
 * @param {string} name
 * @param {KeyboardEventInit} [more]
 */
export const press = (name, more = {}) =>
  new KeyboardEvent("keydown", {
    key: name,
    code: /^\d$/.test(name) ? `Digit${name}` : "",
    bubbles: true,
    cancelable: true,
    ...more,
  });

/**
 * The part of a page that stays.
 * @param {object} own
 */
export const staticOf = (own = {}) => ({
  hash: "still",
  project: { name: "p", title: "Kitchen", made_up: false },
  stage: { name: "verification", title: "Verify" },
  dimensions: { d: { title: "Counting", definition: null, group: null } },
  guideline: "# Look first",
  guideline_hash: "g",
  schema_hash: "s",
  fields: [],
  slots: [],
  field_rules: [],
  criteria: [criterion({ name: "choice", options: options("a", "b") })],
  rules: [],
  vote_criteria: [],
  adjudication: null,
  ...own,
});

/**
 * @param {string} id
 * @param {object} own
 */
export const taskOf = (id, own = {}) => ({
  id,
  item: `item-${id}`,
  dimension: "d",
  revision: 1,
  fields: {},
  assets: [],
  options: {},
  plans: {},
  lease_until: new Date(Date.now() + 30 * 60 * 1000).toISOString(),
  draft: null,
  postponed: false,
  proposed: false,
  answer: null,
  answers: null,
  place: null,
  votes: [],
  vote_criteria: [],
  history: [],
  news: null,
  ...own,
});

/**
 * A page with a task, as the server sends it.
 * @param {object} task
 * @param {object} own
 */
export const pageOf = (task, own = {}) => ({
  view: "task",
  person: 7,
  csrf: "csrf",
  static_hash: "still",
  static: null,
  progress: { done: 3, left: 9, kept: 1, decided: 2 },
  notes: [],
  now: new Date(Date.now()).toISOString(),
  menu: [],
  task,
  prefetch: null,
  earlier: [],
  to_write: null,
  upcoming: null,
  ...own,
});
