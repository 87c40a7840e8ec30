// Where things are: rectangles on the screen, and boxes and points of an image in fractions of its width and height.
// An image's own coordinates run from 0 to 1, from its upper left corner as it is shown upright.

/** @import { Box, Dot, Limits, Mark, Point, Rect, View } from "./types" */

/** @typedef {keyof typeof HANDLES} Handle */

export const GRIP = 9; // pixels around a handle or a point that still mean it
export const HANDLES = {
  nw: [0, 0],
  n: [0.5, 0],
  ne: [1, 0],
  e: [1, 0.5],
  se: [1, 1],
  s: [0.5, 1],
  sw: [0, 1],
  w: [0, 0.5],
};

export const HANDLE_NAMES = /** @type {Handle[]} */ (Object.keys(HANDLES));

/**
 * @param {number} value
 * @param {Limits} limits
 */
export const rounded = (value, { decimals }) => Math.round(value * 10 ** decimals) / 10 ** decimals + 0;
/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const within = (value, low, high) => Math.min(high, Math.max(low, value));

/**
 * The largest rectangle of that ratio (width / height) in the middle of a frame.
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 */
export function fit(width, height, ratio) {
  const wide = Math.min(width, height * ratio);
  return { width: wide, height: wide / ratio };
}

/**
 * Where the image lies in its frame, when it is enlarged `scale` times and its point (x, y) is wanted in the middle.
 * The point gives way where the image would leave a gap at an edge.
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 * @param {Partial<View>} [view]
 */
export function place(width, height, ratio, { scale = 1, x = 0.5, y = 0.5 } = {}) {
  const size = fit(width, height, ratio);
  const wide = size.width * scale;
  const high = size.height * scale;
  const middle = (/** @type {number} */ at, /** @type {number} */ length, /** @type {number} */ room) =>
    length <= room ? 0.5 : within(at, room / (2 * length), 1 - room / (2 * length));
  const cx = middle(x, wide, width);
  const cy = middle(y, high, height);
  return { left: width / 2 - cx * wide, top: height / 2 - cy * high, width: wide, height: high, x: cx, y: cy };
}

/**
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 * @returns {Point}
 */
export const toImage = (rect, px, py) => ({ x: (px - rect.left) / rect.width, y: (py - rect.top) / rect.height });
/**
 * @param {Rect} rect
 * @param {number} x
 * @param {number} y
 * @returns {Point}
 */
export const toScreen = (rect, x, y) => ({ x: rect.left + x * rect.width, y: rect.top + y * rect.height });

/**
 * How the view has to be so that the image's point under (px, py) stays there while the scale changes.
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 * @param {View} view
 * @param {number} scale
 * @param {number} [px]
 * @param {number} [py]
 * @returns {View}
 */
export function zoomed(width, height, ratio, view, scale, px = width / 2, py = height / 2) {
  const before = toImage(place(width, height, ratio, view), px, py);
  const size = fit(width, height, ratio);
  const next = {
    scale,
    x: before.x + (width / 2 - px) / (size.width * scale),
    y: before.y + (height / 2 - py) / (size.height * scale),
  };
  const { x, y } = place(width, height, ratio, next);
  return { scale, x, y };
}

/**
 * How many columns show n pictures of that ratio largest.
 * @param {number} n
 * @param {number} width
 * @param {number} height
 * @param {number} ratio
 * @param {number} [gap]
 */
export function columns(n, width, height, ratio, gap = 0) {
  let best = { columns: 1, area: -1 };
  for (let many = 1; many <= n; many += 1) {
    const rows = Math.ceil(n / many);
    const size = fit((width - gap * (many - 1)) / many, (height - gap * (rows - 1)) / rows, ratio);
    if (size.width * size.height > best.area + 1e-6) best = { columns: many, area: size.width * size.height };
  }
  return best.columns;
}

// ---- boxes {x, y, w, h} and points {x, y}

/**
 * @param {Mark} mark
 * @returns {mark is Box}
 */
export const isBox = (mark) => "w" in mark;

/**
 * The box as it is stored: inside the image, not thinner than a hair, rounded.
 * @template {Box} T
 * @param {T} box
 * @param {Limits} limits
 * @returns {T}
 */
export function tidy(box, limits) {
  const { least_side: least } = limits;
  const w = rounded(within(box.w, least, 1), limits);
  const h = rounded(within(box.h, least, 1), limits);
  const x = rounded(within(box.x, 0, 1 - w), limits);
  return { ...box, x, y: rounded(within(box.y, 0, 1 - h), limits), w, h };
}

