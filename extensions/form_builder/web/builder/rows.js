// The parts of a form as rows: what an item shows, its fields, dimensions, and stages with their questions.

import { el } from "../dom.js";
import { act, box, choice, labeled, tick } from "./fields.js";
import { entry, findingsAt, more, section } from "./frames.js";
import { free, isList, isMap, list, text } from "./parts.js";
import { optionRows } from "./questions.js";
import { moreStages, stageSection } from "./stages.js";

/** @import { Child } from "../types" */
/** @import { Kind, Part, RowsContext, Step } from "../builder_types" */

/** @param {RowsContext} ctx @returns {Child[]} */
export function rows(ctx) {
  const item = isMap(ctx.value.item) ? ctx.value.item : {};
  const stages = isMap(ctx.value.stages) ? ctx.value.stages : {};
  const used = ctx.catalog.stages.filter(({ name }) => isMap(stages[name]));
  const missing = ctx.catalog.stages.filter(({ name }) => !isMap(stages[name]));
  const drawn = [
    head(ctx),
    assets(ctx, list(item.assets)),
    fields(ctx, list(item.fields)),
    dimensions(ctx, list(ctx.value.dimensions)),
    ...used.map((stage) => stageSection(ctx, stage, stages[stage.name])),
    moreStages(missing, stages),
    rest(ctx),
  ];
  const left = ctx.findings.filter((finding) => !ctx.shown.has(finding));
  return [left.length ? section(ctx, "To look at", "findings", [], findingsAt(ctx, [], left)) : null, ...drawn];
}

/** @param {RowsContext} ctx */
function head(ctx) {
  const { value } = ctx;
  return section(
    ctx,
    "About",
    "about",
    [],
    [
      labeled("Title", box(["title"], value.title, { needed: true })),
      ...findingsAt(ctx, ["title"]),
      ...findingsAt(ctx, ["name"]),
      ...findingsAt(ctx, ["version"]),
    ],
  );
}

/** @param {RowsContext} ctx @param {Part[]} slots */
function assets(ctx, slots) {
  /** @param {string} kind */
  const add = (kind) =>
    act(
      `+ ${kind === "clip" ? "Clip" : "Image"}`,
      [{ do: "insert", path: ["item", "assets"], at: slots.length, value: { role: free(slots, "role", kind), kind } }],
      {
        id: `add.${kind}`,
        style: "link",
        open: `item/assets/${slots.length}`,
      },
    );
  return section(
    ctx,
    "An item shows",
    "assets",
    [add("image"), add("clip")],
    slots.map((slot, at) => {
      const path = ["item", "assets", at];
      const most = slot?.max ?? (slot?.min > 1 ? slot.min : 1);
      const several = slot?.max === null || most > 1;
      const about = `${several ? `up to ${most}` : "one"} ${slot?.kind ?? "image"}${several ? "s" : ""}${slot?.min === 0 ? ", optional" : ""}`;
      return entry(ctx, path, slots.length, text(slot?.role, "no name"), about, () => [
        labeled("Name", box([...path, "role"], slot?.role, { name: true, needed: true })),
        labeled(
          "Kind",
          choice([...path, "kind"], slot?.kind, [
            { value: "image", label: "Image" },
            { value: "clip", label: "Clip" },
          ]),
        ),
        el(
          "div",
          { class: "pair" },
          labeled("At least", box([...path, "min"], slot?.min, { kind: "numeric", placeholder: "1" })),
          labeled("At most", box([...path, "max"], slot?.max, { kind: "numeric", placeholder: "1" })),
        ),
        more(slot, ["role", "kind", "min", "max"]),
      ]);
    }),
    ["item", "assets"],
  );
}

/** @param {RowsContext} ctx @param {Part[]} entries */
function fields(ctx, entries) {
  const add = act(
    "+ Field",
    [
      {
        do: "insert",
        path: ["item", "fields"],
        at: entries.length,
        value: { name: free(entries, "name", "field"), kind: "text" },
      },
    ],
    {
      id: "add.field",
      style: "link",
      open: `item/fields/${entries.length}`,
    },
  );
  return section(
    ctx,
    "Fields",
    "fields",
    [add],
    entries.map((field, at) => {
      const path = ["item", "fields", at];
      const kind = ctx.catalog.fields.find(({ name }) => name === (field?.kind ?? "text"));
      const about = [
        kind?.title ?? field?.kind,
        field?.max_length && !kind?.is_list ? `up to ${field.max_length} characters` : "",
        list(field?.secret_in).length ? "hidden from voters" : "",
      ];
      return entry(ctx, path, entries.length, text(field?.name, "no name"), about.filter(Boolean).join(", "), () =>
        fieldBody(ctx, path, field, kind, entries),
      );
    }),
    ["item", "fields"],
  );
}

