// What M finds by ordinary words. The places are those that the server sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { matching } from "web/palette.js";

const PLACES = [
  { title: "Agreement", href: "/agreement", group: "Results", words: "kappa alpha reliability" },
  { title: "Calibration", href: "/calibration", group: "Results", words: "trust judge" },
  { title: "Judges", href: "/judges", group: "Models", words: "llm judge" },
  { title: "Invite people", href: "/people", group: "People", words: "add member" },
];
const found = (typed) => matching(PLACES, typed).map(({ title }) => title);

test("names come before rooms and further words", () => {
  assert.deepEqual(found("judge"), ["Judges", "Calibration"]);
  assert.deepEqual(found("Result"), ["Agreement", "Calibration"]);
  assert.deepEqual(found("peo"), ["Invite people"]);
  assert.deepEqual(found("KAPPA"), ["Agreement"]);
  assert.deepEqual(found("results cal"), ["Calibration"]);
});

test("words that no place has are left out, unless no word fits", () => {
  assert.deepEqual(found("can I trust the judge"), ["Calibration"]);
  assert.deepEqual(found("invite someone"), ["Invite people"]);
  assert.deepEqual(found("xyzzy"), []);
});
