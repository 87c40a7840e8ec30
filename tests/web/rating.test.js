// A rater's form: one key for each decision, the focus walks on, and what is submitted is what was chosen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RatingForm } from "web/forms/rating.js";
import { criterion, hostOf, options, press } from "./parts.js";

/** @import { Criterion } from "../../app/workbench/web/types" */

/**
 * A form with these criteria on the page.
 * @param {Partial<Criterion>[]} criteria
 * @param {object} [more]
 */
function opened(criteria, more = {}) {
  const host = hostOf();
  const form = new RatingForm(host);
  document.body.replaceChildren(form.root);
  form.open({ criteria: criteria.map(criterion), ...more });
  /** @param {...string} names */
  const keys = (...names) => names.map((name) => form.key(press(name)));
  return { form, host, keys, values: () => form.read().values };
}

/** @param {string} name */
const block = (name) => document.querySelector(`[data-criterion=${name}]`);

test("one key answers a choice, goes on, and the last one submits", () => {
  const { form, host, keys, values } = opened([
    { name: "one", options: options("yes", "no") },
    { name: "two", kind: "scale", options: options(0, 0.5, 1) },
  ]);
  keys("2");
  assert.equal(form.active, "two");
  assert.ok(!host.log.includes("submit"));
  keys("2");
  assert.deepEqual(values(), { one: "no", two: 0.5 });
  assert.equal(host.log.at(-1), "submit");
});

test("a key without an option does nothing", () => {
  const { host, keys, values } = opened([{ options: options("yes", "no") }]);
  assert.deepEqual(keys("3", "9"), [false, false]);
  assert.deepEqual([values(), host.log], [{}, []]);
});

test("a value that is false or 0 is an answer", () => {
  const { form, keys, values } = opened([
    { name: "seen", options: options(true, false) },
    { name: "score", kind: "scale", options: options(0, 1) },
  ]);
  keys("2", "1");
  assert.deepEqual(values(), { seen: false, score: 0 });
  assert.ok(form.check());
});

test("an answer that asks for a reason is open until one is given, and Escape takes it back", () => {
  const reasons = options("blurred", "dark");
  const [yes, no] = options("yes", "no");
  const { form, host, keys, values } = opened([{ options: [yes, { ...no, reasons }] }]);
  keys("2");
  assert.ok(!host.log.includes("submit"));
  assert.equal(form.check(), false);
  keys("Escape");
  assert.deepEqual(values(), {});
  keys("2", "1");
  assert.deepEqual(form.read(), { values: { c: "no" }, reasons: { c: "blurred" } });
  assert.equal(host.log.at(-1), "submit");
});

test("another answer forgets the reason of the one before", () => {
  const [yes, no, partly] = options("yes", "no", "partly");
  const { form, keys } = opened([
    { options: [yes, { ...no, reasons: options("dark") }, { ...partly, reasons: options("far") }] },
  ]);
  keys("2", "1", "3");
  assert.deepEqual(form.raw(), { values: { c: "partly" }, reasons: {} });
  assert.equal(form.check(), false);
  form.choose("c", "yes");
  assert.deepEqual(form.read(), { values: { c: "yes" }, reasons: {} });
});

test("the key behind the options skips, with its reason", () => {
  const skip = { label: "Skip", reasons: options("none_fits", "unclear") };
  const { form, keys } = opened([{ options: options("a", "b"), skip }]);
  keys("3", "2");
  assert.deepEqual(form.read(), { values: { c: null }, reasons: { c: "unclear" } });
});

test("a criterion that depends on another is asked, checked and sent only then", () => {
  const { form, keys, values } = opened([
    { name: "ok", options: options("yes", "no") },
    { name: "why", options: options("dark", "cut"), show_if: { ok: ["no"] } },
  ]);
  assert.equal(block("why")?.hasAttribute("hidden"), true);
  keys("2");
  assert.equal(block("why")?.hasAttribute("hidden"), false);
  keys("1");
  assert.deepEqual(values(), { ok: "no", why: "dark" });
  form.choose("ok", "yes");
  assert.deepEqual(values(), { ok: "yes" });
  assert.ok(form.check());
});