/**
 * @param {RowsContext} ctx
 * @param {Step[]} path
 * @param {Part} field
 * @param {Kind | undefined} kind
 * @param {Part[]} entries
 */
function fieldBody(ctx, path, field, kind, entries) {
  const keys = kind?.keys ?? [];
  const lists = entries
    .filter((each) => isList(ctx, each))
    .map((each) => ({ value: each.name, label: String(each.name) }));
  const hidden = list(field?.secret_in);
  const stages = isMap(ctx.value.stages) ? ctx.value.stages : {};
  const blind = ctx.catalog.stages.filter(
    ({ name }) => isMap(stages[name]) && !["authoring", "triage", "adjudication"].includes(name),
  );
  return [
    labeled("Name", box([...path, "name"], field?.name, { name: true, needed: true })),
    labeled(
      "Kind",
      choice(
        [...path, "kind"],
        field?.kind ?? "text",
        ctx.catalog.fields.map((each) => ({ value: each.name, label: each.title })),
        { do: "kind" },
      ),
      kind?.help,
    ),
    labeled("Help for authors", box([...path, "help"], field?.help)),
    keys.includes("field") && labeled("Chosen from", choice([...path, "field"], field?.field, lists)),
    keys.includes("max_length") &&
      labeled("Most characters", box([...path, "max_length"], field?.max_length, { kind: "numeric" })),
    keys.includes("options") && optionRows([...path, "options"], field?.options),
    tick([...path, "required"], field?.required === false, "May stay empty", [
      field?.required === false
        ? { do: "remove", path: [...path, "required"] }
        : { do: "set", path: [...path, "required"], value: false },
    ]),
    ...blind.map(({ name, title }) => {
      const on = hidden.includes(name);
      const left = on ? hidden.filter((each) => each !== name) : [...hidden, name];
      return tick([...path, "secret_in", name], on, `Hidden in ${title}`, [
        left.length
          ? { do: "set", path: [...path, "secret_in"], value: left }
          : { do: "remove", path: [...path, "secret_in"] },
      ]);
    }),
    more(field, [
      "name",
      "kind",
      "help",
      "required",
      "secret_in",
      ...["field", "max_length", "options"].filter((key) => keys.includes(key)),
    ]),
  ];
}

/** @param {RowsContext} ctx @param {Part[]} entries */
function dimensions(ctx, entries) {
  const id = free(entries, "id", "dimension");
  const add = act(
    "+ Dimension",
    [
      {
        do: "insert",
        path: ["dimensions"],
        at: entries.length,
        value: { id, title: `Dimension ${entries.length + 1}` },
      },
    ],
    {
      id: "add.dimension",
      style: "link",
      open: `dimensions/${entries.length}`,
    },
  );
  return section(
    ctx,
    "Dimensions",
    "dimensions",
    [add],
    entries.map((dimension, at) => {
      const path = ["dimensions", at];
      const about = dimension?.wanted ? `${dimension.wanted} items wanted` : "";
      return entry(ctx, path, entries.length, text(dimension?.title, text(dimension?.id, "no title")), about, () => [
        labeled("Title", box([...path, "title"], dimension?.title, { needed: true })),
        labeled(
          "ID",
          box([...path, "id"], dimension?.id, { name: true, needed: true }),
          "Small letters, digits and underscores.",
        ),
        labeled(
          "Definition",
          box([...path, "definition"], dimension?.definition, { long: true }),
          "One sentence that working pages show.",
        ),
        labeled("Items wanted", box([...path, "wanted"], dimension?.wanted, { kind: "numeric" })),
        more(dimension, ["title", "id", "definition", "wanted"]),
      ]);
    }),
    ["dimensions"],
  );
}

/** @param {RowsContext} ctx */
function rest(ctx) {
  const known = ["name", "title", "version", "dimensions", "item", "stages", "guideline"];
  const others = Object.keys(ctx.value).filter((key) => !known.includes(key));
  if (!others.length) return null;
  return el("p", { class: "quiet rest", data: { id: "rest" } }, `Only in the YAML: ${others.join(", ")}.`);
}
