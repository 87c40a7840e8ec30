// When something happens in a clip: I sets the beginning, O the end, while it plays or frame by frame.
//
// A span whose end is still to come is kept as it is, so that a draft has it; `problem` says what is missing.

import { el, fill, key } from "../dom.js";
import { ClipFrame } from "../media/clip.js";

/** @import { Control, Criterion, Seat } from "../types" */

/** @typedef {Record<string, number>} Span a beginning and, once it is set, an end, under the names that their unit has */

/** @type {Record<string, [first: string, last: string]>} */
const ends = { seconds: ["start", "end"], frames: ["first", "last"] };
const exact = (/** @type {number} */ value) => Number(value.toFixed(6));

/** @implements {Control} */
class TimeSpan {
  /**
   * @param {Criterion} criterion
   * @param {Seat} seat
   */
  constructor(criterion, seat) {
    this.criterion = criterion;
    this.seat = seat;
    this.onTheWay = true;
    this.slots = 0;
    this.unit = criterion.unit || "seconds";
    const [first, last] = ends[this.unit];
    this.first = first;
    this.last = last;
    this.most = criterion.max || 1;
    this.list = el("ul", { class: "spanlist" });
    const tools = [
      this.button("I", " begins here", () => this.begin()),
      " ",
      this.button("O", " ends here", () => this.end()),
      " ",
      criterion.min ? null : this.button("0", " does not happen", () => seat.done([])),
    ];
    const keys = [key(","), key("."), " frame · ", key("⌫"), " takes the last one back · ", key("⏎"), " done"];
    const help = el("p", { class: "help keyline" }, tools, " ", keys);
    this.root = el("div", { class: "spans timespans", role: "group", "aria-labelledby": seat.id }, this.list, help);
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
    return el("button", { type: "button", class: "small", tabindex: "-1", on: { click } }, key(name), words);
  }

  /** @returns {Span[]} */
  spans(value = this.seat.value()) {
    return Array.isArray(value) ? value : [];
  }

  get clip() {
    const { role } = this.criterion;
    const clips = this.seat.media.frames.filter((frame) => frame instanceof ClipFrame);
    return clips.find((clip) => !role || clip.asset.role === role);
  }

  /**
   * The frame on screen: where it begins and where it ends, in the unit that is asked for; null if that is not known.
   * @returns {[number, number] | null}
   */
  here() {
    const { clip } = this;
    if (!clip) return null;
    if (!clip.times)
      return this.unit === "frames" ? null : [exact(clip.video.currentTime), exact(clip.video.currentTime)];
    if (this.unit === "frames") return [clip.at + 1, clip.at + 1];
    return [exact(clip.times[clip.at]), exact(clip.times[clip.at + 1] ?? (clip.duration || clip.video.duration))];
  }

  begin() {
    const here = this.here();
    const done = this.spans().filter((span) => this.last in span);
    if (!here) return this.seat.set(this.seat.value(), "The frames of this clip are not known yet.");
    if (this.most > 1 && done.length >= this.most)
      return this.seat.set(this.seat.value(), `At most ${this.most} spans fit.`);
    return this.seat.set([...(this.most === 1 ? [] : done), { [this.first]: here[0] }]);
  }

  end() {
    const here = this.here();
    const spans = this.spans();
    const open = spans.find((span) => !(this.last in span)) || (this.most === 1 ? spans[0] : undefined);
    if (!here) return this.seat.set(this.seat.value(), "The frames of this clip are not known yet.");
    if (!open) return this.seat.set(this.seat.value(), "Set the beginning first, with I.");
    if (here[1] < open[this.first] || (here[1] === open[this.first] && this.unit === "seconds"))
      return this.seat.set(spans, "It would end before it begins.");
    const list = [...spans.filter((span) => span !== open), { [this.first]: open[this.first], [this.last]: here[1] }];
    return this.seat.set(
      list.sort((one, other) => one[this.first] - other[this.first] || one[this.last] - other[this.last]),
    );
  }

  takeBack() {
    const left = this.spans().slice(0, -1);
    this.seat.set(left.length ? left : undefined); // none at all is said by 0
  }

  /** @param {Span} span */
  told(span) {
    const told = (/** @type {number | undefined} */ value) =>
      value === undefined ? "…" : this.unit === "frames" ? String(value) : `${value.toFixed(2)} s`;
    return `${this.unit === "frames" ? "frames " : ""}${told(span[this.first])} to ${told(span[this.last])}`;
  }

  /** @param {unknown} value */
  paint(value) {
    const spans = this.spans(value).map((span) => this.row(span));
    fill(this.list, value && !spans.length ? el("li", { class: "quiet" }, "It does not happen.") : spans);
  }

  /** @param {Span} span */
  row(span) {
    const told = this.told(span);
    const click = () => this.remove(span);
    const label = `Remove ${told}`;
    const away = el(
      "button",
      { type: "button", class: "small", tabindex: "-1", "aria-label": label, on: { click } },
      "×",
    );
    return el("li", {}, el("span", { class: "timespan" }, told), " ", away);
  }

  /** @param {Span} span */
  remove(span) {
    const left = this.spans().filter((other) => other !== span);
    this.seat.set(left.length ? left : undefined);
  }

  /** @param {unknown} value */
  problem(value) {
    const { min } = this.criterion;
    if (value === undefined) return "Set where it begins with I, and where it ends with O.";
    const spans = this.spans(value);
    if (spans.some((span) => !(this.last in span))) return "Set where it ends, with O.";
    return min && spans.length < min ? `At least ${min} ${min === 1 ? "span" : "spans"}; ${spans.length} now.` : null;
  }

  /** @param {unknown} value */
  read(value) {
    return value;
  }

  reasons() {
    return null;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const name = event.key.toLowerCase();
    if (name === "i") this.begin();
    else if (name === "o") this.end();
    else if (name === "0" && !this.criterion.min) this.seat.done([]);
    else if (name === "backspace") this.takeBack();
    else if (name === "enter") {
      const value = this.seat.value();
      const said = value === undefined && !this.criterion.required ? null : this.problem(value);
      if (said) this.seat.set(this.seat.value(), said);
      else if (value === undefined) this.seat.onward();
      else this.seat.done(value);
    } else return false;
    return true;
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
    const [first, last] = ends[criterion.unit || "seconds"];
    /** @type {Span[]} */
    const spans = value;
    return (
      spans.map((span) => `${span[first]} to ${span[last]}${criterion.unit === "frames" ? "" : " s"}`).join("; ") ||
      "It does not happen."
    );
  }
}

export { TimeSpan as control };
