// A submitted answer that is edited: left without effect, or asked about once.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Bench } from "web/page/bench.js";
import { pageOf, press, staticOf, taskOf } from "./parts.js";

/** @type {{ path: string, body: any }[]} */
let sent = [];
/** @type {any[]} */
let wishes = [];
/** @type {Bench} */
let bench;

const posts = (path) => sent.filter((each) => each.path === path).map(({ body }) => body);
const settle = async () => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};
const text = (selector) => document.querySelector(selector)?.textContent ?? "";
const keys = async (...names) => {
  for (const name of names) (document.activeElement ?? document.body).dispatchEvent(press(name));
  await settle();
};

/** Opens the page with a submitted answer. */
function open() {
  const draft = { seq: 3, saved_at: new Date().toISOString(), values: { values: { choice: "a" }, note: "" } };
  bench.update(
    pageOf(taskOf("t1", { correction: { changed: false }, draft }), { static: staticOf({ hash: "still" }) }),
  );
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_750_000_000_000 });
  localStorage.clear();
  document.body.replaceChildren();
  [sent, wishes] = [[], []];
  mock.method(globalThis, "fetch", async (path, { body } = {}) => {
    sent.push({ path, body: body === undefined ? undefined : JSON.parse(body) });
    return new Response(JSON.stringify({ task: "t1", seq: 9, saved_at: new Date().toISOString() }), { status: 200 });
  });
  bench = new Bench(document.body, []);
  bench.requests.fire = (wish) => wishes.push(wish);
});

afterEach(async () => {
  bench.stop();
  await settle();
  mock.reset();
  mock.timers.reset();
});

test("an edit without changes is left by Escape, and no draft goes out", async () => {
  open();
  assert.equal(text(".saved"), "You are editing an answer that you submitted.");
  await keys("Escape");
  assert.deepEqual(posts("/api/release"), [{ task: "t1" }]);
  assert.deepEqual(posts("/api/draft"), []);
  assert.equal(wishes.length, 1);
});

test("an edit with changes asks once before it is left", async () => {
  open();
  await keys("n");
  document.querySelector(".note textarea").value = "More.";
  document.querySelector(".note textarea").dispatchEvent(new Event("input"));
  await keys("Escape", "Escape");
  assert.equal(text(".sheet h2"), "Discard your changes?");
  assert.deepEqual(posts("/api/release"), []);
  await keys("Escape");
  assert.equal(document.querySelector(".sheet"), null);
  await keys("Escape");
  [...document.querySelectorAll(".sheet button")].find((each) => each.textContent === "Discard changes").click();
  await settle();
  mock.timers.tick(3000);
  await settle();
  assert.deepEqual(posts("/api/release"), [{ task: "t1" }]);
  assert.deepEqual(posts("/api/draft"), []);
  assert.equal(localStorage.getItem("touchstone.draft.7.t1"), null);
});
