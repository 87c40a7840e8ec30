// An author's form: how each kind of field is filled in, what is said while someone writes, and what is submitted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FieldForm } from "web/forms/fields.js";
import { placesOf } from "web/kinds/formed.js";
import { field, hostOf, options, press } from "./parts.js";

/** A form with these fields on the page. */
function opened(fields, more = {}) {
  const form = new FieldForm(hostOf());
  document.body.replaceChildren(form.root);
  form.open({ fields: fields.map(field), dimension: "d", ...more });
  return form;
}

/** The boxes of a field. */
const boxes = (name) => [...document.querySelectorAll(`[data-field=${name}] textarea`)];

function type(name, text, at = 0) {
  const box = /** @type {HTMLTextAreaElement} */ (boxes(name)[at]);
  box.focus();
  box.value = text;
  box.dispatchEvent(new Event("input"));
  return box;
}

const error = (name) => {
  const found = document.querySelector(`[data-field=${name}] .error`);
  return found?.hasAttribute("hidden") ? "" : (found?.textContent ?? "");
};

for (const [kind, text, value] of [
  ["text", "  a mug  ", "a mug"],
  ["long_text", "one\ntwo\n", "one\ntwo"],
  ["integer", "+12", 12],
  ["integer", "007", 7],
  ["decimal", " 2.50 ", "2.50"], // as it was typed
  ["json", '{"a": [1]}', { a: [1] }],
])
  test(`${kind}: ${JSON.stringify(text)} is submitted as ${JSON.stringify(value)}`, () => {
    const form = opened([{ kind }]);
    type("f", text);
    assert.ok(form.check(), error("f"));
    assert.deepEqual(form.read(), { f: value });
  });

for (const [kind, text, wrong] of [
  ["integer", "2.5", /whole number/],
  ["integer", "two", /whole number/],
  ["decimal", "two", /number/],
  ["json", "{a: 1}", /valid JSON/],
  ["text", "   ", /required/],
])
  test(`${kind}: “${text}” is not submitted`, () => {
    const form = opened([{ kind }]);
    type("f", text);
    assert.equal(form.check(), false);
    assert.match(error("f"), wrong);
  });

test("a text is told its length as it grows, and too short a one only once it was left", () => {
  const form = opened([{ min: 3, max: 5 }]);
  const box = type("f", "ab");
  assert.equal(error("f"), "");
  box.dispatchEvent(new Event("blur"));
  assert.match(error("f"), /at least 3 characters. The text has 2/);
  type("f", "abcdef");
  assert.match(error("f"), /at most 5 characters. The text has 6/);
  type("f", "abcd");
  assert.ok(form.check());
});

test("an optional field that is empty is left out", () => {
  const form = opened([{ name: "a" }, { name: "b", required: false }]);
  type("a", "x");
  assert.ok(form.check());
  assert.deepEqual(form.read(), { a: "x" });
});

test("a list of four has four boxes, and none may be empty or the same as another", () => {
  const form = opened([{ kind: "text_list", length: 4, distinct: true }]);
  assert.equal(boxes("f").length, 4);
  for (const [at, text] of ["mug", "cup", "Mug "].entries()) type("f", text, at);
  assert.match(error("f"), /“mug” is in the list twice/i);
  type("f", "jar", 2);
  assert.equal(form.check(), false);
  assert.match(error("f"), /needs 4 entries, but 3 are filled in/);
  type("f", "pot", 3);
  assert.ok(form.check());
  assert.deepEqual(form.read(), { f: ["mug", "cup", "jar", "pot"] });
});

test("Enter goes from box to box, and not out of a long text", () => {
  const form = opened(
    [
      { kind: "text_list", length: 2 },
      { name: "why", kind: "long_text" },
    ].map((each) => each),
  );
  const [first, second] = boxes("f");
  first.focus();
  assert.equal(form.boxKey(press("Enter"), first), true);
  assert.equal(document.activeElement, second);
  form.boxKey(press("Enter"), second);
  assert.equal(document.activeElement, boxes("why")[0]);
  assert.equal(form.boxKey(press("Enter"), boxes("why")[0]), false);
});

