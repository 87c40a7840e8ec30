// The pointer on an image: a click enlarges or puts it back, dragging moves it, and what is being drawn comes first.

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
  box.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where someone types or draws
  box.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const { editor } = pane;
    from = { x: event.clientX, y: event.clientY, moved: false };
    stroke = null;
    if (editor?.press && editor.covers(frame) && event.button === 0 && !event.shiftKey) {
      if (pane.active !== frame.index) pane.go(frame.index);
      stroke = editor.press(frame, ...inside(box, event));
    } else if (event.button === 1) event.preventDefault();
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
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
  box.addEventListener("pointercancel", () => {
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
