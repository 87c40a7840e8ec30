// A clip on the page Privacy: it plays, shows frames of every box, and takes boxes that are drawn where it stands.

import { el, fill } from "../dom.js";
import { listenForBoxes, put } from "./boxes.js";
import { Figure } from "./figure.js";

/** @import { Box } from "../types" */
/** @import { PrivacyBox } from "../privacy_types" */

export class ClipFigure extends Figure {
  get address() {
    return `${this.picture.src}/clip`;
  }

  shown() {
    const { src, name } = this.picture;
    this.video = el("video", { src: this.address, poster: src, preload: "none", "aria-label": name });
    this.video.controls = true;
    return this.video;
  }

  tools() {
    const button = el("button", { type: "button" }, "Draw a box on this frame");
    button.addEventListener("click", () => this.draws(!this.drawing));
    this.button = button;
    return el("div", { class: "tools" }, button);
  }

  listen() {
    const over = el("div", { class: "over" });
    over.hidden = true;
    this.stage.append(over);
    this.over = over;
    listenForBoxes(over, this.layer, (box) => this.drawn(box));
  }

  get drawing() {
    return this.over?.hidden === false;
  }

  /** @param {boolean} on */
  draws(on) {
    if (!this.video || !this.over || !this.button) return;
    if (on) this.video.pause();
    this.over.hidden = !on;
    this.video.controls = !on;
    fill(this.button, on ? "Do not draw" : "Draw a box on this frame");
  }

  /**
   * It is asked from when to when it is there, before it is one.
   * @param {Box} box
   */
  drawn(box) {
    const begin = Number((this.video?.currentTime ?? 0).toFixed(3));
    this.draws(false);
    this.form.put(box, [begin, this.picture.seconds ?? begin]);
  }

  paintBoxes() {}

  /** @param {PrivacyBox} box */
  told(box) {
    return `, ${box.begin} to ${box.end} s`;
  }

  /**
   * Frames of its first, middle and last place.
   * @param {PrivacyBox} box
   * @param {number} at
   */
  seen(box, at) {
    const still = [((box.begin ?? 0) + (box.end ?? 0)) / 2, box.x, box.y, box.w, box.h];
    const path = box.path.length ? box.path : [still];
    const places = [...new Set([0, path.length >> 1, path.length - 1])].map((place) => path[place]);
    const frames = places.map(([time, x, y, w, h]) => {
      const alt = `Box ${at + 1} of ${this.picture.name} at ${time.toFixed(2)} s`;
      const image = el("img", { src: `${this.picture.src}/${Math.round(1000 * time)}`, alt, loading: "lazy" });
      const mark = el("div", { class: "box" });
      put(mark, { x, y, w, h });
      return el("div", { class: "frame" }, image, mark);
    });
    return el("div", { class: "frames" }, frames);
  }
}
