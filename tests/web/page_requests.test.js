// Asking for the next page: what comes of a reply, and of none.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Bench } from "web/page/bench.js";
import { pageOf, staticOf, taskOf } from "./parts.js";

/** @type {any[]} */
let asked = [];
/** @type {Bench} */
let bench;

const text = (selector) => document.querySelector(selector)?.textContent ?? "";

/** The page asks, and the server answers. */
const ask = async (status, body) => {
  mock.method(globalThis, "fetch", async (path, { body: wish } = {}) => {
    asked.push([path, JSON.parse(wish ?? "{}")]);
    return new Response(JSON.stringify(body), { status });
  });
  bench.requests.ask({});
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: 1_750_000_000_000 });
  document.body.replaceChildren();
  asked = [];
  bench = new Bench(document.body, []);
  bench.update(pageOf(taskOf("t1"), { static: staticOf({ hash: "still" }) }));
});

afterEach(() => {
  bench.stop();
  mock.reset();
  mock.timers.reset();
});

test("the page that answers a wish opens", async () => {
  await ask(200, pageOf(taskOf("t2"), { n: 1 }));
  const [path, wish] = asked[0];
  assert.deepEqual([path, wish.project, wish.stage, wish.n], ["/api/page", "p", "verification", 1]);
  assert.deepEqual([bench.task?.id, bench.requests.waiting], ["t2", null]);
});

test("a database that is away is named, and the wish is repeated", async () => {
  await ask(503, { error: "The disk is full." });
  assert.match(text(".banner"), /The disk is full/);
  assert.equal(bench.task?.id, "t1");
});

test("whose session has ended signs in again, and the page stays", async () => {
  await ask(401, { error: "Sign in." });
  assert.match(text(".banner"), /Your session has ended/);
  mock.timers.tick(10_000);
  assert.equal(asked.length, 1);
});
