// A clip: played, and stepped through exactly frame by frame.

import { el, fill, key } from "../dom.js";
import { frameAt, middleOf } from "../geometry.js";
import { t } from "../words.js";
import { Frame } from "./frame.js";
import { mediaUrl } from "./sources.js";

/** @import { Asset, FramesReply } from "../types" */
/** @import { MediaPane } from "./pane.js" */

const SPEEDS = [0.25, 0.5, 1, 1.5, 2];
const STEP_S = 1 / 25; // where the frames are not known
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export class ClipFrame extends Frame {
  /**
   * @param {Asset} asset
   * @param {number} index
   * @param {number} number
   * @param {MediaPane} pane
   */
  constructor(asset, index, number, pane) {
    super(asset, index, number, pane);
    this.speed = 1;
    this.at = 0;
    /** @type {number[] | null} */
    this.times = null; // until the server has said when each frame comes on screen
    this.duration = 0;
    /** @type {number | undefined} */
    this.aim = undefined; // the frame that a step went to, until it plays again
    this.looping = true;
    this.dragging = false;
    this.stopped = false;
    this.video = el("video", {
      class: "view",
      src: mediaUrl(asset.id, "original"),
      poster: mediaUrl(asset.id, "display"),
      muted: true,
      loop: true,
      playsinline: true,
      preload: "auto",
      "aria-label": asset.alt ?? t("{title} of this item", { title: asset.title }),
    });
    this.video.muted = true;
    this.time = el("span", { class: "time" }, "0:00.00");
    this.count = el("span", { class: "frames" });
    const small = { type: "button", tabindex: "-1" };
    this.pace = el(
      "button",
      { ...small, class: "small pace", title: t("Speed"), on: { click: () => this.faster(this.speed === 2 ? -4 : 1) } },
      "1×",
    );
    this.round = el(
      "button",
      { ...small, class: "small round on", "aria-pressed": "true", on: { click: () => this.toggleLoop() } },
      key("O"),
      ` ${t("loop")}`,
    );
    this.play = el("span", { class: "state" }, key("Space"), ` ${t("play")}`);
    this.bar = this.scrubber();
    this.strip = el("div", { class: "spanbar", "aria-hidden": "true" });
    this.listen();
    this.watchFrames();
    this.ask();
    this.box = el("div", { class: "viewport" }, this.video);
    const steps = el("span", { class: "hint" }, key(","), key("."), ` ${t("frame")}`);
    const pace = el("span", { class: "hint" }, key("<"), key(">"));
    const track = el("div", { class: "track" }, this.bar, this.strip);
    const parts = [track, this.count, this.time, steps, this.play, pace, this.pace, this.round];
    this.root.append(this.box, el("div", { class: "clipbar" }, parts));
    this.root.addEventListener("mousedown", (event) => {
      if (event.target !== this.bar) event.preventDefault(); // the focus stays where someone types or times
    });
    if (!still()) this.start();
  }

  get seen() {
    const { videoWidth, videoHeight } = this.video;
    return videoWidth && videoHeight ? videoWidth / videoHeight : null;
  }

  scrubber() {
    const bar = el("input", {
      type: "range",
      min: "0",
      max: "1000",
      value: "0",
      class: "scrub",
      "aria-label": t("Position in the clip"),
      tabindex: "-1",
    });
    /** @type {HTMLElement | undefined} */
    let before;
    bar.addEventListener("pointerdown", () => {
      before = this.pane.editor?.root;
    });
    bar.addEventListener("input", () => {
      this.dragging = true;
      this.video.pause();
      this.aim = undefined;
      this.video.currentTime = (Number(bar.value) / 1000) * (this.video.duration || 0);
    });
    bar.addEventListener("change", () => {
      this.dragging = false;
      bar.blur();
      before?.focus({ preventScroll: true }); // on with the span that is being set
    });
    return bar;
  }

  listen() {
    const { video } = this;
    for (const event of ["timeupdate", "loadedmetadata", "seeked"]) {
      video.addEventListener(event, () => {
        if (this.times && this.aim === undefined) this.at = frameAt(this.times, video.currentTime);
        this.write();
      });
    }
    video.addEventListener("play", () => {
      this.aim = undefined;
      video.loop = this.looping;
      fill(this.play, key("Space"), ` ${t("pause")}`);
    });
    video.addEventListener("pause", () => fill(this.play, key("Space"), ` ${t("play")}`));
    video.addEventListener("click", () => this.playPause());
    video.addEventListener("error", () =>
      video.replaceWith(
        this.absent(
          t("Clip not loaded"),
          t("The clip did not load, or this browser cannot play it. Reload the page, or tell your lead."),
          mediaUrl(this.asset.id, "original"),
        ),
      ),
    );
  }

  /** When each frame comes on screen, as the server has counted it. */
  async ask() {
    try {
      const reply = await fetch(mediaUrl(this.asset.id, "frames"));
      /** @type {FramesReply | null} */
      const answer = reply.ok ? await reply.json() : null;
      if (answer?.times.length) {
        this.times = answer.times;
        this.duration = answer.duration;
        this.at = frameAt(this.times, this.video.currentTime);
      } else this.count.textContent = t("frame numbers unknown");
      this.write();
      this.apply();
    } catch {
      // The server is away: the clip plays without its frames being counted.
    }
  }

  /** What is on screen while it plays: the browser names the moment of each frame that it paints. */
  watchFrames() {
    if (!this.video.requestVideoFrameCallback) return;
    /** @type {VideoFrameRequestCallback} */
    const painted = (_, { mediaTime }) => {
      if (this.stopped) return;
      if (this.times && this.aim === undefined) {
        this.at = frameAt(this.times, mediaTime + 0.0005);
        this.write();
      }
      this.video.requestVideoFrameCallback(painted);
    };
    this.video.requestVideoFrameCallback(painted);
  }

  write() {
    const total = this.duration || this.video.duration || 0;
    const now = this.times ? this.times[this.at] : this.video.currentTime;
    this.time.textContent = `${seconds(now)} / ${seconds(total)}`;
    if (this.times) {
      this.count.textContent = t("frame {number} of {length}", { number: this.at + 1, length: this.times.length });
      this.root.dataset.frame = String(this.at);
    }
    if (total && !this.dragging) this.bar.value = String(Math.round((1000 * now) / total));
  }

  /** The spans that someone sets, below the bar. */
  apply() {
    const total = this.duration || this.video.duration || 0;
    const share = (/** @type {number} */ moment) => Math.min(100, (100 * moment) / total);
    const spans = total ? (this.pane.editor?.spansOn?.(this) ?? []) : [];
    const parts = spans.map(([begins, ends]) => {
      const part = el("span");
      part.style.left = `${share(begins)}%`;
      part.style.width = `${share(ends) - share(begins)}%`;
      return part;
    });
    fill(this.strip, parts);
  }

  start() {
    this.video.play().catch(() => {});
  }

  /**
   * Exactly one frame on or back: half way into the frame, so that rounding never shows a neighbour.
   * @param {number} by
   */
  step(by) {
    this.video.pause();
    if (this.times) {
      this.seek(this.at + by);
      return;
    }
    const total = this.video.duration || 0; // the frames are not known: a small step in time, and the bar says so
    const to = Math.max(0, this.video.currentTime + by * STEP_S);
    this.video.currentTime = Math.min(to, Math.max(0, total - 0.001));
  }

  /** @param {number} index */
  seek(index) {
    this.video.pause();
    if (!this.times) {
      this.video.currentTime = index ? Math.max(0, (this.video.duration || 0) - 0.001) : 0;
      return;
    }
    this.at = Math.min(Math.max(0, index), this.times.length - 1);
    this.aim = this.at;
    this.video.loop = false; // or a moment in the last frame might be taken for the end, and lead to the first
    this.video.currentTime = middleOf(this.times, this.duration, this.at);
    this.write();
  }

  /**
   * To a moment, where it stops.
   * @param {number} moment in seconds
   */
  show(moment) {
    if (this.times) this.seek(frameAt(this.times, moment));
    else {
      this.video.pause();
      this.video.currentTime = moment;
    }
  }

  /** @param {number} by steps of speed */
  faster(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(Math.max(0, at), SPEEDS.length - 1)];
    this.video.playbackRate = this.speed;
    this.pace.textContent = `${this.speed}×`;
  }

  toggleLoop() {
    this.looping = !this.looping;
    if (!this.video.paused) this.video.loop = this.looping;
    this.round.classList.toggle("on", this.looping);
    this.round.setAttribute("aria-pressed", String(this.looping));
  }

  playPause() {
    if (this.video.paused) this.start();
    else {
      this.video.pause();
      if (this.times) this.seek(this.at);
    }
  }

  /**
   * @param {string} name of a key
   * @returns {boolean} whether it was used
   */
  key(name) {
    if (name === "," || name === ".") this.step(name === "." ? 1 : -1);
    else if (name === " ") this.playPause();
    else if (name === "<" || name === ">") this.faster(name === ">" ? 1 : -1);
    else if (name === "o" || name === "O") this.toggleLoop();
    else if (name === "Home" || name === "End") this.seek(name === "Home" ? 0 : Infinity);
    else return false;
    return true;
  }

  rest() {
    super.rest();
    if (!this.pane.together) this.video.pause();
  }

  wake() {
    if (!this.pane.together && !still()) this.start();
  }

  stop() {
    this.stopped = true;
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
  }
}

/** @param {number} value */
function seconds(value) {
  const total = Number.isFinite(value) ? value : 0;
  const minutes = Math.floor(total / 60);
  return `${minutes}:${(total - 60 * minutes).toFixed(2).padStart(5, "0")}`;
}
