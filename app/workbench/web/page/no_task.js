// Why there is no task, and the one next step.

import { clock, el, key } from "../dom.js";

/** @import { NothingPage, Static } from "../types" */

/** @type {Record<string, string>} */
const TITLES = {
  all_done: "Nothing left here",
  waiting_for_others: "Waiting for others",
  waiting_for_media: "Waiting for images or clips",
  postponed: "Postponed",
  pool_empty: "No free images",
  not_your_dimension: "Not your dimension",
  not_member: "Not yours",
  no_stage: "Not part of this project",
  not_available: "Not available yet",
  not_qualified: "Not qualified yet",
  stopped: "Stopped for now",
};
const WORTH_ANOTHER_LOOK = ["waiting_for_others", "waiting_for_media", "postponed", "pool_empty"];

/**
 * The label of the one step, and what it does.
 * @param {string} code
 * @param {Static} fixed
 * @param {() => void} look
 * @returns {[label: string, step: () => void]}
 */
export function nextStepOf(code, fixed, look) {
  if (WORTH_ANOTHER_LOOK.includes(code)) return ["Look again ", look];
  const qualify = `/qualify?project=${encodeURIComponent(fixed.project.name)}&stage=${fixed.stage.name}`;
  const [label, address] = code === "not_qualified" ? ["Qualify ", qualify] : ["My work ", "/my_work"];
  return [
    label,
    () => {
      location.href = address;
    },
  ];
}

/**
 * @param {NothingPage["nothing"]} nothing
 * @param {string} label
 * @param {() => void} step
 * @param {string | null} lastSaved when this person's last submission was saved
 * @param {boolean} canUndo whether it can be taken back in this stage
 */
export function noTaskPart({ code, sentence }, label, step, lastSaved, canUndo) {
  return el(
    "div",
    { class: "nothing" },
    el("h2", {}, TITLES[code] || "Nothing here"),
    el("p", {}, sentence),
    el("button", { type: "button", class: "submit", on: { click: step } }, label, key("Enter")),
    lastSaved
      ? el(
          "p",
          { class: "quiet" },
          `Your last submission was saved at ${clock(lastSaved)}`,
          canUndo ? ["; ", key("U"), " opens it again."] : ".",
        )
      : null,
  );
}
