// When something happens in a clip: I sets the beginning, O the end, while it plays or frame by frame.
//
// A span whose end is still to come is kept as it is, so that a draft has it; `problem` says what is missing.

import { el, fill, keepFocus, key } from "../dom.js";
import { ClipFrame } from "../media/clip.js";
import { t, tn } from "../words.js";
import { endsOf, inWords, momentsOf } from "./span_words.js";
import { TimeSpanField } from "./time_span_field.js";

/** @import { Frame } from "../media/frame.js" */
/** @import { Control, Criterion, Editor, KeyRow, Seat } from "../types" */
/** @import { Asked, Span } from "./span_words.js" */

const TAKES = ["I", "O"];
/** @type {KeyRow[]} */
const KEYS = [
  ["I O", t("start a time span at this frame, end it at this frame")],
  ["⌫", t("remove the last span")],
];
const quiet = { type: "button", tabindex: "-1" };
const exact = (/** @type {number} */ value) => Number(value.toFixed(6));

/**
 * @implements {Control}
 * @implements {Editor}
 */
export class TimeSpan {
  static takes = TAKES;
  /** @type {KeyRow[]} */
  static keys = [...KEYS, ["0", t("it does not happen")]];

  /**
   * @param {Asked} asked
   * @param {Seat} seat
   */
  constructor(asked, seat) {
    this.asked = asked;
    this.seat = seat;
    this.takes = TAKES;
    this.onTheWay = true;
    this.slots = 0;
    const [first, last] = endsOf(asked);
    this.first = first;
    this.last = last;
    this.frames = asked.unit === "frames";
    this.most = asked.max ?? 1;
    this.list = el("ul", { class: "spanlist" });
    const tools = [
      this.button("I", ` ${t("starts here")}`, () => this.begin()),
      this.button("O", ` ${t("ends here")}`, () => this.end()),
      asked.min ? null : this.button("0", ` ${t("does not happen")}`, () => seat.done([])),
    ];
    const keys = [
      key(","),
      key("."),
      ` ${t("frame ·")} `,
      key("⌫"),
      ` ${t("removes the last span ·")} `,
      key("⏎"),
      ` ${t("done")}`,
    ];
    this.help = el("p", { class: "help keyline" }, keys);
    const parts = [this.list, el("div", { class: "spantools" }, tools), this.help];
    this.root = el("div", { class: "spans timespans", role: "group", "aria-labelledby": seat.id }, parts);
  }

  /**
   * @param {string} name
   * @param {string} words
   * @param {() => void} act
   */
  button(name, words, act) {
    const click = () => {
      this.seat.activate();
      act();
    };
    return el("button", { ...quiet, class: "small", on: { click, mousedown: keepFocus } }, key(name), words);
  }

  /** @returns {Span[]} */
  spans(value = this.seat.value()) {
    return Array.isArray(value) ? value : [];
  }

  // ---- the clip

  /** @param {Frame} frame */
  covers(frame) {
    const { role } = this.asked;
    return frame instanceof ClipFrame && (!role || frame.asset.role === role);
  }

  get clip() {
    return this.seat.media.frames.filter((frame) => frame instanceof ClipFrame).find((clip) => this.covers(clip));
  }

  attach() {
    const { media } = this.seat;
    if (media.editor === this) return;
    media.editor?.detach();
    media.edit(this);
  }

  detach() {
    if (this.seat.media.editor === this) this.seat.media.edit(null);
  }

  /**
   * The frame on screen: where it begins and where it ends, in the unit that is asked for; null if that is not known.
   * @returns {[number, number] | null}
   */
  here() {
    const { clip } = this;
    if (!clip) return null;
    if (!clip.times) return this.frames ? null : [exact(clip.video.currentTime), exact(clip.video.currentTime)];
    if (this.frames) return [clip.at + 1, clip.at + 1];
    return [exact(clip.times[clip.at]), exact(clip.times[clip.at + 1] ?? this.length ?? 0)];
  }

  /** Where the clip ends, in the unit that is asked for; null if that is not known. */
  get length() {
    const { clip } = this;
    if (!clip?.times) return null;
    return this.frames ? clip.times.length : clip.duration || clip.video.duration;
  }

  /**
   * Shows the frame in which a span begins.
   * @param {Span} span
   */
  show(span) {
    const { clip } = this;
    this.seat.activate();
    clip?.show(momentsOf(span, this.asked, clip)[0]);
  }

  /**
   * What the bar of a clip shows.
   * @param {Frame} frame
   */
  spansOn(frame) {
    return frame === this.clip ? this.spans().map((span) => momentsOf(span, this.asked, this.clip)) : [];
  }

  // ---- what is set

