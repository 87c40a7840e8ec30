// What the server sends to the pages, and what a page sends back, as tsc checks it.
//
// `app/workbench/page.py` builds the pages and `app/routes/work.py` the replies; `tests/app/test_workbench_types.py`
// compares their keys with the names here. The other types are those that several modules share.

// ---- the part of a page that stays: made from the schema and the guideline

export type Scalar = string | number | boolean;

/** An option, a step of a scale, a reason. */
export interface Choice {
  value: Scalar;
  label: string;
  help: string | null;
  reasons: Choice[];
}

/** What can be chosen for a criterion: a step of a scale may have no label and has no help. */
export interface Option {
  value: Scalar;
  label: string | null;
  help?: string | null;
  reasons: Choice[];
}

export interface Field {
  name: string;
  title: string;
  kind: string;
  help: string | null;
  required: boolean;
  /** The field whose entries are picked. */
  field: string | null;
  options: Choice[];
  /** Of a choice: by dimension the values that its items can have; a dimension that is not there has all. */
  by_dimension: Record<string, Scalar[]>;
  /** Of a text whose form another field names. */
  formed: Formed | null;
  /** Of an answer that is said or drawn: the values of that field with which, or without which, it is filled in. */
  only: { by: string; values: string[]; with: boolean } | null;
  distinct: boolean;
  options_title: string | null;
  length: number | null;
  min: number | null;
  max: number | null;
  authored: boolean;
  /** The language that is written here, as browsers name it. */
  language: string | null;
  /** It has rules of wording, which the server looks at. */
  wording: boolean;
  /** Of what is drawn or timed: the role of the images or of the clip. */
  role?: string | null;
  /** Of one entry of a list: the label of the value that none of them is right. */
  none?: string | null;
  /** Of a number with decimals. */
  step?: number | null;
  /** Of spans of time: in what they count, and under which keys they say where they begin and end. Of a number: its unit. */
  unit?: string | null;
  ends?: [first: string, last: string];
  /** Of what is drawn. */
  drawing?: Limits;
  /** Of masks: what is painted over; null: they are tinted. */
  cover?: "inside" | "outside" | null;
}

/** How a text is picked besides being typed, by the value of the field that names its form. */
export interface Formed {
  by: string;
  /** The field whose entries are picked; where a form has words, these are. */
  list: string | null;
  forms: Record<string, { words: string[]; picks: "" | "one" | "several" | "order" }>;
}

export interface Criterion {
  name: string;
  kind: string;
  prompt: string;
  help: string | null;
  field: string | null;
  options: Option[];
  aspects: Aspect[];
  /** Null: all dimensions. */
  dimensions: string[] | null;
  required: boolean;
  show_if: Record<string, Scalar[]>;
  skip: { label: string; reasons: Choice[] } | null;
  // Of the kinds that have a module of checks of their own:
  min?: number | null;
  max?: number | null;
  step?: number | null;
  unit?: string | null;
  /** The labels of answers besides the options. */
  none?: string | null;
  cannot_tell?: string | null;
  of?: string;
  actions?: { name: string; help: string | null }[];
  role?: string | null;
  ends?: [first: string, last: string];
  /** Of boxes and marks. */
  drawing?: Limits;
  /** Of a property list: what can be said of each property. */
  said?: { value: Scalar; label: string }[];
}

/** The numbers of what is drawn, in shares of the image: annotation_schemas/drawing.py. */
export interface Limits {
  decimals: number;
  least_side: number;
  new_side: number;
  step: number;
  fine: number;
  largest_number: number;
  /** The colour of what the item itself shows. */
  tone: string;
  /** That of what it paints over. */
  grey: string;
  /** How much of the colour of a mask is over what it lies on. */
  tint: number;
}

export interface Aspect {
  name: string;
  title: string;
  definition: string;
}

export interface Dimension {
  title: string;
  definition: string | null;
  group: string | null;
}

export interface Slot {
  role: string;
  title: string;
  kind: string;
  min: number;
  max: number | null;
}

export interface Static {
  hash: string;
  project: { name: string; title: string; made_up: boolean };
  /** Whether people see what others answered after an item is settled. */
  show_others: boolean;
  stage: { name: string; title: string };
  dimensions: Record<string, Dimension>;
  guideline: string;
  guideline_hash: string;
  schema_hash: string;
  fields: Field[];
  slots: Slot[];
  /** What has to hold between the fields, and between the answers. */
  field_rules: CrossRule[];
  criteria: Criterion[];
  rules: CrossRule[];
  vote_criteria: Criterion[];
  adjudication: { reasons: Choice[]; edit: boolean } | null;
}

