// Stages as rows: how many people, their questions, and which votes keep an item.

import { el } from "../dom.js";
import { act, box, choice, labeled, named, tick } from "./fields.js";
import { entry, more, section } from "./frames.js";
import { free, isList, isMap, list, text } from "./parts.js";
import { keepRow, optionRows, valueRows } from "./questions.js";

/** @import { Part, RowsContext, Step } from "../builder_types" */

/**
 * @param {RowsContext} ctx
 * @param {RowsContext["catalog"]["stages"][number]} stage
 * @param {Part} part
 */
export function stageSection(ctx, stage, part) {
  const path = ["stages", stage.name];
  const asked = list(part.criteria);
  const questions =
    "criteria" in part ||
    stage.votes ||
    ["grading", "answering", "comparison", "coding", "refinement"].includes(stage.name);
  const taken = ctx.catalog.stages.flatMap(({ name }) => list(ctx.value.stages?.[name]?.criteria));
  const add =
    questions &&
    act(
      "+ Question",
      [
        {
          do: "insert",
          path: [...path, "criteria"],
          at: asked.length,
          value: {
            name: free(taken, "name", "question"),
            kind: "choice",
            prompt: "Write the question here",
            options: YES_NO,
          },
        },
      ],
      {
        id: `add.question.${stage.name}`,
        style: "link",
        open: `${named(path)}/criteria/${asked.length}`,
      },
    );
  const people =
    "raters" in part || stage.votes
      ? labeled("People per item", box([...path, "raters"], part.raters, { kind: "numeric", needed: true }))
      : null;
  return section(
    ctx,
    text(part.title, stage.title),
    named(path),
    [
      add || null,
      act("Remove", [{ do: "remove", path }], {
        id: `remove.${stage.name}`,
        style: "link quiet",
        title: `Remove stage ${stage.title}`,
      }),
    ],
    [
      people,
      ...asked.map((criterion, at) => question(ctx, [...path, "criteria", at], criterion, asked.length)),
      stage.votes && keepRow(ctx, stage.name, part),
      "reasons" in part && optionRows([...path, "reasons"], part.reasons, "Reasons"),
      more(part, ["raters", "criteria", "keep", "reasons", "title"]),
    ],
    path,
    stage.help,
  );
}

const YES_NO = [
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];

/**
 * @param {RowsContext} ctx
 * @param {Step[]} path
 * @param {Part} criterion
 * @param {number} count
 */
function question(ctx, path, criterion, count) {
  const kind = ctx.catalog.questions.find(({ name }) => name === criterion?.kind);
  const keys = kind?.keys ?? [];
  const lists = list(ctx.value.item?.fields).filter((each) => isList(ctx, each));
  const listed = "field" in (criterion ?? {}) || !keys.includes("options");
  return entry(ctx, path, count, text(criterion?.name, "no name"), kind?.title ?? text(criterion?.kind, ""), () => [
    labeled("Question", box([...path, "prompt"], criterion?.prompt, { needed: true, long: true })),
    labeled(
      "Kind",
      choice(
        [...path, "kind"],
        criterion?.kind,
        ctx.catalog.questions.map((each) => ({ value: each.name, label: each.title })),
        { do: "kind" },
      ),
      kind?.help,
    ),
    keys.includes("field") &&
      listed &&
      labeled(
        "Options from field",
        choice(
          [...path, "field"],
          criterion?.field,
          lists.map(({ name }) => ({ value: name, label: String(name) })),
        ),
      ),
    keys.includes("options") && !criterion?.field && optionRows([...path, "options"], criterion?.options),
    keys.includes("values") && valueRows(path, criterion),
    keys.includes("min") &&
      el(
        "div",
        { class: "pair" },
        labeled("At least", box([...path, "min"], criterion?.min, { kind: "numeric" })),
        labeled("At most", box([...path, "max"], criterion?.max, { kind: "numeric" })),
      ),
    keys.includes("cannot_tell") &&
      labeled(
        "“Cannot tell” option",
        box([...path, "cannot_tell"], criterion?.cannot_tell, { placeholder: "not offered" }),
      ),
    labeled("Help", box([...path, "help"], criterion?.help)),
    labeled("Name in files", box([...path, "name"], criterion?.name, { name: true, needed: true })),
    tick([...path, "required"], criterion?.required === false, "May stay empty", [
      criterion?.required === false
        ? { do: "remove", path: [...path, "required"] }
        : { do: "set", path: [...path, "required"], value: false },
    ]),
    more(criterion, [
      "name",
      "kind",
      "prompt",
      "help",
      "required",
      ...["options", "field", "values", "labels", "min", "max", "cannot_tell"].filter((key) => keys.includes(key)),
    ]),
  ]);
}

/** @param {RowsContext["catalog"]["stages"]} missing @param {Part} stages */
export function moreStages(missing, stages) {
  const next = missing.filter(({ name, votes }) => !votes || name === "verification" || isMap(stages[before(name)]));
  return el(
    "section",
    { data: { id: "section.more" } },
    el("div", { class: "head" }, el("h3", {}, "More stages")),
    el(
      "div",
      { class: "offers" },
      next.map(({ name, title, help }) =>
        act(`+ ${title}`, [{ do: "set", path: ["stages", name], value: beginning(name) }], {
          id: `add.stage.${name}`,
          style: "small",
          title: `Add ${title}: ${help}`,
        }),
      ),
    ),
  );
}

/** @param {string} name */
function before(name) {
  const n = Number(name.split("_")[1]);
  return n > 2 ? `verification_${n - 1}` : "verification";
}

/** What a new stage holds, so that it can be worked in at once. @param {string} name */
function beginning(name) {
  const ask = (/** @type {string} */ called, /** @type {string} */ prompt) => ({
    name: called,
    kind: "choice",
    prompt,
    options: YES_NO,
  });
  if (name.startsWith("verification")) {
    const asked = name === "verification" ? "fits" : `fits${name.slice("verification".length)}`;
    return {
      raters: 2,
      criteria: [ask(asked, "Is the item right?")],
      keep: { rule: "unanimous", criterion: asked, value: "yes" },
    };
  }
  if (name === "adjudication")
    return {
      reasons: [
        { value: "wrong_answer", label: "The answer is wrong" },
        { value: "not_visible", label: "It cannot be seen" },
      ],
    };
  if (name === "grading") {
    return {
      raters: 3,
      combine: "mean",
      criteria: [
        {
          name: "score",
          kind: "scale",
          prompt: "How good is this answer?",
          values: [0, 0.5, 1],
          labels: ["Wrong", "Partly right", "Right"],
        },
      ],
    };
  }
  if (name === "coding") return { raters: 2, criteria: [ask("error", "Is the answer wrong?")] };
  if (name === "comparison")
    return { raters: 3, criteria: [{ name: "better", kind: "preference", prompt: "Which answer is better?" }] };
  return {};
}
