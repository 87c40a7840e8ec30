// Texts that say nearly the same.

import { el } from "../dom.js";
import { t } from "../words.js";

/**
 * @typedef {object} Earlier a text that was written before, and its words
 * @property {string} text
 * @property {string[]} words
 */

/**
 * The words of a text, without marks and in small letters.
 * @param {string} text
 */
export const wordsOf = (text) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N} ]+/gu, " ")
    .split(/\s+/)
    .filter(Boolean);

/**
 * The earlier texts that share most of their words with this one, best first; likeness is in 0..1.
 * @param {string} text
 * @param {Earlier[]} earlier
 * @returns {[likeness: number, entry: Earlier][]}
 */
export function similar(text, earlier, { most = 3, from = 0.6 } = {}) {
  const mine = wordsOf(text);
  if (!mine.length) return [];
  /** @type {[number, Earlier][]} */
  const found = earlier.filter(({ words }) => words.length).map((entry) => [likeness(mine, entry.words), entry]);
  return found
    .filter(([score]) => score >= from)
    .sort((one, other) => other[0] - one[0])
    .slice(0, most);
}

/**
 * The share of words that two texts have in common; 1 is kept for the same words in the same order.
 * @param {string[]} mine
 * @param {string[]} words
 */
function likeness(mine, words) {
  if (words.join(" ") === mine.join(" ")) return 1;
  const left = new Map();
  for (const word of words) left.set(word, (left.get(word) || 0) + 1);
  let shared = 0;
  for (const word of mine) {
    const count = left.get(word) || 0;
    if (count) {
      shared += 1;
      left.set(word, count - 1);
    }
  }
  return Math.min(0.99, (2 * shared) / (mine.length + words.length));
}

/**
 * The earlier texts that are close to this one, as they are shown below it.
 * @param {[likeness: number, entry: Earlier][]} near best first
 */
export function similarPart(near) {
  const exact = near[0][0] >= 0.999;
  const title = exact ? t("This dimension already has this question:") : t("Similar questions in this dimension:");
  const pairs = near.map(([score, { text }]) =>
    el("div", { class: "pair" }, el("span", { class: "score" }, `${Math.round(100 * score)} %`), el("span", {}, text)),
  );
  return el("div", { class: exact ? "similar exact" : "similar" }, el("div", { class: "quiet" }, title), pairs);
}
