// What a rater has answered so far: which criteria are asked, what is missing or wrong, and what would be submitted.

import { same } from "../dom.js";
import { t } from "../words.js";

/** @import { Criterion, Read, Reasons, Values } from "../types" */
/** @import { Block } from "./rating_block.js" */

export const SAY_WHY = t("Choose a reason.");

export class Answering {
  constructor() {
    /** @type {Criterion[]} */
    this.criteria = [];
    /** @type {Values} */
    this.values = {};
    /** @type {Record<string, unknown>} */
    this.reasons = {};
    /** @type {Map<string, Block>} */
    this.blocks = new Map();
  }

  /** @returns {Read} */
  read() {
    /** @type {Read} */
    const found = { values: {}, reasons: {} };
    for (const criterion of this.visible()) {
      const { name } = criterion;
      const given = this.values[name];
      const value = given === undefined || given === null ? given : this.control(criterion).read(given);
      if (value === undefined) continue;
      found.values[name] = value;
      if (this.reasons[name] !== undefined) found.reasons[name] = this.reasons[name];
    }
    return found;
  }

  /** @returns {Read} */
  raw() {
    return { values: { ...this.values }, reasons: { ...this.reasons } };
  }

  /** The criteria that are asked, as far as the answers go now. */
  visible() {
    const seen = new Set();
    return this.criteria.filter((criterion) => {
      const shows = Object.entries(criterion.show_if || {}).every(
        ([other, wanted]) => seen.has(other) && wanted.some((value) => same(value, this.values[other])),
      );
      if (shows) seen.add(criterion.name);
      return shows;
    });
  }

  /** @param {string} name */
  block(name) {
    const found = this.blocks.get(name);
    if (!found) throw new Error(`the form has no criterion ${name}`);
    return found;
  }

  /** @param {Criterion} criterion */
  control(criterion) {
    return this.block(criterion.name).control;
  }

  /**
   * @param {Criterion} criterion
   * @returns {Reasons | null}
   */
  reasonsOf(criterion) {
    const value = this.values[criterion.name];
    if (value === undefined) return null;
    if (value !== null) return this.control(criterion).reasons(value);
    return criterion.skip?.reasons.length ? { list: criterion.skip.reasons, typed: false } : null;
  }

  /**
   * What is wrong with the answer to a criterion, or missing from it; null if nothing is.
   * @param {Criterion} criterion
   */
  problem(criterion) {
    const value = this.values[criterion.name];
    const said = value === null ? null : this.control(criterion).problem(value);
    if (said) return said;
    return this.reasonsOf(criterion) && !String(this.reasons[criterion.name] ?? "").trim() ? SAY_WHY : null;
  }

  /** @param {Criterion} criterion */
  answered(criterion) {
    return this.values[criterion.name] !== undefined && !this.problem(criterion);
  }
}
