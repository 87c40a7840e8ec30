// The working page: which key does what, what is sent, and what happens when the server says no or nothing.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Bench } from "web/page/bench.js";
import { field, options, pageOf, press, staticOf, taskOf } from "./parts.js";

/** @type {{ path: string, body: any }[]} */
let sent = [];
/** @type {Record<string, Response | Error>} what the server answers to each path */
let replies = {};
/** @type {any[]} what the page asks for */
let wishes = [];
/** @type {Bench} */
let bench;

const reply = (status, body) => new Response(JSON.stringify(body), { status });
const posts = (path) => sent.filter((each) => each.path === path).map(({ body }) => body);
const settle = async () => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};
const wait = async (milliseconds) => {
  mock.timers.tick(milliseconds);
  await settle();
};
const text = (selector) => document.querySelector(selector)?.textContent ?? "";

/** Presses keys on the page, or in a box. */
const keys = async (...names) => {
  for (const name of names) (document.activeElement ?? document.body).dispatchEvent(press(name));
  await settle();
};

/** The server's next page, in answer to what was asked for last. */
const answer = (page) => bench.update({ ...page, n: bench.requests.wishes });

/** Opens the page with a task, long enough ago that a key is meant for it. */
function open(still = {}, task = {}, page = {}) {
  const { dimension: _, ...rest } = { dimension: "", ...still };
  bench.update(pageOf(taskOf("t1", task), { static: staticOf({ ...rest, hash: "still" }), ...page }));
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_750_000_000_000 });
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  [sent, wishes] = [[], []];
  replies = {
    "/api/draft": reply(200, { seq: 0, saved_at: new Date().toISOString() }),
    "/api/submit": reply(200, { saved_at: new Date().toISOString() }),
    "/api/postpone": reply(200, { task: "t1" }),
    "/api/release": reply(200, { task: "t1" }),
    "/api/undo": reply(200, { task: "t0" }),
    "/api/heartbeat": reply(200, { lease_until: new Date(Date.now() + 3_600_000).toISOString() }),
  };
  mock.method(globalThis, "fetch", async (path, { body } = {}) => {
    sent.push({ path, body: body === undefined ? undefined : JSON.parse(body) });
    const found = replies[path];
    if (found === undefined || found instanceof Error) throw found ?? new Error("no such path");
    return found.clone();
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

test("one key answers and submits, once, with what the rater was shown", async () => {
  open();
  await keys("2", "2", "2");
  assert.equal(posts("/api/submit").length, 1);
  const [body] = posts("/api/submit");
  assert.deepEqual([body.task, body.values, body.schema], ["t1", { choice: "b" }, "s"]);
  assert.equal(wishes.length, 1);
  assert.equal(wishes[0].submitted, true);
});

test("a late press on an item that has only just opened submits nothing", async () => {
  open();
  await keys("1");
  answer(pageOf(taskOf("t2", { draft: { seq: 1, values: { values: { choice: "a" } }, saved_at: "2025-06-15" } })));
  await keys("Enter");
  assert.equal(posts("/api/submit").length, 1);
  assert.match(text(".saved"), /the next item had just opened/);
  await wait(1500);
  await keys("Enter");
  assert.deepEqual(
    posts("/api/submit").map(({ task }) => task),
    ["t1", "t2"],
  );
});

test("a refused field is said at the field, and the form stays", async () => {
  replies["/api/submit"] = reply(422, { error: "Not yet.", problems: [{ name: "choice", message: "Not this one." }] });
  open();
  await keys("1");
  assert.match(text("[data-criterion=choice]"), /Not this one/);
  assert.equal(bench.busy, false);
  assert.equal(localStorage.getItem("touchstone.submit.7.t1"), null);
});

test("an item that someone else has now cannot be submitted, and Enter goes on", async () => {
  replies["/api/submit"] = reply(409, { error: "Vera has it now." });
  open();
  await keys("1");
  assert.match(text(".banner"), /Vera has it now\. Your text stays here/);
  await wait(3000);
  await keys("Enter");
  assert.equal(posts("/api/submit").length, 1);
  assert.equal(wishes.length, 1);
});

test("an ended session keeps what was written and leads back here", async () => {
  replies["/api/submit"] = reply(401, { error: "Sign in." });
  open();
  await keys("1");
  const link = /** @type {HTMLAnchorElement} */ (document.querySelector(".banner a"));
  assert.equal(link.getAttribute("href"), `/login?next=${encodeURIComponent("/work")}`);
  assert.ok(localStorage.getItem("touchstone.draft.7.t1"));
});

test("a submission without a server locks the form, says so, and goes out when it is back", async () => {
  replies["/api/submit"] = new Error("offline");
  open();
  await keys("1");
  await wait(100);
  assert.match(text(".banner"), /Your submission is kept in this browser/);
  assert.equal(bench.side.scroll.inert, true);
  replies["/api/submit"] = reply(200, { saved_at: new Date().toISOString() });
  window.dispatchEvent(new Event("online"));
  await settle();
  assert.equal(document.querySelector(".banner")?.hasAttribute("hidden"), true);
  const attempts = posts("/api/submit");
  assert.ok(attempts.length >= 2);
  assert.equal(new Set(attempts.map(({ key }) => key)).size, 1);
});

test("letters typed while an item is sent are not taken for keys of the next one", async () => {
  open();
  await keys("1", "c");
  answer(pageOf(taskOf("t2")));
  await wait(300);
  await keys("b");
  assert.deepEqual(posts("/api/release"), []);
  assert.match(text(".saved"), /you typed this while the last item was being sent/);
  await wait(800);
  await keys("b");
  assert.deepEqual(posts("/api/release"), [{ task: "t2" }]);
});

test("a submission that a reload cut short is sent again before anything can be typed", async () => {
  const attempt = { task: "t1", key: "k", values: { choice: "a" }, reasons: {}, note: "", schema: "s", seconds: 1 };
  localStorage.setItem("touchstone.submit.7.t1", JSON.stringify(attempt));
  open();
  assert.equal(bench.busy, true);
  await settle();
  assert.deepEqual(posts("/api/submit"), [attempt]);
  assert.equal(localStorage.getItem("touchstone.submit.7.t1"), null);
  assert.equal(wishes.length, 1);
});

for (const [name, path, body] of [
  ["l", "/api/postpone", { task: "t1" }],
  ["b", "/api/release", { task: "t1" }],
  ["u", "/api/undo", { project: "p", stage: "verification" }],
])
  test(`the key ${name} posts to ${path} once, also when pressed twice`, async () => {
    open();
    await keys(name, name);
    assert.deepEqual(posts(path), [body]);
  });

test("an author's letters are text, and Ctrl Enter submits from within", async () => {
  open({ stage: { name: "authoring", title: "Write" }, fields: [field({ name: "question" })], criteria: [] });
  const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("[data-field=question] textarea"));
  assert.equal(document.activeElement, box);
  await keys("b", "u", "l", "g");
  assert.deepEqual(
    sent.filter(({ path }) => path !== "/api/draft"),
    [],
  );
  box.value = "How many cups?";
  box.dispatchEvent(new Event("input"));
  box.dispatchEvent(press("Enter", { ctrlKey: true }));
  await settle();
  assert.deepEqual(posts("/api/submit")[0].values, { question: "How many cups?" });
});

test("a note is part of the draft and of the submission", async () => {
  open();
  await keys("n");
  const note = bench.side.noteBox;
  assert.equal(document.activeElement, note);
  note.value = "  The cup is cut off. ";
  note.dispatchEvent(new Event("input"));
  await wait(500);
  assert.equal(posts("/api/draft").at(-1).values.note, "  The cup is cut off. ");
  note.dispatchEvent(press("Escape"));
  await keys("1");
  assert.equal(posts("/api/submit")[0].note, "The cup is cut off.");
});

test("a wish without a reply is repeated, and a page that answers an older wish is not shown", async () => {
  open();
  await keys("1");
  await wait(2600);
  assert.deepEqual(
    wishes.map(({ again }) => again),
    [1, 2],
  );
  bench.update(pageOf(taskOf("t9"), { n: 0 }));
  assert.equal(bench.task?.id, "t1");
  answer(pageOf(taskOf("t2")));
  assert.equal(bench.task?.id, "t2");
});

test("an item without work on it is warned about before it goes back, and a key keeps it", async () => {
  open({}, { lease_until: new Date(Date.now() + 10 * 60 * 1000).toISOString() });
  for (let minute = 0; minute < 8; minute += 1) await wait(60_000);
  assert.match(text(".banner"), /Other people can take this item from/);
  assert.equal(posts("/api/heartbeat").length, 0);
  await keys("ArrowDown");
  assert.deepEqual(posts("/api/heartbeat"), [{ task: "t1" }]);
  assert.equal(document.querySelector(".banner")?.hasAttribute("hidden"), true);
});

test("while a rater thinks, nothing counts as work from a minute after the last key", async () => {
  open();
  await wait(10_000);
  await keys("ArrowDown");
  await wait(600_000);
  await keys("1");
  assert.equal(posts("/api/submit")[0].seconds, 70);
});

test("where nothing is left there is one next step", () => {
  open();
  answer({
    ...pageOf(null),
    view: "nothing",
    nothing: { code: "waiting_for_others", sentence: "Two items wait for others." },
  });
  assert.match(text(".nothing"), /Waiting for others.*Two items wait for others\..*Check again/s);
});

test("a decision of an adjudicator needs a reason, and a key pressed twice does not choose it", async () => {
  const causes = options("ambiguous", "wrong_key");
  open({
    stage: { name: "adjudication", title: "Settle" },
    criteria: [],
    adjudication: { reasons: causes, edit: true },
  });
  await keys("1", "1");
  assert.equal(posts("/api/submit").length, 0);
  assert.match(text(".saved"), /the same key was pressed twice/);
  await wait(1100);
  await keys("2");
  assert.deepEqual(posts("/api/submit")[0].values, { decision: "accept", cause: "wrong_key" });
});

test("an adjudicator who edits sends only what was changed, and cannot send nothing", async () => {
  open(
    {
      stage: { name: "adjudication", title: "Settle" },
      criteria: [],
      fields: [field({ name: "question" }), field({ name: "answer" })],
      adjudication: { reasons: [], edit: true },
    },
    { fields: { question: "How many?", answer: "3" } },
  );
  await keys("3");
  const box = /** @type {HTMLTextAreaElement} */ (document.querySelector("[data-field=answer] textarea"));
  box.dispatchEvent(press("Enter", { ctrlKey: true }));
  await settle();
  assert.equal(posts("/api/submit").length, 0);
  assert.match(text(".adjudicate"), /You have not changed anything/);
  box.value = "4";
  box.dispatchEvent(new Event("input"));
  box.dispatchEvent(press("Enter", { ctrlKey: true }));
  await settle();
  assert.deepEqual(posts("/api/submit")[0].values, { decision: "edit", cause: null, fields: { answer: "4" } });
});
