// Boxes, points and masks: where they are in shares of the image, whatever is zoomed, moved or typed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { between, columns, fit, place, tidy, toImage, toScreen, zoomed } from "web/geometry.js";
import { KINDS } from "web/kinds/index.js";
import { linesAround } from "web/marks/runs.js";
import { criterion, hostOf, options, press } from "./parts.js";

const LIMITS = {
  decimals: 4,
  least_side: 0.002,
  new_side: 0.2,
  step: 0.01,
  fine: 0.001,
  largest_number: 99,
  tone: "#000",
  grey: "#888",
  tint: 0.4,
};

const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);

test("an image fills its frame without being cut or stretched", () => {
  assert.deepEqual(fit(800, 600, 2), { width: 800, height: 400 });
  assert.deepEqual(fit(800, 600, 0.5), { width: 300, height: 600 });
});

test("what is under the pointer stays there while it is zoomed", () => {
  const whole = { scale: 1, x: 0.5, y: 0.5 };
  const before = toImage(place(800, 600, 1.5, whole), 500, 350);
  const after = toImage(place(800, 600, 1.5, zoomed(800, 600, 1.5, whole, 4, 500, 350)), 500, 350);
  near(before.x, after.x);
  near(before.y, after.y);
});

test("a zoomed image leaves no gap at an edge", () => {
  const { left, top, width, height } = place(800, 600, 4 / 3, { scale: 2, x: 0, y: 1 });
  assert.deepEqual([left, top + height], [0, 600]);
  assert.deepEqual([width, height], [1600, 1200]);
});

test("points go from the image to the screen and back", () => {
  const rect = { left: -20, top: 30, width: 640, height: 480 };
  const { x, y } = toScreen(rect, 0.25, 0.75);
  assert.deepEqual([x, y], [140, 390]);
  assert.deepEqual(toImage(rect, x, y), { x: 0.25, y: 0.75 });
});

test("as many columns as show the pictures largest", () => {
  assert.equal(columns(2, 800, 300, 1), 2);
  assert.equal(columns(2, 300, 800, 1), 1);
  assert.equal(columns(4, 800, 800, 1), 2);
});

test("a box that is drawn backwards and over the edge is cut off there", () => {
  assert.deepEqual(between({ x: 0.6, y: 1.3 }, { x: -0.1, y: 0.4 }, LIMITS), { x: 0, y: 0.4, w: 0.6, h: 0.6 });
  assert.deepEqual(tidy({ x: 0.99999, y: 0.5, w: 0, h: 0.1 }, LIMITS), { x: 0.998, y: 0.5, w: 0.002, h: 0.1 });
});

// 3 rows, 4 columns: the two middle columns are filled in the two lower rows. COCO counts down the columns.
test("the runs of a mask are read down the columns, as COCO writes them", () => {
  const lines = linesAround({ size: [3, 4], counts: [4, 2, 1, 2, 3] });
  assert.equal(lines.length, 1);
  const corners = lines[0].map(([x, y]) => `${x},${Math.round(y * 3)}`).sort();
  assert.deepEqual(corners, ["0.25,1", "0.25,3", "0.75,1", "0.75,3"]);
});

test("the same runs as COCO's text", () => {
  // 4, 2, 1, then 2 and 3 as differences from the second to last: 0 and 2; each is one character, from the code 48 on.
  const text = [4, 2, 1, 0, 2].map((count) => String.fromCharCode(48 + count)).join("");
  assert.deepEqual(linesAround({ size: [3, 4], counts: text }), linesAround({ size: [3, 4], counts: [4, 2, 1, 2, 3] }));
});

/** The editor of a criterion, on an image that fills a frame of 1000 by 500 pixels. */
function drawing(kind, more = {}) {
  const host = hostOf();
  const asset = { id: "i", kind: "image", role: "image", missing: false };
  const frame = { asset, number: 1, index: 0, middle: { x: 0.5, y: 0.5 }, view: { scale: 1 } };
  Object.assign(frame, { rect: { left: 0, top: 0, width: 1000, height: 500 } });
  const media = {
    editor: null,
    drawers: new Set(),
    firstRole: "image",
    frames: [frame],
    repaint() {},
    showImage() {},
    editable: () => frame,
    edit(editor) {
      this.editor = editor;
    },
  };
  let value;
  let onward = 0;
  const seat = {
    id: "c",
    media,
    value: () => value,
    set: (next) => {
      value = next;
    },
    activate: () => {},
    onward: () => {
      onward += 1;
      return true;
    },
  };
  const control = new KINDS[kind](criterion({ kind, drawing: LIMITS, ...more }), /** @type {any} */ (seat));
  control.paint(undefined, true);
  const editor = /** @type {any} */ (media.editor);
  const keys = (...names) => names.map((name) => editor.key(press(name), document.body));
  return { control, editor, frame, host, keys, value: () => value, onward: () => onward };
}

test("a box is made, labelled, moved and made finer with keys alone", () => {
  const { editor, keys, value } = drawing("boxes", { options: options("mug", "cup") });
  keys("a", "2");
  const [made] = /** @type {any[]} */ (value());
  assert.deepEqual(made, { label: "cup", x: 0.4, y: 0.4, w: 0.2, h: 0.2 });
  keys("ArrowRight", "ArrowDown");
  editor.key(press("ArrowRight", { shiftKey: true }), document.body);
  assert.deepEqual(value(), [{ label: "cup", x: 0.411, y: 0.41, w: 0.2, h: 0.2 }]);
});

test("a box is drawn with the pointer, in shares of the image", () => {
  const { editor, frame, value } = drawing("boxes");
  const stroke = editor.press(/** @type {any} */ (frame), 100, 50);
  stroke.move(300, 250);
  stroke.up();
  assert.deepEqual(value(), [{ x: 0.1, y: 0.1, w: 0.2, h: 0.4 }]);
});

test("a press without a movement draws no box", () => {
  const { editor, frame, value } = drawing("boxes");
  const stroke = editor.press(/** @type {any} */ (frame), 100, 50);
  stroke.up();
  assert.deepEqual(value() ?? [], []);
});

test("nothing to mark is an answer, and not the same as no answer", () => {
  const { control, keys, value, onward } = drawing("boxes");
  assert.match(String(control.problem(value())), /nothing to mark/);
  keys("0");
  assert.deepEqual(value(), []);
  assert.equal(control.problem(value()), null);
  assert.equal(onward(), 1);
});

test("numbered points take the lowest number that is free", () => {
  const { keys, value } = drawing("marks");
  keys("a", "a", "a");
  const numbers = () => /** @type {any[]} */ (value()).map(({ number }) => number);
  assert.deepEqual(numbers(), [1, 2, 3]);
  keys("Tab", "Tab", "Delete"); // from the last one to none, to the first one
  assert.deepEqual(numbers(), [2, 3]);
  keys("a");
  assert.deepEqual(numbers().sort(), [1, 2, 3]);
});

test("no more boxes than are allowed", () => {
  const { keys, value } = drawing("boxes", { max: 1 });
  keys("a", "Enter", "a");
  assert.equal(/** @type {any[]} */ (value()).length, 1);
});
