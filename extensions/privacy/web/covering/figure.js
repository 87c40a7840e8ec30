// One picture of the page Privacy: its boxes, a tick for each, boxes drawn with the pointer or typed as numbers, and
// what someone decides.

import { el, fill } from "../dom.js";
import { post, Refused } from "../http.js";
import { boxForm } from "./box_form.js";
import { listenForBoxes, painted } from "./boxes.js";

/** @import { Box } from "../types" */
/** @import { PrivacyBox, PrivacyPicture } from "../privacy_types" */

/** @type {[PrivacyPicture["decided"], string][]} */
const DECISIONS = [
  ["", "Not decided"],
  ["cover", "Cover selected boxes"],
  ["nothing", "Nothing to cover"],
];
let figures = 0;

export class Figure {
  /**
   * @param {{ csrf: string, path: string, kind: string, count: () => void }} host
   * @param {PrivacyPicture} picture
   */
  constructor(host, picture) {
    this.host = host;
    this.picture = picture;
    this.number = figures++;
    this.busy = false;
    this.again = false; // something was changed while the last change was under way
    this.unsaved = false;
    this.layer = el("div", { class: "layer", "aria-hidden": "true" });
    this.stage = el("div", { class: "stage" }, this.shown(), this.layer);
    this.ticks = el("ul", {});
    this.form = boxForm(picture.name, picture.seconds, (box) => this.add(box));
    this.choices = el("fieldset", { class: "choices" });
    this.note = el("p", { class: "note", role: "status" });
    const large = el(
      "a",
      { href: this.address, target: "_blank", rel: "noopener", "aria-label": `${picture.name}, large` },
      "large",
    );
    this.root = el(
      "figure",
      { data: { file: picture.file } },
      el("figcaption", {}, picture.name, " ", large),
      this.stage,
      this.tools(),
      this.ticks,
      this.form.root,
      this.choices,
      this.note,
    );
    this.listen();
    this.print = "";
    this.paint();
  }

  /**
   * What the server has, unless something is on its way there.
   * @param {PrivacyPicture} picture
   */
  update(picture) {
    if (this.busy || this.unsaved || JSON.stringify(picture) === JSON.stringify(this.picture)) return;
    const { after, revision } = this.picture;
    if (picture.after === after && picture.revision < revision) return; // drawn again with what stood there before
    this.picture = picture;
    this.paint();
  }

  // ---- what is another in a clip

  /** Where all of it is. */
  get address() {
    return this.picture.src;
  }

  /** @returns {HTMLElement} */
  shown() {
    const { src, name } = this.picture;
    return el("img", { src, alt: name, loading: "lazy", draggable: "false" });
  }

  /** @returns {HTMLElement | null} what stands below it */
  tools() {
    return null;
  }

  listen() {
    listenForBoxes(this.stage, this.layer, (box) => this.add(box));
  }

  paintBoxes() {
    painted(this.layer, this.picture.boxes, this.picture.decided);
  }

  /**
   * What is said of a box besides its kind.
   * @param {PrivacyBox} _box
   */
  told(_box) {
    return "";
  }

  /**
   * @param {PrivacyBox} _box
   * @param {number} _at
   * @returns {HTMLElement | null} what is shown of a box
   */
  seen(_box, _at) {
    return null;
  }

  // ---- what people do

  /** @param {Box & { begin?: number, end?: number }} box */
  add(box) {
    const drawn = {
      begin: null,
      end: null,
      path: [],
      ...box,
      kind: this.host.kind,
      by: "hand",
      cover: true,
      own: true,
      fixed: false,
    };
    this.change([...this.picture.boxes, drawn], "cover");
  }

  /**
   * @param {number} at
   * @param {boolean} on
   */
  tick(at, on) {
    const boxes = this.picture.boxes.map((box, index) => (index === at ? { ...box, cover: on } : box));
    this.change(boxes, "cover");
  }

  /** @param {number} at */
  remove(at) {
    this.change(
      this.picture.boxes.filter((_, index) => index !== at),
      this.picture.decided,
    );
  }

  /**
   * @param {PrivacyBox[]} boxes
   * @param {PrivacyPicture["decided"]} decided
   */
  change(boxes, decided) {
    this.picture = { ...this.picture, boxes, decided, waits: decided !== "" };
    this.save();
    this.paint();
  }

