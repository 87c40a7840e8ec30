// The pointer on an image: a click or tap enlarges or puts it back, dragging moves it, two fingers enlarge it, and what
// is being drawn comes first.

/** @import { Stroke } from "../marks/stroke.js" */
/** @import { ImageFrame } from "./image.js" */

const A_DRAG = 4; // pixels; less is a click

/**
 * @param {ImageFrame} frame
 * @param {HTMLElement} box
 */
export function listenToPointer(frame, box) {
  const { pane } = frame;
  /** @type {{ x: number, y: number, moved: boolean } | null} */
  let from = null;
  /** @type {Stroke | null} */
  let stroke = null;
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map(); // that are down, by pointer
  /** @type {{ apart: number, scale: number } | null} */
  let pinch = null; // how two fingers began
  box.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where someone types or draws
  box.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const { editor } = pane;
    if (event.pointerType === "touch") fingers.set(event.pointerId, event);
    if (fingers.size === 2 && !stroke) {
      pinch = { apart: apart(fingers), scale: pane.view.scale };
      from = null;
      return;
    }
    from = { x: event.clientX, y: event.clientY, moved: false };
    stroke = null;
    if (editor?.press && editor.covers(frame) && event.button === 0 && !event.shiftKey) {
      if (pane.active !== frame.index) pane.go(frame.index);
      stroke = editor.press(frame, ...inside(box, event));
    } else if (event.button === 1) event.preventDefault();
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event);
    if (pinch && fingers.size === 2) {
      const [one, other] = [...fingers.values()].map((finger) => inside(box, finger));
      const middle = [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
      pane.zoomTo((pinch.scale * apart(fingers)) / pinch.apart, frame, ...middle);
    }
    if (!from) return;
    const dx = event.clientX - from.x;
    const dy = event.clientY - from.y;
    if (!from.moved && Math.hypot(dx, dy) < A_DRAG) return;
    from.moved = true;
    if (stroke) stroke.move(...inside(box, event));
    else if (pane.zoomed) {
      pane.pan(dx, dy, frame);
      Object.assign(from, { x: event.clientX, y: event.clientY });
    }
  });
  box.addEventListener("pointerup", (event) => {
    lift(event);
    const clicked = from && !from.moved;
    from = null;
    if (stroke) {
      stroke.up();
      stroke = null;
      return;
    }
    if (!clicked || event.button !== 0) return;
    if (pane.active !== frame.index) pane.go(frame.index);
    pane.toggle(frame, ...inside(box, event));
  });
  const lift = (/** @type {PointerEvent} */ { pointerId }) => {
    fingers.delete(pointerId);
    if (fingers.size < 2) pinch = null;
  };
  box.addEventListener("pointercancel", (event) => {
    lift(event);
    from = null;
    stroke = null;
  });
  const wheel = (/** @type {WheelEvent} */ event) => {
    if (!pane.zoomed && event.deltaY >= 0) return;
    event.preventDefault();
    pane.zoomTo(pane.view.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15), frame, ...inside(box, event));
  };
  box.addEventListener("wheel", wheel, { passive: false });
}

/**
 * How far two fingers are from each other.
 * @param {Map<number, PointerEvent>} fingers
 */
function apart(fingers) {
  const [one, other] = [...fingers.values()];
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
}

/**
 * Where an event is in a box, in its own pixels.
 * @param {HTMLElement} box
 * @param {MouseEvent} event
 * @returns {[x: number, y: number]}
 */
function inside(box, event) {
  const rect = box.getBoundingClientRect();
  const zoom = rect.width / (box.clientWidth || 1) || 1;
  return [(event.clientX - rect.left) / zoom, (event.clientY - rect.top) / zoom];
}