test("the key is picked among the options as they are written now", () => {
  const form = opened([
    { name: "options", kind: "text_list", length: 2, options_title: null },
    { name: "key", kind: "option_of", field: "options", none: "none of these" },
  ]);
  assert.match(String(document.querySelector("[data-field=key]")?.textContent), /Fill in the options first/);
  type("options", "mug", 0);
  type("options", "cup", 1);
  form.key(press("2"));
  assert.deepEqual(form.read().key, "cup");
  type("options", "jar", 1);
  assert.equal(form.check(), false);
  assert.match(error("key"), /“cup” is not one of the options/);
  form.key(press("3"));
  assert.deepEqual(form.read(), { options: ["mug", "jar"], key: "none_of_these" });
});

test("several are picked, and an order needs a place for each", () => {
  const list = { name: "steps", kind: "text_list", length: 3 };
  const values = { steps: ["boil", "pour", "stir"] };
  const several = opened([list, { name: "key", kind: "options_of", field: "steps" }], { values });
  for (const name of ["3", "1", "3"]) several.key(press(name));
  assert.deepEqual(several.read().key, ["boil"]);
  const order = opened([list, { name: "key", kind: "order_of", field: "steps" }], { values });
  for (const name of ["3", "1"]) order.key(press(name));
  assert.equal(order.check(), false);
  assert.match(error("key"), /Give every entry a position/);
  order.key(press("2"));
  assert.ok(order.check());
  assert.deepEqual(order.read().key, ["stir", "boil", "pour"]);
});

test("a choice offers what its dimension allows", () => {
  const form = opened([{ kind: "choice", options: options("x", "y", "z"), by_dimension: { d: ["y", "z"] } }]);
  form.key(press("1"));
  assert.deepEqual(form.read(), { f: "y" });
});

test("a field that another value hides is neither checked nor submitted", () => {
  const only = { by: "how", values: ["drawn"], with: false };
  const form = opened([
    { name: "how", kind: "choice", options: options("said", "drawn") },
    { name: "text", only },
  ]);
  form.key(press("1"));
  type("text", "a mug");
  assert.deepEqual(form.read(), { how: "said", text: "a mug" });
  form.pick(form.fields[0], "drawn");
  assert.ok(form.check());
  assert.deepEqual(form.read(), { how: "drawn" });
});

test("a rule between fields is said where it is broken", () => {
  const between = [
    { rule: "different", of: ["a", "b"], when: {}, say: "They have to differ.", absence: false, numbers: false },
    { rule: "required_when", of: ["why"], when: { a: ["no"] }, say: "Say why.", absence: true, numbers: false },
  ];
  const form = opened([{ name: "a" }, { name: "b" }, { name: "why", required: false }], { between });
  type("a", "Mug");
  type("b", "mug ");
  assert.match(error("b"), /have to differ/);
  type("b", "cup");
  assert.ok(form.check());
  type("a", "no");
  assert.equal(form.check(), false);
  assert.match(error("why"), /Say why/);
});

test("a question that was written before is shown next to the new one", () => {
  opened([{ name: "question" }], { earlier: ["How many cups are on the table?", "Where is the knife?"] });
  type("question", "how many cups are on the table");
  assert.match(String(document.querySelector(".similar")?.textContent), /already has this question/);
  type("question", "How many plates are on the table?");
  assert.match(String(document.querySelector(".similar")?.textContent), /Similar questions in this dimension.*86 %/);
  type("question", "What is red?");
  assert.equal(document.querySelector(".similar"), null);
});

for (const [text, places] of [
  ["mug, cup", [0, 1]],
  ["b, a", [1, 0]],
  ["salt, pepper, mug", [2, 0]], // an entry with a comma of its own
  ["jar", []],
  ["MUG ", [0]],
])
  test(`“${text}” names the entries ${JSON.stringify(places)}`, () => {
    assert.deepEqual(placesOf(text, ["mug", "cup", "salt, pepper"]), places);
  });

test("what the server found is said at its field, and the first one has the focus", () => {
  const form = opened([{ name: "a" }, { name: "b" }]);
  assert.deepEqual(
    form.problems([
      { name: "b", message: "Too like item 7." },
      { name: "elsewhere", message: "No such image." },
    ]),
    ["No such image."],
  );
  assert.equal(error("b"), "Too like item 7.");
  assert.equal(document.activeElement, boxes("b")[0]);
  type("b", "other");
  assert.equal(error("b"), "");
});