export interface CrossRule {
  rule: string;
  of: string[];
  when: Record<string, Scalar[]>;
  say: string;
  /** It is about what is filled in and what is not. */
  absence: boolean;
  /** Its values are compared as numbers. */
  numbers: boolean;
}

// ---- the part of a page that changes with every task

export interface Asset {
  id: string;
  role: string;
  title: string;
  /** What is seen there in words, where the item says so. */
  alt: string | null;
  kind: string;
  missing: boolean;
  width: number | null;
  height: number | null;
  /** In the pool: all that an item is written about together, itself first; empty where it stands alone. */
  group: Asset[];
}

export interface PlanStep {
  line: string;
  start: number;
  problems: string[];
  open: string[];
}

export interface Vote {
  label: string;
  values: Values;
  reasons: Record<string, unknown>;
  note: string;
}

export interface GuidelineNews {
  number: number;
  why: string;
  changes: [sign: string, text: string][];
}

export interface Draft {
  seq: number;
  values: Answers;
  saved_at: string;
}

export interface Task {
  id: string;
  item: string | null;
  dimension: string;
  revision: number | null;
  fields: Values;
  assets: Asset[];
  options: Record<string, Choice[]>;
  plans: Record<string, PlanStep[]>;
  lease_until: string;
  draft: Draft | null;
  postponed: boolean;
  /** While the person edits their own submission: whether the draft differs from it. */
  correction: { changed: boolean } | null;
  /** In authoring `fields` are what a model proposes. */
  proposed: boolean;
  answer: string | null;
  /** Two models' answers that are compared: the left one, and the right one. */
  answers: [string, string] | null;
  place: [number, number] | null;
  votes: Vote[];
  /** The criteria that the votes answer. */
  vote_criteria: string[];
  history: string[];
  news: GuidelineNews | null;
}

export interface PoolPart {
  dimensions: { id: string; title: string; left: number | null; none: string }[];
  dimension: string;
  assets: Asset[];
  total: number;
  after: string | null;
}

interface Frame {
  person: number;
  csrf: string;
  static_hash: string;
  static: Static | null;
  progress: { done: number; left: number | null; kept: number; decided: number };
  /** What extensions say on top. */
  notes: string[];
  /** The keys that the person has chosen for the stage, by action; null where the browser has them already. */
  keys?: Record<string, string> | null;
  now: string;
  menu?: Place[];
  /** The number of the wish that this page answers. */
  n?: number | null;
  away?: undefined;
}

export interface TaskPage extends Frame {
  view: "task";
  task: Task;
  prefetch: string[] | null;
  earlier: string[];
  to_write: number | null;
  /** The task after this one, held until it is shown. */
  upcoming: Task | null;
}

export interface PoolPage extends Frame {
  view: "pool";
  /** Without dimensions where the browser looks again at the pool that it shows: they are as before. */
  pool: Omit<PoolPart, "dimensions"> & { dimensions: PoolPart["dimensions"] | null };
}

export interface NothingPage extends Frame {
  view: "nothing";
  nothing: { code: string; sentence: string };
}

export type Page = TaskPage | PoolPage | NothingPage;

/** No page could be made: the database is away, in the server's words. */
export interface Away {
  away: string;
}

/** A place to go, in the menu. */
export interface Place {
  name?: string;
  title: string;
  href: string;
  /** The room of a page, in the finder; "below" for an entry of the menu below the line. */
  group?: string;
  /** Further words under which the finder finds the place. */
  words?: string;
  /** "action" for a main action of a page. */
  kind?: string;
  /** How many there are. */
  count?: string;
  /** How many things were not seen yet. */
  new?: string;
}

/** What the menu of a page that is not a working page is made of. */
export interface MenuData {
  /** The rooms in the sidebar; none on a page without a sidebar. */
  entries: Place[];
  /** What M lists: pages, actions, other projects. */
  finder: Place[];
  /** The name of the entry of the present page. */
  here: string;
}

export interface ItemRowsData {
  /** The id of the open item. */
  item: string | null;
  /** The address of the list without an open item. */
  close: string;
  /** Whether J and K move the focus from row to row, and Enter opens. Otherwise J and K open. */
  focus: boolean;
}

export interface TicksData {
  /** The name under which they wait in the tab. */
  kept: string;
  /** Whether the server needs to know which they are. */
  wanted: boolean;
  /** How often it has asked. */
  asked: number;
  /** What it has heard last. */
  said: { asked: number; ticked: string[] };
  /** What is to be ticked no more. */
  drop: string[];
  /** So many are ticked at most. */
  most: number;
}

