// A picture of the page Privacy: which marks go to the server, and what happens when the server refuses one.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Figure } from "web/covering/figure.js";

/** @type {any[]} */
let sent = [];
/** @type {((reply: Response | Error) => void)[]} answers one request each, in the order of the requests */
let answers = [];

const BOX = {
  kind: "face",
  x: 0.1,
  y: 0.1,
  w: 0.2,
  h: 0.2,
  by: "frontal",
  cover: true,
  own: false,
  fixed: false,
  begin: null,
  end: null,
  path: [],
};
const picture = (own = {}) => ({
  file: "f1",
  name: "a.png",
  src: "/uncovered/p/a",
  seconds: null,
  boxes: [BOX],
  decided: "",
  revision: 0,
  after: null,
  by: "",
  waits: false,
  since: "",
  news: false,
  ...own,
});
const settle = async () => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
};
const reply = async (status, body) => {
  answers.shift()?.(new Response(JSON.stringify(body), { status }));
  await settle();
};

/** @type {Figure} */
let figure;
const inputs = (type) => /** @type {HTMLInputElement[]} */ ([...figure.root.querySelectorAll(`input[type=${type}]`)]);
const choose = (input, checked) => {
  input.checked = checked;
  input.dispatchEvent(new Event("change"));
};

beforeEach(() => {
  sent = [];
  answers = [];
  globalThis.fetch = /** @type {any} */ (
    (_path, { body }) => {
      sent.push(JSON.parse(body));
      return new Promise((resolve, reject) => {
        answers.push((found) => (found instanceof Error ? reject(found) : resolve(found)));
      });
    }
  );
  figure = new Figure({ csrf: "c", path: "/uncovered/p", kind: "plate", count() {} }, picture());
});

test("a tick and a box that is drawn mean: cover", async () => {
  choose(inputs("checkbox")[0], false);
  assert.deepEqual(sent[0], { file: "f1", revision: 0, after: null, decided: "cover", ticks: [false], added: [] });
  await reply(200, { picture: picture({ revision: 1, decided: "cover", waits: true }) });
  figure.add({ x: 0.5, y: 0.5, w: 0.1, h: 0.1 });
  assert.deepEqual(sent[1].added, [
    { kind: "plate", x: 0.5, y: 0.5, w: 0.1, h: 0.1, cover: true, begin: null, end: null },
  ]);
  assert.equal(sent[1].revision, 1);
});

test("changes while a mark is on its way go in one more mark, on top of the first", async () => {
  choose(inputs("checkbox")[0], false);
  choose(inputs("checkbox")[0], true);
  choose(inputs("radio")[2], true);
  assert.equal(sent.length, 1);
  await reply(200, { picture: picture({ revision: 1, decided: "cover", waits: true }) });
  assert.equal(sent.length, 2);
  assert.deepEqual([sent[1].revision, sent[1].decided, sent[1].ticks], [1, "nothing", [true]]);
});

test("another lead was faster: the page shows that mark and drops this one", async () => {
  choose(inputs("radio")[2], true);
  const theirs = picture({ revision: 1, decided: "cover", by: "noor", waits: true });
  await reply(409, { error: "noor has changed this picture.", problems: [], picture: theirs });
  assert.equal(figure.note.textContent, "noor has changed this picture.");
  assert.deepEqual(
    inputs("radio").map((input) => input.checked),
    [false, true, false],
  );
  choose(inputs("checkbox")[0], false);
  assert.equal(sent[1].revision, 1);
});

test("without an answer the mark stays, and can be saved again", async () => {
  choose(inputs("radio")[2], true);
  answers.shift()?.(new Error("offline"));
  await settle();
  assert.match(figure.note.textContent ?? "", /^Not saved: The server does not answer\./);
  figure.update(picture({ revision: 0, by: "noor" }));
  assert.equal(figure.picture.decided, "nothing", "an unsaved mark is not drawn over");
  figure.note.querySelector("button")?.click();
  assert.equal(sent[1].decided, "nothing");
  await reply(200, { picture: picture({ revision: 1, decided: "nothing", waits: true }) });
  assert.equal(figure.note.textContent, "");
});

test("a box that is covered stays ticked, and nothing to cover cannot be chosen", () => {
  figure.update(picture({ boxes: [{ ...BOX, fixed: true }], revision: 1, decided: "cover" }));
  assert.equal(inputs("checkbox")[0].disabled, true);
  assert.equal(inputs("radio")[2].disabled, true);
});

test("a redraw with an older mark changes nothing", () => {
  figure.update(picture({ revision: 2, decided: "cover" }));
  figure.update(picture({ revision: 1, decided: "nothing" }));
  assert.equal(figure.picture.decided, "cover");
});