test("a rule between answers is said at the answer that breaks it", () => {
  const rule = { rule: "less_than", of: ["low", "high"], when: {}, say: "Low has to be below high.", absence: false };
  const { form, keys } = opened(
    [
      { name: "low", kind: "scale", options: options(1, 2, 3) },
      { name: "high", kind: "scale", options: options(1, 2, 3) },
    ],
    { rules: [{ ...rule, numbers: true }] },
  );
  keys("3", "1");
  assert.equal(form.check(), false);
  assert.match(String(block("high")?.textContent), /Low has to be below high/);
  form.choose("high", 3);
  assert.equal(form.check(), false);
  form.choose("low", 2);
  assert.ok(form.check());
});

test("what a rule asks for is said from the first try to send, for as long as it is missing", () => {
  const rule = { rule: "required_when", of: ["why"], when: { right: ["no"] }, say: "Say why not.", absence: true };
  const { form } = opened(
    [
      { name: "right", options: options("yes", "no") },
      { name: "why", options: options("dark", "odd"), required: false },
    ],
    { rules: [{ ...rule, numbers: false }] },
  );
  const said = () => block("why")?.querySelector(".error")?.textContent;
  form.choose("right", "no");
  assert.equal(said(), "", "no one has tried to send it");
  assert.equal(form.check(), false);
  assert.equal(said(), "Say why not.");
  assert.equal(form.active, "why");
  form.choose("right", "yes");
  assert.equal(said(), "");
  form.choose("right", "no");
  assert.equal(said(), "Say why not.");
  form.choose("why", "dark");
  assert.equal(said(), "");
  assert.ok(form.check());
});

test("what is missing is said on trying to send, and the first of them is active", () => {
  const { form, keys } = opened([
    { name: "one", options: options("a") },
    { name: "two", options: options("b") },
    { name: "note", kind: "text", required: false },
  ]);
  keys("ArrowDown");
  assert.equal(form.active, "two");
  assert.equal(form.check(), false);
  assert.equal(form.active, "one");
  assert.deepEqual(Object.keys(form.errors), ["one", "two"]);
});

test("several of several: keys switch, none is an answer of its own, and Enter goes on", () => {
  const { host, keys, values } = opened([
    { kind: "multi_choice", options: options("a", "b", "cannot_tell"), none: "none", cannot_tell: "unclear" },
  ]);
  keys("2", "1", "2");
  assert.deepEqual(values(), { c: ["a"] });
  keys("3");
  assert.deepEqual(values(), { c: ["cannot_tell"] });
  keys("2", "1");
  assert.deepEqual(values(), { c: ["a", "b"] }); // in the order of the options, not of the keys
  assert.ok(!host.log.includes("submit"));
  keys("Enter");
  assert.equal(host.log.at(-1), "submit");
  keys("4");
  assert.deepEqual(values(), { c: [] });
});

test("several of several: fewer or more than allowed are not sent", () => {
  const { form, host, keys } = opened([{ kind: "multi_choice", options: options("a", "b", "d"), min: 1, max: 2 }]);
  keys("Enter");
  assert.match(form.errors.c, /at least 1 answer/);
  keys("1", "2", "3", "Enter");
  assert.match(form.errors.c, /Choose at most 2 answers. You chose 3/);
  assert.ok(!host.log.includes("submit"));
});

test("an order: a digit gives the next place, once more takes it back, and the last one left falls into place", () => {
  const { host, keys, values } = opened([{ kind: "ordering", options: options("x", "y", "z") }]);
  keys("3", "1", "3", "3");
  assert.deepEqual(values(), { c: ["x", "z"] });
  keys("Enter");
  assert.deepEqual(values(), { c: ["x", "z", "y"] });
  assert.equal(host.log.at(-1), "submit");
});

test("an order: an entry is picked up, moved and put down", () => {
  const { keys, values } = opened([{ kind: "ordering", options: options("x", "y", "z") }]);
  keys(" ", "ArrowDown", "ArrowDown", " ", "Enter");
  assert.deepEqual(values(), { c: ["y", "z", "x"] });
});

