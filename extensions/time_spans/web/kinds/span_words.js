// Spans of time as a person reads them, and where they are on a clip.

import { t } from "../words.js";

/** @import { ClipFrame } from "../media/clip.js" */
/** @import { Criterion } from "../types" */

/** @typedef {Record<string, number>} Span a beginning and, once it is set, an end, under the names that their unit has */

/** @typedef {Pick<Criterion, "unit" | "ends" | "role" | "min" | "max" | "required">} Asked what fields say, too */

/**
 * @param {Span} span
 * @param {Asked} asked
 */
export function inWords(span, asked) {
  const frames = asked.unit === "frames";
  const [first, last] = endsOf(asked).map((name) => span[name]);
  const told = (/** @type {number | undefined} */ value) =>
    value === undefined ? "…" : frames ? String(value) : `${value.toFixed(2)} s`;
  const ends = { first: told(first), last: told(last) };
  return frames ? t("frames {first} to {last}", ends) : t("{first} to {last}", ends);
}

/**
 * The names under which a span has its ends.
 * @param {Asked} asked
 * @returns {[first: string, last: string]}
 */
export function endsOf({ ends }) {
  if (!ends) throw new Error("the server names the ends of spans");
  return ends;
}

/**
 * Where a span is on its clip, in seconds; one without an end ends where it begins.
 * @param {Span} span
 * @param {Asked} asked
 * @param {ClipFrame | undefined} clip
 * @returns {[begins: number, ends: number]}
 */
export function momentsOf(span, asked, clip) {
  const [first, last] = endsOf(asked);
  const { [first]: begins, [last]: ends = begins } = span;
  if (asked.unit !== "frames") return [begins, ends];
  const times = clip?.times ?? [];
  return [times[begins - 1] ?? 0, (last in span ? times[ends] : times[begins - 1]) ?? clip?.duration ?? 0];
}
