// What is drawn on an image, as it is shown: its tones, its words, and what of items and votes is painted.

import { t } from "../words.js";
import { isArea, isPaintable } from "./area.js";

/** @import { Criterion, Mark, Option, Painted, Shown, Vote } from "../types" */

// Told apart by colour-blind people too (after Okabe and Ito); red is kept for what the item itself shows.
const TONES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#6a51a3", "#444444"];

/**
 * The tone of a label or a vote, by its place in the list.
 * @param {number} index
 */
export const toneAt = (index) => TONES[Math.max(index, 0) % TONES.length];

/**
 * The label of a box as it is read, or the number of a point.
 * @param {Mark} entry
 * @param {Option[]} options
 */
const nameOf = (entry, options) =>
  String(options.find((option) => option.value === entry.label)?.label ?? entry.label ?? entry.number ?? "");

/**
 * What an item's field shows, as entries to paint.
 * @param {unknown} value
 * @param {Option[]} options
 * @param {string} tone
 * @returns {Painted[]}
 */
export const paintedOf = (value, options, tone) =>
  (Array.isArray(value) ? value : [])
    .filter(
      (entry) => entry && (isArea(entry) ? isPaintable(entry) : Number.isFinite(entry.x) && Number.isFinite(entry.y)),
    )
    .map((entry) => ({ ...entry, text: nameOf(entry, options), tone }));

/**
 * What was drawn, as a person reads it.
 * @param {unknown} value
 * @param {Option[]} options
 */
export function inWords(value, options = []) {
  if (!Array.isArray(value) || !value.length) return t("nothing to mark");
  return `${value.length}: ${value.map((entry) => nameOf(entry, options) || "box").join(", ")}`;
}

/**
 * What raters drew, each in a tone of their own and with the letter of their vote.
 * @param {Criterion[]} criteria those that are drawn
 * @param {Vote[]} votes
 * @returns {Shown[]}
 */
export const ofVotes = (criteria, votes) =>
  criteria.flatMap((criterion) =>
    votes.map((vote, index) => ({
      role: criterion.role,
      options: criterion.options,
      value: vote.values[criterion.name],
      tone: toneAt(index),
      prefix: vote.label.slice(-1),
    })),
  );