  async save() {
    this.unsaved = true;
    this.again = this.busy;
    if (this.busy) return;
    this.busy = true;
    const { file, revision, after, decided, boxes } = this.picture;
    const ticks = boxes.filter((box) => !box.own).map((box) => box.cover);
    const added = boxes.filter((box) => box.own).map(({ path, by, own, fixed, ...told }) => told);
    try {
      const body = { file, revision, after, decided, ticks, added };
      const { picture } = await post(this.host.path, this.host.csrf, body);
      if (this.again) this.picture = { ...this.picture, revision: picture.revision, after: picture.after };
      else this.picture = picture;
      this.unsaved = this.again;
      this.say("");
    } catch (error) {
      this.again = false;
      this.failed(error);
    }
    this.busy = false;
    if (this.again) this.save();
    this.paint();
  }

  /** @param {unknown} error */
  failed(error) {
    const picture = error instanceof Refused ? error.body.picture : undefined;
    if (picture) {
      this.picture = /** @type {PrivacyPicture} */ (picture);
      this.unsaved = false;
      this.say(error instanceof Error ? error.message : "");
      return;
    }
    const why = error instanceof Refused ? error.message : "The server does not answer.";
    const again = el("button", { type: "button", on: { click: () => this.save() } }, "Save again");
    this.say(`Not saved: ${why} `, again);
  }

  /** @param {...(string | HTMLElement)} words */
  say(...words) {
    this.note.classList.toggle("wrong", words[0] !== "");
    fill(this.note, ...words);
  }

  // ---- what is shown

  paint() {
    const { boxes, decided } = this.picture;
    this.paintBoxes();
    const print = JSON.stringify(boxes.map((box) => ({ ...box, cover: null })));
    if (print !== this.print) {
      this.print = print;
      this.list();
    }
    this.ticks.querySelectorAll("input").forEach((input, at) => {
      input.checked = boxes[at].cover;
      input.disabled = boxes[at].fixed || decided === "nothing";
    });
    this.decision();
    this.host.count?.();
  }

  /** A line for each box. */
  list() {
    const { boxes, name } = this.picture;
    const line = (/** @type {PrivacyBox} */ box, /** @type {number} */ at) => {
      const input = el("input", { type: "checkbox" });
      input.addEventListener("change", () => this.tick(at, input.checked));
      const words = ` ${at + 1} ${box.kind}, ${box.by === "hand" ? "drawn by a person" : `found by ${box.by}`}${this.told(box)}${box.fixed ? ", covered" : ""}`;
      const label = el("label", {}, input, words, el("span", { class: "unseen" }, ` in ${name}`));
      const remove = el("button", { type: "button", "aria-label": `Remove box ${at + 1} of ${name}` }, "Remove");
      remove.addEventListener("click", () => this.remove(at));
      return el("li", {}, label, box.own ? remove : null, this.seen(box, at));
    };
    fill(this.ticks, boxes.map(line));
  }

  decision() {
    const { decided, since, news, by, waits, boxes, name } = this.picture;
    if (!this.choices.childElementCount) {
      const choice = (/** @type {[PrivacyPicture["decided"], string]} */ [value, words]) => {
        const input = el("input", { type: "radio", name: `decided-${this.number}`, value });
        input.addEventListener("change", () => this.change(this.picture.boxes, value));
        return el("label", {}, input, ` ${words}`);
      };
      fill(this.choices, el("legend", { class: "unseen" }, `Decision about ${name}`));
      this.choices.append(...DECISIONS.map(choice), el("span", { class: "since" }));
    }
    this.choices.querySelectorAll("input").forEach((input) => {
      input.checked = input.value === decided;
      if (input.value === "nothing") input.disabled = boxes.some((box) => box.fixed);
    });
    const before = since ? `decided by ${since}${news ? "; boxes were found since" : ""}` : "";
    const words = waits ? `${by ? `by ${by}, ` : ""}not covered yet` : before;
    fill(/** @type {HTMLElement} */ (this.choices.querySelector(".since")), words);
    this.root.classList.toggle("waits", waits);
  }
}
