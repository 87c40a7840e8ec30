// Keys of the media side.

import { ClipFrame } from "./clip.js";

/** @import { MediaPane } from "./pane.js" */

const STEP = 80; // pixels

/**
 * @param {MediaPane} pane
 * @param {string} name of a key
 * @returns {boolean} whether it was used
 */
export function paneKey(pane, name) {
  if (!pane.frame) return false;
  if (name === "z" || name === "Z") pane.toggle();
  else if ((name === "i" || name === "I") && pane.frames.length > 1) pane.relayout();
  else return (pane.zoomed && enlargedKey(pane, name)) || turnKey(pane, name) || clipKey(pane, name);
  return true;
}

/**
 * While the images are enlarged, the arrows move them.
 * @param {MediaPane} pane
 * @param {string} name
 */
function enlargedKey(pane, name) {
  if (name === "Escape") pane.zoomTo(1);
  else if (name === "ArrowLeft") pane.pan(STEP, 0);
  else if (name === "ArrowRight") pane.pan(-STEP, 0);
  else if (name === "ArrowUp") pane.pan(0, STEP);
  else if (name === "ArrowDown") pane.pan(0, -STEP);
  else if (name === "+" || name === "=") pane.zoomTo(pane.view.scale * 1.25);
  else if (name === "-") pane.zoomTo(pane.view.scale * 0.8);
  else if (name === "[" || name === "]") pane.go(pane.active + (name === "]" ? 1 : -1));
  else return false;
  return true;
}

/**
 * To the image before or after.
 * @param {MediaPane} pane
 * @param {string} name
 */
function turnKey(pane, name) {
  if (pane.frames.length < 2) return false;
  if (name === "ArrowLeft" || name === "[") pane.go(pane.active - 1);
  else if (name === "ArrowRight" || name === "]") pane.go(pane.active + 1);
  else return false;
  return true;
}

/**
 * @param {MediaPane} pane
 * @param {string} name
 */
function clipKey(pane, name) {
  const { frame, frames, together } = pane;
  const clip = frame instanceof ClipFrame ? frame : together && frames.find((other) => other instanceof ClipFrame);
  return clip instanceof ClipFrame && clip.key(name);
}