  begin() {
    const here = this.here();
    const done = this.spans().filter((span) => this.last in span);
    if (!here) return this.seat.set(this.seat.value(), t("The frame times of this clip are not known yet."));
    if (this.most > 1 && done.length >= this.most)
      return this.seat.set(this.seat.value(), t("Set at most {most} spans.", { most: this.most }));
    return this.seat.set([...(this.most === 1 ? [] : done), { [this.first]: here[0] }]);
  }

  end() {
    const here = this.here();
    const spans = this.spans();
    const open = spans.find((span) => !(this.last in span)) || (this.most === 1 ? spans[0] : undefined);
    if (!here) return this.seat.set(this.seat.value(), t("The frame times of this clip are not known yet."));
    if (!open) return this.seat.set(this.seat.value(), t("Set the start first, with I."));
    if (here[1] < open[this.first] || (here[1] === open[this.first] && !this.frames))
      return this.seat.set(spans, t("The end must be after the start."));
    const made = { [this.first]: open[this.first], [this.last]: here[1] };
    const others = spans.filter((span) => span !== open);
    if (others.some((span) => span[this.first] === made[this.first] && span[this.last] === made[this.last]))
      return this.seat.set(spans, t("You have already set this span."));
    return this.seat.set(
      [...others, made].sort((one, other) => one[this.first] - other[this.first] || one[this.last] - other[this.last]),
    );
  }

  takeBack() {
    const left = this.spans().slice(0, -1);
    this.seat.set(left.length ? left : undefined); // none at all is said by 0
  }

  /** @param {Span} span */
  remove(span) {
    const left = this.spans().filter((other) => other !== span);
    this.seat.set(left.length ? left : undefined);
  }

  // ---- what the form asks

  /**
   * @param {unknown} value
   * @param {boolean} keyed
   */
  paint(value, keyed) {
    if (keyed) this.attach();
    else this.detach();
    this.root.classList.toggle("here", keyed);
    this.help.classList.toggle("idle", !keyed);
    if (keyed) this.seat.media.repaint();
    const spans = this.spans(value).map((span) => this.row(span));
    fill(this.list, value && !spans.length ? el("li", { class: "quiet" }, t("It does not happen.")) : spans);
  }

  /** @param {Span} span */
  row(span) {
    const told = inWords(span, this.asked);
    const show = () => this.show(span);
    const remove = () => this.remove(span);
    return el(
      "li",
      { class: this.last in span ? "" : "open" },
      el(
        "button",
        { ...quiet, class: "timespan", title: t("Show the start"), on: { click: show, mousedown: keepFocus } },
        told,
      ),
      el(
        "button",
        {
          ...quiet,
          class: "small",
          "aria-label": t("Remove {told}", { told }),
          on: { click: remove, mousedown: keepFocus },
        },
        "×",
      ),
    );
  }

  /** @param {unknown} value */
  problem(value) {
    const { min } = this.asked;
    if (value === undefined) return t("Set the start with I and the end with O.");
    const spans = this.spans(value);
    if (spans.some((span) => !(this.last in span))) return t("Set the end, with O.");
    const { length } = this;
    const late = length === null ? undefined : spans.find((span) => span[this.last] > length + 1e-3);
    if (late) {
      const end = this.frames ? t("at frame {length}", { length }) : t("at {length} s", { length: length?.toFixed(2) });
      return t("{value}: the clip ends {end}.", { value: inWords(late, this.asked), end });
    }
    if (!min || spans.length >= min) return null;
    return tn("Set at least {min} span. You set {now}.", "Set at least {min} spans. You set {now}.", min, {
      min,
      now: spans.length,
    });
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget} [target] what has the focus
   */
  key(event, target) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const name = event.key.toLowerCase();
    if (name === "enter" && target instanceof HTMLButtonElement) return false;
    if (!["i", "o", "0", "backspace", "enter"].includes(name) || (name === "0" && this.asked.min)) return false;
    if (event.repeat) return true;
    if (name === "i") this.begin();
    else if (name === "o") this.end();
    else if (name === "0") this.seat.done([]);
    else if (name === "backspace") this.takeBack();
    else this.finish();
    return true;
  }

  /** On to what comes next, if this is an answer. */
  finish() {
    const value = this.seat.value();
    const said = value === undefined && !this.asked.required ? null : this.problem(value);
    if (said) this.seat.set(value, said);
    else if (value === undefined) this.seat.onward();
    else this.seat.done(value);
  }

  focus() {
    return false;
  }

  /**
   * @param {unknown} value
   * @param {Criterion} criterion
   */
  static words(value, criterion) {
    if (!Array.isArray(value)) return String(value);
    return value.map((span) => inWords(span, criterion)).join("; ") || t("It does not happen.");
  }
}

export { TimeSpan as control };
export const field = new TimeSpanField(TimeSpan, KEYS, TAKES);
