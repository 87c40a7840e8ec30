// What the server sends to the page of the builder. `form_state.py` and `actions.py` of this extension build it.

import type { PreviewData } from "./types";

/** A part of a schema, as its YAML has it. */
// biome-ignore lint/suspicious/noExplicitAny: a half-written schema has any shape
export type Part = any;
export type Step = string | number;

export interface Edit {
  do: "set" | "remove" | "insert" | "move" | "rename" | "kind" | "name";
  path: Step[];
  value?: unknown;
  at?: number;
}

export interface Fix {
  label: string;
  edits: Edit[];
}

export interface Finding {
  line: number;
  path: Step[];
  key: string;
  level: "error" | "warning";
  message: string;
  fixes: Fix[];
}

export interface Named {
  name: string;
  title: string;
}

export interface Kind extends Named {
  help: string;
  keys: string[];
  is_list?: boolean;
}

export interface Rule extends Named {
  help: string;
  key: boolean;
  values: boolean;
}

export interface Catalog {
  questions: Kind[];
  fields: Kind[];
  rules: Rule[];
  stages: (Named & { help: string; votes: boolean })[];
  keys: string[];
}

export interface FormState {
  /** Null: the text is not plain YAML at the moment. */
  value: Part | null;
  lines: Record<string, [first: number, last: number]>;
  findings: Finding[];
  valid: boolean;
  /** Which votes keep an item, by stage. */
  keep: Record<string, string>;
  stages: Named[];
  dimensions: Named[];
  stage: string | null;
  dimension: string | null;
  form: PreviewData | null;
  note: string;
}

export interface Checked extends FormState {
  text: string;
  /** Why a row's edit was not made. */
  refused: string;
  draft: string;
  revision: number;
  saved_at: string;
  /** Another tab had saved since, so this text became a draft of its own. */
  copied: boolean;
}

export interface DraftLine {
  draft: string;
  title: string;
  saved_at: string;
}

export interface Opened {
  draft: string;
  revision: number;
  text: string;
  guideline: string;
}

export interface BuilderPage {
  csrf: string;
  catalog: Catalog;
  drafts: DraftLine[];
  blank: (Named & { help: string })[];
  examples: (Named & { stages: string[]; published: boolean })[];
  /** The running project whose schema is edited. */
  project: string | null;
  /** Of a running project: the schema in force, or the newest draft. */
  opened: Opened | null;
  project_title: string;
}

/** What rows are drawn from. */
export interface RowsContext {
  value: Part;
  findings: Finding[];
  keep: Record<string, string>;
  catalog: Catalog;
  /** The path of the open row, with slashes. */
  open: string;
  /** Findings that a row has shown. */
  shown: Set<Finding>;
}
