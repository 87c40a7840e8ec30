// The votes side by side, with what differs marked.

import { el, same } from "../dom.js";
import { KINDS } from "../kinds/index.js";
import { t } from "../words.js";

/** @import { Child, Criterion, Option, Vote } from "../types" */

/**
 * @param {Criterion[]} criteria
 * @param {Record<string, Option[]>} options of the item, by criterion
 * @param {Vote[]} votes
 */
export function votesTable(criteria, options, votes) {
  if (!votes.length) return el("p", { class: "help" }, t("There are no votes to compare."));
  const head = votes.map((vote) => el("th", { scope: "col" }, vote.label));
  const rows = criteria.map((criterion) => rowOf(criterion, options[criterion.name] || criterion.options, votes));
  const body = el("tbody", {}, rows, votes.some((vote) => vote.note) ? notesOf(votes) : null);
  const table = el("table", { class: "votes" }, el("thead", {}, el("tr", {}, el("td", {}), head)), body);
  return el("div", { class: "scroller" }, table);
}

/**
 * @param {Criterion} criterion
 * @param {Option[]} options
 * @param {Vote[]} votes
 */
function rowOf(criterion, options, votes) {
  const { name, prompt } = criterion;
  const differs = !votes.every((vote) => same(vote.values[name], votes[0].values[name]));
  const said = t("The votes differ");
  return el(
    "tr",
    { class: differs ? "differs" : "" },
    el(
      "th",
      { scope: "row" },
      differs ? el("span", { class: "mark", title: said, "aria-label": said }, "≠") : null,
      prompt,
    ),
    votes.map((vote) => el("td", {}, cellOf(criterion, options, vote))),
  );
}

/**
 * @param {Criterion} criterion
 * @param {Option[]} options
 * @param {Vote} vote
 * @returns {Child}
 */
function cellOf(criterion, options, vote) {
  const value = vote.values[criterion.name];
  if (value === undefined) return el("span", { class: "quiet" }, t("not shown to this rater"));
  const reason = vote.reasons[criterion.name];
  const option = options.find((candidate) => same(candidate.value, value));
  const reasons = (value === null ? criterion.skip?.reasons : option?.reasons) ?? [];
  const because = reasons.find((candidate) => same(candidate.value, reason))?.label ?? reason;
  const said = value === null ? (criterion.skip?.label ?? t("Skipped")) : labelOf(criterion, option, value);
  return [el("strong", {}, said), because ? el("div", { class: "reason" }, String(because)) : null];
}

/**
 * @param {Criterion} criterion
 * @param {Option | undefined} option
 * @param {unknown} value
 */
function labelOf(criterion, option, value) {
  if (option) return option.label ?? String(option.value);
  const said = KINDS[criterion.kind].words?.(value, criterion) ?? String(value);
  return criterion.unit && typeof value === "number" ? `${said} ${criterion.unit}` : said;
}

/** @param {Vote[]} votes */
const notesOf = (votes) =>
  el(
    "tr",
    {},
    el("th", { scope: "row" }, t("Note")),
    votes.map(({ note }) =>
      el(
        "td",
        {},
        note ? el("div", { class: "notes", tabindex: "0" }, note) : el("span", { class: "quiet" }, t("none")),
      ),
    ),
  );
