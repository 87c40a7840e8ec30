// What each person's browser keeps for them: how the width is shared, and how large the text is.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Split, TextSize } from "web/page/comfort.js";
import { press } from "./parts.js";

/** @type {(() => void)[]} */
let mounted = [];

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  mounted = [];
});

afterEach(() => {
  for (const stop of mounted) stop();
});

/** The bar of a page that has just been loaded. */
function split(stage) {
  const [media, form] = [document.createElement("div"), document.createElement("div")];
  const made = new Split(media, form);
  document.body.replaceChildren(media, made.bar, form);
  made.open(stage);
  mounted.push(() => made.stop());
  return made;
}

test("each stage has its own share of the width, also after a reload", () => {
  const before = split("verification");
  assert.equal(before.share, null);
  assert.equal(before.key(press("x")), false);
  before.set(62);
  before.keep();
  assert.equal(split("verification").share, 62);
  const other = split("grading");
  assert.equal(other.share, null);
  other.set(40);
  other.keep();
  assert.equal(split("verification").share, 62);
  assert.equal(split("grading").share, 40);
});

test("Enter on the bar puts the width back for good", () => {
  const before = split("verification");
  before.set(62);
  before.keep();
  assert.equal(before.key(press("Enter")), true);
  assert.equal(split("verification").share, null);
});

test("the text keeps its size", () => {
  const root = document.createElement("div");
  assert.equal(new TextSize(root).next(false), "text size 115 %");
  assert.equal(new TextSize(root).size, 115);
  assert.equal(root.style.getPropertyValue("--letters"), "1.15");
});
