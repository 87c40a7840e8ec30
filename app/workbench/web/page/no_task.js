// Why there is no task, and the one next step.

import { clock, el, key } from "../dom.js";
import { t } from "../words.js";

/** @import { NothingPage, Static } from "../types" */

/** @type {Record<string, string>} */
const TITLES = {
  all_done: t("No tasks left here"),
  waiting_for_others: t("Waiting for others"),
  waiting_for_media: t("Waiting for images or clips"),
  postponed: t("Postponed"),
  pool_empty: t("No free images"),
  not_your_dimension: t("Not your dimension"),
  not_member: t("Not your task"),
  no_stage: t("Not part of this project"),
  not_available: t("Not available yet"),
  not_qualified: t("Not qualified yet"),
  stopped: t("Stopped for now"),
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
  if (WORTH_ANOTHER_LOOK.includes(code)) return [`${t("Check again")} `, look];
  const qualify = `/qualify?project=${encodeURIComponent(fixed.project.name)}&stage=${fixed.stage.name}`;
  const [label, address] = code === "not_qualified" ? [`${t("Qualify")} `, qualify] : [`${t("My work")} `, "/my_work"];
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
    el("h2", {}, TITLES[code] || t("No tasks here")),
    el("p", {}, sentence),
    el("button", { type: "button", class: "submit", on: { click: step } }, label, key("Enter")),
    lastSaved
      ? el(
          "p",
          { class: "quiet" },
          t("Your last submission was saved at {time}", { time: clock(lastSaved) }),
          canUndo ? ["; ", key("U"), ` ${t("opens your last answer.")}`] : ".",
        )
      : null,
  );
}
