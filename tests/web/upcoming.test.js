// The next task is shown at once, while the answer to the one before is sent.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Bench } from "web/page/bench.js";
import { field, pageOf, press, staticOf, taskOf } from "./parts.js";

/** @type {{ path: string, body: any }[]} */
let sent = [];
/** @type {((status: number, body: object) => void) | null} answers the submission that is on its way */
let reply = null;
/** @type {any[]} */
let wishes = [];
/** @type {Bench} */
let bench;

const settle = async () => {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
};
const keys = async (...names) => {
  for (const name of names) (document.activeElement ?? document.body).dispatchEvent(press(name));
  await settle();
};
/** Someone looks at an item that has just opened. */
const look = () => mock.timers.tick(300);
const posts = (path) => sent.filter((each) => each.path === path).map(({ body }) => body);
const store = async (page = null) => {
  reply?.(200, { submission: "s", saved_at: new Date().toISOString(), page });
  await settle();
};
const status = () => document.querySelector(".saved")?.textContent ?? "";

const QUESTION = field({ name: "question", title: "Question" });
const soon = () => new Date(Date.now() + 300_000).toISOString();
const upcoming = (id, own = {}) => taskOf(id, { fields: { question: `Question ${id}` }, lease_until: soon(), ...own });
const answer = (task, own = {}) => bench.update(pageOf(task, { n: bench.requests.wishes, ...own }));