// ---- parts that extensions add below the form

/** What a part is told by the page, and tells it. */
export interface SideHost {
  csrf: () => string;
  person: () => number;
  changed: () => void;
}

/** A part below the form. Its key opens it. */
export interface SidePart {
  key: string;
  /** As the line on top calls it. */
  title: string;
  /** As the list of keys calls it. */
  help: string;
  root: HTMLElement;
  /** Where someone types; Ctrl Enter sends it from there. */
  box: HTMLElement;
  /** Whether a task has this part. */
  isOffered: (task: Task) => boolean;
  /** Another task, with what was being typed about it. */
  open: (task: Task, answers: Answers) => void;
  /** There is no task any more. */
  close: () => void;
  show: () => void;
  /** What a draft keeps of this part. */
  typed: () => Answers;
  /** Send what was typed. It is also called when the task is submitted. */
  send: () => void;
  /** Send again what a reload cut short. */
  finishOld: () => void;
}

export type SidePartMaker = (host: SideHost) => SidePart;

// ---- what a page sends, and the replies

/** Values of an item's fields or answers to criteria, by name; what a value looks like depends on its kind. */
export type Values = Record<string, unknown>;

/** A draft: what is typed now, finished or not. */
export interface Answers {
  values?: Values;
  reasons?: Record<string, unknown>;
  note?: string;
  comment?: string;
}

/** What is submitted. */
export interface Read {
  values: Values;
  reasons: Record<string, unknown>;
}

/** A submission under its own key. */
export interface Attempt extends Read {
  task: string;
  key: string;
  note: string;
  guideline: string | undefined;
  schema: string;
  seconds: number;
  field_seconds?: Record<string, number>;
}

export interface DraftReply {
  seq: number;
  saved_at: string;
}

export interface SubmitReply {
  /** The id of what was stored. */
  submission: string;
  saved_at: string;
  /** What came of the wish that went with the submission. */
  page: Page | null;
}

export interface HeartbeatReply {
  lease_until: string;
}

/** The frames of a clip: when each comes on screen, in seconds. */
export interface FramesReply {
  times: number[];
  duration: number;
}

/** The reply of undo, postpone, release and pick. */
export interface TaskReply {
  task: string;
}

/** What is wrong with a submission, and with which field or criterion. */
export interface Problem {
  name: string;
  message: string;
}

/** The page that a page asks for: of a project and stage, in a dimension of it. */
export interface Wish {
  project?: string;
  stage?: string;
  dimension?: string | null;
  /** The time zone of the browser. */
  zone?: string;
  have?: string | null;
  pool?: PoolPlace;
  refresh?: boolean;
  submitted?: boolean;
  /** Whether the page is expected to be the one that is shown already. */
  confirms?: boolean;
  postponed?: string | null;
  task?: string;
  ahead?: number;
  n?: number;
  again?: number;
}

export interface PoolPlace {
  dimension: string | undefined;
  after: string | null;
}

// ---- what Streamlit gives a component

export interface Mounted<Data> {
  data: Data;
  parentElement: HTMLElement & DocumentOrShadowRoot & ParentNode;
  setTriggerValue: (name: string, value: unknown) => void;
  setStateValue: (name: string, value: unknown) => void;
}

// ---- the parts of a page

export type Child = Node | string | number | boolean | null | undefined | Child[];