test("a property list: each key answers the marked one and marks the next", () => {
  const said = options("yes", "no");
  const { form, host, keys, values } = opened([{ kind: "property_list", options: options("red", "round"), said }]);
  keys("1", "Enter");
  assert.match(form.errors.c, /Entries without an answer: 1/);
  keys("2");
  assert.deepEqual(values(), {
    c: [
      { name: "red", value: "yes" },
      { name: "round", value: "no" },
    ],
  });
  assert.equal(host.log.at(-1), "submit");
});

/**
 * A text is typed into the box of a criterion.
 * @param {string} text
 */
function type(text) {
  const box = /** @type {HTMLInputElement} */ (document.querySelector(".criterion .box"));
  box.value = text;
  box.dispatchEvent(new Event("input"));
  return box;
}

for (const [text, value, wrong] of /** @type {[string, unknown, RegExp | null][]} */ ([
  ["7", 7, null],
  ["2,5", 2.5, null],
  ["-1", -1, /At least 0/],
  ["10.5", 10.5, /At most 10/],
  ["2.25", 2.25, /steps of 0.5/],
  ["seven", "seven", /Enter a number, such as/],
  ["1e", "1e", /Enter a number, such as/],
  ["", undefined, /Enter a number\./],
]))
  test(`a number: “${text}”`, () => {
    const { form, host } = opened([{ kind: "number", min: 0, max: 10, step: 0.5 }]);
    const box = type(text);
    assert.deepEqual(form.raw().values.c, value);
    form.boxKey(press("Enter"), box);
    assert.equal(host.log.includes("submit"), wrong === null);
    if (wrong) assert.match(form.errors.c, wrong);
  });

test("a text: blanks are no answer", () => {
  const { form } = opened([{ kind: "text" }]);
  type("   ");
  assert.equal(form.check(), false);
  type("a mug");
  assert.ok(form.check());
  assert.deepEqual(form.read().values, { c: "a mug" });
});

test("spans are counted in characters, also behind emoji and combined letters", () => {
  const { host, keys, values } = opened([{ kind: "spans", of: "prediction", options: options("wrong", "vague") }], {
    texts: { prediction: "🥄🥄 grasp the mug" },
  });
  keys("ArrowRight");
  keys("1");
  assert.deepEqual(values(), { c: [{ start: 3, end: 8, tag: "wrong" }] });
  keys("1");
  assert.deepEqual(values(), { c: [] });
  keys("2", "Enter");
  assert.deepEqual(values(), { c: [{ start: 3, end: 8, tag: "vague" }] });
  assert.equal(host.log.at(-1), "submit");
});

test("a draft opens as it was left, on the first question that is still open", () => {
  const { form, keys, values } = opened(
    [
      { name: "one", options: options("a", "b") },
      { name: "two", options: options("a", "b") },
    ],
    { answers: { values: { one: "b" }, reasons: {} } },
  );
  assert.equal(form.active, "two");
  keys("1");
  assert.deepEqual(values(), { one: "b", two: "a" });
});

test("a draft with the answer false goes on behind it", () => {
  const { form } = opened(
    [
      { name: "seen", options: options(true, false) },
      { name: "two", options: options("a") },
    ],
    { answers: { values: { seen: false }, reasons: {} } },
  );
  assert.equal(form.active, "two");
});

test("options of the item take the place of those of the schema", () => {
  const { keys, values } = opened([{ kind: "option_of", options: [] }], { options: { c: options("mug", "cup") } });
  keys("2");
  assert.deepEqual(values(), { c: "cup" });
});

test("what the server found is said at its criterion, and the rest is given back", () => {
  const { form } = opened([{ name: "one", options: options("a") }]);
  const rest = form.problems([
    { name: "one", message: "Not this." },
    { name: "elsewhere", message: "Nor that." },
  ]);
  assert.deepEqual(rest, ["Nor that."]);
  assert.match(String(block("one")?.textContent), /Not this/);
});