/**
 * @template {Point} T
 * @param {T} point
 * @param {Limits} limits
 * @returns {T}
 */
export const tidyPoint = (point, limits) => ({
  ...point,
  x: rounded(within(point.x, 0, 1), limits),
  y: rounded(within(point.y, 0, 1), limits),
});

/**
 * The box between two corners, cut off at the edges of the image.
 * @param {Point} one
 * @param {Point} other
 * @param {Limits} limits
 * @returns {Box}
 */
export function between(one, other, limits) {
  const [left, right] = [one.x, other.x].map((value) => within(value, 0, 1)).sort((a, b) => a - b);
  const [top, bottom] = [one.y, other.y].map((value) => within(value, 0, 1)).sort((a, b) => a - b);
  return tidy({ x: left, y: top, w: right - left, h: bottom - top }, limits);
}

/**
 * @param {Box | Dot} mark
 * @param {number} dx
 * @param {number} dy
 * @param {Limits} limits
 * @returns {Box | Dot}
 */
export const moved = (mark, dx, dy, limits) => {
  const there = { ...mark, x: mark.x + dx, y: mark.y + dy };
  return isBox(there) ? tidy(there, limits) : tidyPoint(there, limits);
};

/**
 * Larger or smaller at its right and lower edge; what would stick out is cut off.
 * @param {Box | Dot} mark
 * @param {number} dw
 * @param {number} dh
 * @param {Limits} limits
 * @returns {Box | Dot}
 */
export function sized(mark, dw, dh, limits) {
  const { least_side: least } = limits;
  if (!isBox(mark)) return mark;
  const w = within(mark.w + dw, least, 1 - mark.x);
  return tidy({ ...mark, w, h: within(mark.h + dh, least, 1 - mark.y) }, limits);
}

/**
 * The box with one of its handles at a point; a handle may be dragged past the other side.
 * @param {Box} box
 * @param {Handle} handle
 * @param {number} x
 * @param {number} y
 * @param {Limits} limits
 * @returns {Box}
 */
export function dragged(box, handle, x, y, limits) {
  const [hx, hy] = HANDLES[handle];
  const far = { x: hx === 0 ? box.x + box.w : box.x, y: hy === 0 ? box.y + box.h : box.y };
  const here = { x: hx === 0.5 ? box.x + box.w : x, y: hy === 0.5 ? box.y + box.h : y };
  return { ...box, ...between(far, here, limits) };
}

/**
 * @param {Box} box
 * @param {Handle} handle
 * @returns {Point}
 */
export const handlePoint = (box, handle) => ({
  x: box.x + HANDLES[handle][0] * box.w,
  y: box.y + HANDLES[handle][1] * box.h,
});

/**
 * The place in the list of what lies under a point of the screen: the nearest point, or the smallest box; else -1.
 * @param {(Box | Dot)[]} list
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 * @param {number} [grip]
 */
export const hit = (list, rect, px, py, grip = GRIP) => least(list.map((entry) => reach(entry, rect, px, py, grip)));

/**
 * How large a box under a point of the screen is, or how far away a point; Infinity where it is none of them.
 * @param {Box | Dot} entry
 * @param {Rect} rect
 * @param {number} px
 * @param {number} py
 * @param {number} [grip]
 */
export function reach(entry, rect, px, py, grip = GRIP) {
  const from = toScreen(rect, entry.x, entry.y);
  if (isBox(entry)) {
    const to = toScreen(rect, entry.x + entry.w, entry.y + entry.h);
    const outside = px < from.x - 2 || px > to.x + 2 || py < from.y - 2 || py > to.y + 2;
    return outside ? Infinity : (to.x - from.x) * (to.y - from.y);
  }
  const far = Math.hypot(from.x - px, from.y - py);
  return far > grip + 4 ? Infinity : far;
}

/**
 * Where the least number stands; -1 where all are infinite.
 * @param {number[]} sizes
 */
export const least = (sizes) => sizes.findIndex((size) => size < Infinity && size === Math.min(...sizes));

// ---- clips

/**
 * The frame that is on screen at a moment: the last one that is not later.
 * @param {number[]} times
 * @param {number} moment
 */
export function frameAt(times, moment) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= moment + 1e-4) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * A moment at which a frame is certainly on screen: half way to the next one.
 * @param {number[]} times
 * @param {number} duration
 * @param {number} index
 */
export function middleOf(times, duration, index) {
  const from = times[index];
  const to = index + 1 < times.length ? times[index + 1] : Math.max(duration, from + 0.001);
  return from + (to - from) / 2;
}