type Listeners = { [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => unknown };

/** What an element is made with: attributes, its listeners (`on`) and its data-attributes (`data`). */
export interface Props {
  on?: Listeners;
  data?: Record<string, string>;
  [attribute: string]: unknown;
}

/** The form next to the media: what the page asks of whichever form is open. */
export interface Form {
  root: HTMLElement;
  /** Marks what is missing or wrong; true when nothing is. */
  check(): boolean;
  /** Shows what the server found; gives back what belongs to nothing here. */
  problems(list: Problem[]): string[];
  /** What is there now, for a draft. */
  raw(): Read;
  /** What is submitted. */
  read(): Read;
  /** A key outside of text boxes; true when used. */
  key(event: KeyboardEvent): boolean;
  /** A key inside of one of its text boxes; true when used. */
  boxKey(event: KeyboardEvent, box: HTMLElement): boolean;
}

/** What a preview of a form is given: a made-up task, or one as someone submitted it. */
export interface PreviewData {
  static: Static;
  task: Task;
  /** Said below what was submitted, which is only read; absent: the form may be tried. */
  said?: string;
}

/** What a form is told by the page around it. */
export interface Host {
  media: MediaPane;
  change(): void;
  submit(): void;
  /** Whether the form has only just opened behind another, so that a press was meant for that one; then says so. */
  unseen(): boolean;
  /** Says something below the form. */
  say(words: string): void;
  blur(): void;
  /** What the server says of the wording of an item's texts; absent where no one is asked. */
  look?(values: Values): Promise<Unheld[]>;
}

/** A rule of wording that a text breaks. */
export interface Unheld {
  field: string;
  rule: string;
  sentence: string;
  /** The server refuses it; otherwise it is advice. */
  stops: boolean;
  /** More words may mend it, so it is not said in the middle of a sentence. */
  later: boolean;
}

import type { Part } from "./forms/field_parts.js";
import type { FieldForm } from "./forms/fields.js";
import type { Stroke } from "./marks/stroke.js";
import type { Frame as MediaFrame } from "./media/frame.js";
import type { ImageFrame } from "./media/image.js";
import type { MediaPane } from "./media/pane.js";

/** What a control shows its reasons with: a list, and whether one may be typed. */
export interface Reasons {
  list: Choice[];
  typed: boolean;
}

/** The control of one kind of criterion; kinds/index.js lists them. */
export interface Control {
  /** What it draws. */
  root: HTMLElement;
  /** Where the form may put the skip button next to its own; absent: it gets a row of its own. */
  choices?: HTMLElement;
  /** How many of the printed keys it uses itself. */
  slots: number;
  /** Whether the focus stops here on its way down although nothing needs to be answered. */
  onTheWay: boolean;
  /** Shows the value; prints its keys if they work now. */
  paint(value: unknown, keyed: boolean): void;
  /** What is wrong or missing, as a sentence; null if this is an answer. */
  problem(value: unknown): string | null;
  /** What is sent; undefined: nothing. */
  read(value: unknown): unknown;
  /** The reasons that this value asks for; null if none. */
  reasons(value: unknown): Reasons | null;
  /** A key outside of text boxes, while it is the active one; true when used. */
  key(event: KeyboardEvent): boolean;
  /** Likewise inside one of its own text boxes. */
  boxKey?(event: KeyboardEvent, box: HTMLElement): boolean;
  /** Puts the caret where typing begins; false if it needs none. */
  focus(): boolean;
}

/** What a control is told by the form, and tells it. */
export interface Seat {
  /** Labels the control for screen readers. */
  id: string;
  /** The pane with the item's pictures. */
  media: MediaPane;
  value(): unknown;
  /** The text that the criterion is about. */
  text(of: string | undefined): string;
  /** The steps read from it. */
  plan: PlanStep[];
  /** Keeps what is half done and shows what is wrong with it. */
  set(value: unknown, said?: string | null): void;
  /** Answers and goes on. */
  done(value: unknown): void;
  /** Goes on without submitting; whether there was somewhere to go. */
  onward(): boolean;
  /** Makes it the active one. */
  activate(): void;
}

export interface ControlMaker {
  new (criterion: Criterion, seat: Seat): Control;
  /** An answer as it is told to others; absent: as it is. */
  words?(value: unknown, criterion: Criterion): string;
  /** The keys of its own, as the list of keys has them. */
  keys?: KeyRow[];
  /** Answers are drawn on the item's images. */
  drawn?: boolean;
  /** Keys that otherwise do something else to images and clips. */
  takes?: string[];
  /** The field that it is about stands in it, and not with the item's others. */
  showsField?: boolean;
}

/** Keys, with blanks between them, and what they do. */
export type KeyRow = [names: string, what: string];

/** What hears keys and pointer before all others, while it is what someone draws or times. */
export interface Editor {
  /** What it draws on the form. */
  root: HTMLElement;
  /** Whether it is about that image or clip. */
  covers(frame: MediaFrame): boolean;
  key(event: KeyboardEvent, target: EventTarget | undefined): boolean;
  detach(): void;
  /** Keys that otherwise do something else to images and clips. */
  takes?: string[];
  /** A press on an image; absent: nothing is drawn. */
  press?(frame: ImageFrame, px: number, py: number): Stroke;
  entriesOf?(frame: MediaFrame): Painted[];
  /** What the bar of a clip shows, in seconds; absent: nothing. */
  spansOn?(frame: MediaFrame): [begins: number, ends: number][];
}

/** What draws on images, whoever has the keys. */
export interface Drawer {
  /** Where it stands on the form; what the form hides draws nothing. */
  root: HTMLElement;
  covers(frame: MediaFrame): boolean;
  entriesOf(frame: MediaFrame): Painted[];
}

/** What is drawn. */
export interface Shape {
  noun: string;
  nouns: string;
  /** What is asked for where there is none. */
  ask: string;
  /** What the pointer does to make one, in words. */
  begin: string;
  /** A new one in the middle of what is seen. */
  made(middle: Point, side: number): Mark;
  /** The one that is dragged from one place to another; absent: they are made by clicks. */
  between?(start: Point, end: Point, limits: Limits): Mark;
  /** It is a point with a number; others may have a label. */
  numbered?: boolean;
  /** It is made point by point, which can be typed, too. */
  points?: boolean;
  /** What arrow keys change besides its place. */
  turns?: string;
  /** What is not finished, as a sentence. */
  missing?(list: unknown[]): string | null;
  /** It is painted over, once it is drawn. */
  filled?: boolean;
}

// ---- fields of an item on the form

/** How a kind of field is written; `field` of its module in kinds/. */
export interface FieldKind {
  /** Fills the body of its part on the form. */
  body(form: FieldForm, part: Part): void;
  /** What the form begins with, of what the item has; absent: that. */
  begun?(field: Field, value: unknown): unknown;
  /** What is sent of what is written, without the spaces around it; absent: that. */
  submitted?(field: Field, value: unknown): unknown;
  /** What is wrong with a value that is there, as a sentence. */
  problem(asked: Asked): string | null;
  /** How much is written, where that is bounded. */
  count?(field: Field, value: unknown): string;
  /** What can be picked; absent: it is written. */
  entries?(form: FieldForm, field: Field): unknown[];
  /** What the value is after an entry was picked. */
  picked?(form: FieldForm, field: Field, entry: unknown): unknown;
  /** A value as a person reads it; absent: as it is. */
  told?(field: Field, value: unknown): unknown;
  /** Text that is held against that of other items. */
  isText?: boolean;
  /** It is drawn on the item's images. */
  drawn?: boolean;
  /** Its boxes are painted over. */
  filled?: boolean;
  /** The keys of its own, as the list of keys has them. */
  keys?: KeyRow[];
  /** Keys that otherwise do something else to images and clips. */
  takes?: string[];
}

/** A field that is checked. */
export interface Asked {
  field: Field;
  /** What the form has of it. */
  part: Part;
  /** As it would be submitted. */
  value: unknown;
  /** As it is written. */
  raw: unknown;
  /** What can be picked. */
  entries: unknown[];
  /** Also what may only be unfinished. */
  strict: boolean;
  /** Whether someone has left its box. */
  touched: boolean;
}

// ---- places on an image

export interface Point {
  x: number;
  y: number;
}

/** Where an image lies on the screen. */
export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

/** How far the images are enlarged, and which point of them is wanted in the middle. */
export interface View extends Point {
  scale: number;
}

interface Marked {
  label?: Scalar;
  number?: number;
  /** Which image of its role; absent: the first. */
  image?: number;
}

interface Placed extends Point, Marked {}

/** A numbered point of an answer, in fractions of its image. */
export interface Dot extends Placed {}

/** A box of an answer, in fractions of its image. */
export interface Box extends Placed {
  w: number;
  h: number;
}

/** An arrow, which begins at its place. */
export interface Arrow extends Placed {
  to_x: number;
  to_y: number;
}

/** Pixels as COCO writes them. */
export interface Runs {
  size: [height: number, width: number];
  counts: number[] | string;
}

/** A mask: rings of points, or pixels. */
export interface Area extends Marked {
  rings?: number[][][];
  rle?: Runs;
}

export type Mark = Box | Dot | Arrow | Area;

/** A mark, ready to be painted. */
export type Painted = Mark & {
  text: string;
  tone: string;
  chosen?: boolean;
  filled?: string;
  /** How much of its tone lies over the image. */
  tint?: number;
  /** What of a mask is painted over. */
  cover?: "inside" | "outside" | null;
  /** It gets further points. */
  open?: boolean;
};

/** What an item's field or a vote shows on the images. */
export interface Shown {
  role?: string | null;
  options: Option[];
  value: unknown;
  tone: string;
  /** The colour in which its boxes are painted over; absent: they are not. */
  filled?: string;
  tint?: number;
  /** Of masks: what is painted over. */
  cover?: "inside" | "outside" | null;
  prefix?: string;
}