/** Opens a task behind which another one waits. */
function open(next = upcoming("t2")) {
  bench.update(pageOf(taskOf("t1"), { static: staticOf({ hash: "still", fields: [QUESTION] }), upcoming: next }));
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_750_000_000_000 });
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  [sent, wishes, reply] = [[], [], null];
  mock.method(globalThis, "fetch", async (path, { body } = {}) => {
    sent.push({ path, body: JSON.parse(body) });
    if (path !== "/api/submit") return new Response(JSON.stringify({ seq: 0, saved_at: new Date().toISOString() }));
    return new Promise((resolve) => {
      reply = (code, said) => resolve(new Response(JSON.stringify(said), { status: code }));
    });
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

test("the next item is there while the answer is sent, and stays when the server confirms it", async () => {
  open();
  await keys("2");
  assert.deepEqual([bench.task?.id, status()], ["t2", "Sending…"]);
  look();
  assert.equal(bench.busy, false);
  assert.match(document.querySelector(".item")?.textContent ?? "", /Question t2/);
  assert.deepEqual(wishes, []); // nothing is asked for before the answer is stored
  await store();
  assert.match(status(), /^saved /);
  assert.deepEqual([wishes.length, wishes[0].submitted, wishes[0].confirms], [1, true, true]);
  const form = document.querySelector(".formhost")?.firstElementChild;
  answer(upcoming("t2", { lease_until: new Date(Date.now() + 1_800_000).toISOString() }), { upcoming: upcoming("t3") });
  assert.equal(document.querySelector(".formhost")?.firstElementChild, form); // what was typed is not drawn anew
  await keys("1");
  assert.equal(bench.task?.id, "t3");
  assert.deepEqual(
    posts("/api/submit").map(({ task, values }) => [task, values.choice]),
    [
      ["t1", "b"],
      ["t2", "a"],
    ],
  );
});

test("the page that comes with the acknowledgement confirms what is shown, and no other is asked for", async () => {
  open();
  await keys("2");
  look();
  const { next } = posts("/api/submit")[0];
  assert.deepEqual([next.project, next.stage, next.confirms, next.have], ["p", "verification", true, "still"]);
  assert.equal(JSON.parse(localStorage.getItem("touchstone.submit.7.t1") ?? "{}").next, undefined);
  const form = document.querySelector(".formhost")?.firstElementChild;
  await store(pageOf(upcoming("t2"), { n: next.n, upcoming: upcoming("t3"), menu: undefined }));
  assert.deepEqual([wishes.length, bench.requests.waiting, bench.upcoming.task?.id], [0, null, "t3"]);
  assert.equal(document.querySelector(".formhost")?.firstElementChild, form);
  assert.deepEqual(bench.data?.menu, []); // as it came with the first page
});

test("an answer to an item that the server does not know to be shown waits for that", async () => {
  open();
  await keys("2");
  look();
  await keys("1");
  assert.deepEqual([posts("/api/submit").length, bench.task?.id, bench.busy], [1, "t2", true]);
  await store();
  assert.equal(posts("/api/submit").length, 1);
  answer(upcoming("t2"), { upcoming: upcoming("t3") });
  await settle();
  assert.deepEqual([posts("/api/submit").length, posts("/api/submit")[1].task, bench.task?.id], [2, "t2", "t3"]);
});

test("a refusal brings the item back with its reason and what was typed; the next one waits again", async () => {
  open();
  await keys("n");
  const note = document.querySelector(".note textarea");
  note.value = "A long note";
  note.dispatchEvent(new Event("input", { bubbles: true }));
  await keys("Escape", "2");
  assert.equal(bench.task?.id, "t2");
  reply?.(422, { error: "no", problems: [{ name: "choice", message: "Not this one." }] });
  await settle();
  assert.equal(bench.task?.id, "t1");
  assert.match(document.body.textContent ?? "", /Not this one\./);
  assert.equal(document.querySelector(".note textarea")?.value, "A long note");
  look();
  assert.deepEqual([bench.busy, bench.upcoming.task?.id, wishes.length], [false, "t2", 0]);
});

test("the second of two quick presses is not an answer to the next item", async () => {
  open();
  await keys("2", "2");
  await store();
  answer(upcoming("t2"), { upcoming: upcoming("t3") });
  document.querySelector(".formhost button")?.click();
  await keys("2");
  look();
  await settle();
  assert.deepEqual([bench.task?.id, bench.busy, bench.forms.current?.raw().choice ?? null], ["t2", false, null]);
  assert.equal(posts("/api/submit").length, 1);
  await keys("1");
  assert.deepEqual([posts("/api/submit").length, bench.task?.id], [2, "t3"]);
});

test("an item that cannot be had is replaced, and the page says so", async () => {
  open();
  await keys("2");
  look();
  await keys("1");
  await store();
  answer(taskOf("t9"));
  await settle();
  assert.equal(bench.task?.id, "t9");
  assert.equal(posts("/api/submit").length, 1); // what was chosen was for the other item
  assert.match(document.querySelector(".banner")?.textContent ?? "", /no longer available/);
});

test("what was typed for an item that is replaced reaches the server before the other one opens", async () => {
  open();
  await keys("2");
  look();
  await keys("n");
  const note = document.querySelector(".note textarea");
  note.value = "A long note";
  note.dispatchEvent(new Event("input", { bubbles: true }));
  await store(pageOf(taskOf("t9"), { n: bench.requests.wishes }));
  assert.equal(bench.task?.id, "t9");
  assert.deepEqual(
    posts("/api/draft").map(({ task, values }) => [task, values.note]),
    [["t2", "A long note"]],
  );
});

test("an item whose content has changed meanwhile is drawn anew", async () => {
  open();
  await keys("2");
  await store();
  answer(upcoming("t2", { fields: { question: "Corrected" } }));
  assert.match(document.querySelector(".item")?.textContent ?? "", /Corrected/);
});

test("an item that was never shown goes back when the page is left, and one whose hold has ended is not shown", async () => {
  open(upcoming("t2", { lease_until: new Date(Date.now() + 4000).toISOString() }));
  await keys("2");
  assert.deepEqual([bench.task?.id, bench.busy], ["t1", true]);
  window.dispatchEvent(new Event("pagehide"));
  assert.deepEqual(posts("/api/release"), [{ task: "t2", unseen: true }]);
});
