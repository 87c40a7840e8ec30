// What was typed and submitted reaches the server once, whatever the network, a reload or another tab does.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Refused } from "web/http.js";
import { Sync } from "web/sync.js";

const TASK = { id: "t1", draft: null };
const WHO = { csrf: "c", person: 7 };
const PAYLOAD = { values: { choice: "a" }, reasons: {}, note: "", guideline: undefined, schema: "s", seconds: 1 };

/** @type {{ path: string, body: any }[]} */
let sent = [];
/** @type {(Response | Error)[]} what the server answers next; the last one again and again */
let replies = [];
/** @type {string[]} */
let heard = [];
/** @type {Sync} */
let sync;

/**
 * @param {number} status
 * @param {object} body
 */
const reply = (status, body) => new Response(JSON.stringify(body), { status });

/** Lets everything happen that waits for nothing but other code. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** @param {number} milliseconds */
async function wait(milliseconds) {
  mock.timers.tick(milliseconds);
  await settle();
}

const made = () =>
  new Sync({
    saved: (at) => heard.push(`saved ${at}`),
    gone: () => heard.push("gone"),
    back: () => heard.push("back"),
    refused: (error) => heard.push(`refused ${error.status}`),
    other: (kind, detail) => heard.push(`${kind} ${JSON.stringify(detail)}`),
  });

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
  localStorage.clear();
  [sent, replies, heard] = [[], [], []];
  mock.method(globalThis, "fetch", async (/** @type {string} */ path, /** @type {any} */ { body }) => {
    sent.push({ path, body: JSON.parse(body) });
    const next = replies.length > 1 ? replies.shift() : replies[0];
    if (next instanceof Error) throw next;
    return /** @type {Response} */ (next).clone();
  });
  sync = made();
  sync.identify(WHO);
});

afterEach(() => {
  sync.stop();
  mock.reset();
  mock.timers.reset();
});

test("a submission that finds no server is sent again with the same key until it is acknowledged", async () => {
  replies = [new Error("offline"), reply(503, {}), reply(500, {}), reply(200, { saved_at: "now" })];
  sync.open(TASK);
  const done = sync.submit(PAYLOAD);
  await settle();
  for (const pause of [500, 1000, 2000]) await wait(pause);
  assert.deepEqual(await done, { saved_at: "now" });
  assert.equal(sent.length, 4);
  assert.equal(new Set(sent.map(({ body }) => body.key)).size, 1);
  assert.deepEqual(heard, ["gone", "gone", "back"]);
  assert.deepEqual(Object.keys(localStorage), []);
});

test("a broken reply is no acknowledgement", async () => {
  replies = [new Response("{", { status: 200 }), reply(200, { saved_at: "now" })];
  sync.open(TASK);
  const done = sync.submit(PAYLOAD);
  await settle();
  await wait(500);
  assert.deepEqual(await done, { saved_at: "now" });
});

test("a refusal is passed on at once, and what was typed stays in the browser", async () => {
  replies = [reply(409, { error: "Someone else was first." })];
  sync.open(TASK);
  sync.change({ values: { choice: "a" } });
  await assert.rejects(
    sync.submit(PAYLOAD),
    (/** @type {any} */ error) => error instanceof Refused && error.status === 409,
  );
  assert.equal(sent.length, 1);
  assert.ok(localStorage.getItem("touchstone.draft.7.t1"));
});

test("a server that fails each time is not asked more than four times", async () => {
  replies = [reply(500, { error: "It broke." })];
  sync.open(TASK);
  const done = assert.rejects(sync.submit(PAYLOAD), /It broke/);
  for (let turn = 0; turn < 6; turn += 1) await wait(8000);
  await done;
  assert.equal(sent.length, 4);
});

test("a submission that a reload cut short is found again, with its key, by its own person only", async () => {
  replies = [new Error("offline")];
  sync.open(TASK);
  const lost = sync.submit(PAYLOAD).catch(() => {});
  await settle();
  const [{ body }] = sent;
  const later = made();
  later.identify(WHO);
  assert.deepEqual(later.unfinished(), [body]);
  later.identify({ csrf: "c", person: 8 });
  assert.deepEqual(later.unfinished(), []);
  later.stop();
  replies = [reply(200, { saved_at: "now" })];
  await wait(500);
  await lost;
});

test("typing without a pause is saved every two seconds, and a pause saves half a second later", async () => {
  replies = [reply(200, { seq: 0, saved_at: "now" })];
  sync.open(TASK);
  for (let letter = 0; letter < 10; letter += 1) {
    sync.change({ values: { text: "x".repeat(letter + 1) } });
    await wait(300);
  }
  const during = sent.length;
  assert.ok(during === 1 || during === 2, String(during));
  await wait(500);
  assert.equal(sent.length, during + 1);
  assert.equal(sent.at(-1)?.body.values.values.text, "x".repeat(10));
});

test("the newer of the server's draft and this browser's own is opened", () => {
  replies = [reply(200, { seq: 9, saved_at: "now" })];
  sync.open(TASK);
  sync.change({ values: { text: "own" } });
  sync.close();
  const kept = { seq: 1, values: { values: { text: "server" } }, saved_at: "then" };
  assert.deepEqual(sync.open({ ...TASK, draft: { ...kept, seq: 0 } }), { values: { values: { text: "own" } } });
  assert.deepEqual(sync.open({ ...TASK, draft: { ...kept, seq: 5 } }), { values: kept.values, at: "then" });
});

test("no draft is posted while a submission is under way", async () => {
  replies = [new Error("offline")];
  sync.open(TASK);
  sync.change({ values: { choice: "a" } });
  const done = sync.submit(PAYLOAD);
  await settle();
  await wait(400);
  assert.deepEqual([...new Set(sent.map(({ path }) => path))], ["/api/submit"]);
  replies = [reply(200, { saved_at: "now" })];
  await wait(8000);
  await done;
});

test("a draft that finds no server stays here and is posted when the network is back", async () => {
  replies = [new Error("offline"), reply(200, { seq: 1, saved_at: "now" })];
  sync.open(TASK);
  sync.change({ values: { text: "a" } });
  await wait(450);
  assert.deepEqual(heard, ["gone"]);
  window.dispatchEvent(new Event("online"));
  await settle();
  assert.deepEqual(heard, ["gone", "back", "saved now"]);
});

test("another tab of the same person is told of, another person's is not", () => {
  replies = [reply(200, { seq: 1, saved_at: "now" })];
  sync.open(TASK);
  const from = { tab: "other", task: "t1", person: 7 };
  sync.heard({ ...from, kind: "draft", seq: 3, values: { values: { text: "there" } } });
  sync.heard({ ...from, kind: "draft", seq: 2, values: { values: { text: "older" } } });
  sync.heard({ ...from, kind: "submitted", person: 8 });
  sync.heard({ ...from, kind: "submitted", task: "t2" });
  sync.heard({ ...from, kind: "submitted" });
  assert.deepEqual(heard, ['draft {"values":{"text":"there"}}', "submitted {}"]);
});
