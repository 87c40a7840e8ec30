// Masks of pixels as COCO writes them, and the lines around what they fill.

/** @import { Runs } from "../types" */

/** @typedef {[x: number, y: number]} Corner */

/** @type {WeakMap<Runs, Corner[][]>} */
const traced = new WeakMap();

/**
 * The counts of a mask; COCO's text has them in groups of five bits, and from the fourth on as differences.
 * @param {Runs["counts"]} counts
 * @returns {number[]}
 */
function countsOf(counts) {
  if (typeof counts !== "string") return counts;
  /** @type {number[]} */
  const found = [];
  let value = 0;
  let shift = 0;
  for (const character of counts) {
    const group = character.charCodeAt(0) - 48;
    value += (group & 31) * 2 ** shift;
    shift += 5;
    if (group & 32) continue;
    if (group & 16) value -= 2 ** shift;
    found.push(value + (found.length > 2 ? found[found.length - 2] : 0));
    value = 0;
    shift = 0;
  }
  return found;
}

/**
 * Where the filled parts of each column begin and end.
 * @param {Runs} runs
 */
function columnsOf({ size: [high, wide], counts }) {
  /** @type {number[][]} */
  const columns = Array.from({ length: wide + 1 }, () => []);
  let at = 0;
  countsOf(counts).forEach((count, index) => {
    const end = at + count;
    if (index % 2)
      for (let from = at; from < end; ) {
        const column = Math.floor(from / high);
        const to = Math.min(end, (column + 1) * high);
        const parts = columns[column];
        if (parts.at(-1) === from - column * high) parts.pop();
        else parts.push(from - column * high);
        parts.push(to - column * high);
        from = to;
      }
    at = end;
  });
  return columns;
}

/**
 * The lines around what is filled, in fractions of the image; by the even-odd rule they enclose it.
 * @param {Runs} runs
 * @returns {Corner[][]}
 */
export function linesAround(runs) {
  const known = traced.get(runs);
  if (known) return known;
  const [high, wide] = runs.size;
  const found = rings(edgesOf(runs), high + 1).map((ring) =>
    ring.map(([x, y]) => /** @type {Corner} */ ([x / wide, y / high])),
  );
  traced.set(runs, found);
  return found;
}

/**
 * The edges between what is filled and what is not, each with what is filled to its right, by the corner where it begins.
 * @param {Runs} runs
 */
function edgesOf(runs) {
  const columns = columnsOf(runs);
  const stride = runs.size[0] + 1;
  /** @type {Map<number, number[]>} */
  const edges = new Map();
  const add = (/** @type {number} */ from, /** @type {number} */ to) => {
    const there = edges.get(from);
    if (there) there.push(to);
    else edges.set(from, [to]);
  };
  columns.forEach((own, x) => {
    own.forEach((y, index) => {
      if (index % 2) add((x + 1) * stride + y, x * stride + y);
      else add(x * stride + y, (x + 1) * stride + y);
    });
    const left = columns[x - 1] ?? [];
    const all = [...new Set([...left, ...own])].sort((a, b) => a - b);
    let [inLeft, inOwn] = [false, false];
    const [atLeft, atOwn] = [new Set(left), new Set(own)];
    all.forEach((y, index) => {
      if (atLeft.has(y)) inLeft = !inLeft;
      if (atOwn.has(y)) inOwn = !inOwn;
      const next = all[index + 1];
      if (inLeft && !inOwn) add(x * stride + y, x * stride + next);
      if (inOwn && !inLeft) add(x * stride + next, x * stride + y);
    });
  });
  return edges;
}

/**
 * Edges put together, without the corners on straight lines.
 * @param {Map<number, number[]>} edges
 * @param {number} stride
 * @returns {Corner[][]}
 */
function rings(edges, stride) {
  /** @type {Corner[][]} */
  const found = [];
  for (const start of edges.keys()) {
    while (edges.get(start)?.length) {
      /** @type {Corner[]} */
      const ring = [];
      for (let at = start; ; ) {
        const to = edges.get(at)?.pop();
        if (to === undefined) break;
        ring.push([Math.floor(at / stride), at % stride]);
        at = to;
      }
      found.push(ring.filter((corner, index) => turns(ring, corner, index)));
    }
  }
  return found;
}

/**
 * @param {Corner[]} ring
 * @param {Corner} corner
 * @param {number} index
 */
function turns(ring, corner, index) {
  const before = ring[(index || ring.length) - 1];
  const after = ring[(index + 1) % ring.length];
  return !(before[0] === corner[0] && corner[0] === after[0]) && !(before[1] === corner[1] && corner[1] === after[1]);
}
