// Boxes and numbered points on an image: drawn over it, and edited with the pointer or with keys alone.

import { el, fill, key } from "./dom.js";
import {
  between,
  dragged,
  HANDLES,
  handleAt,
  handlePoint,
  hit,
  moved,
  sized,
  tidy,
  tidyPoint,
  toImage,
  toScreen,
} from "./geometry.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = 0.01;
const FINE = 0.001;
export const LABEL_KEYS = [..."123456789qwrtypsdfhjkxvb"];
// Told apart by colour-blind people too (after Okabe and Ito); red is kept for what the item itself shows.
const TONES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#6a51a3", "#444444"];
export const GIVEN = "#e0231c";

const draw = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
};

export function layer() {
  return draw("svg", { class: "drawn", "aria-hidden": "true" });
}

function tag(text, x, y, tone, limit) {
  const wide = Math.max(16, 7.4 * [...text].length + 8);
  const left = Math.max(0, Math.min(x, limit.width - wide));
  const top = Math.max(0, Math.min(y, limit.height - 17));
  return draw(
    "g",
    {},
    draw("rect", { x: left, y: top, width: wide, height: 17, rx: 2, fill: tone }),
    Object.assign(
      draw("text", { x: left + wide / 2, y: top + 12.5, "text-anchor": "middle", fill: "#fff", class: "tag" }),
      { textContent: text },
    ),
  );
}

// Paint entries {x, y, [w, h], text, tone, chosen} over an image that lies in `rect` of a frame of that size.
export function paint(svg, entries, rect, size) {
  const nodes = [];
  for (const entry of entries) {
    const from = toScreen(rect, entry.x, entry.y);
    if ("w" in entry) {
      const shape = { x: from.x, y: from.y, width: entry.w * rect.width, height: entry.h * rect.height };
      nodes.push(
        draw("rect", { ...shape, class: "halo" }),
        draw("rect", { ...shape, class: entry.chosen ? "outline chosen" : "outline", stroke: entry.tone }),
      );
      if (entry.text) nodes.push(tag(entry.text, from.x - 1, from.y - 18 < 0 ? from.y : from.y - 18, entry.tone, size));
      if (entry.chosen) {
        for (const handle of Object.keys(HANDLES)) {
          const point = handlePoint(entry, handle);
          const at = toScreen(rect, point.x, point.y);
          nodes.push(
            draw("rect", { x: at.x - 4.5, y: at.y - 4.5, width: 9, height: 9, class: "handle", stroke: entry.tone }),
          );
        }
      }
    } else {
      nodes.push(
        draw("circle", {
          cx: from.x,
          cy: from.y,
          r: 12,
          class: entry.chosen ? "point chosen" : "point",
          fill: entry.tone,
        }),
        Object.assign(
          draw("text", { x: from.x, y: from.y + 4.5, "text-anchor": "middle", fill: "#fff", class: "tag" }),
          { textContent: entry.text },
        ),
      );
      if (entry.chosen)
        nodes.push(draw("circle", { cx: from.x, cy: from.y, r: 16, class: "ring", stroke: entry.tone }));
    }
  }
  svg.replaceChildren(...nodes);
}

// What an item's field shows, as entries to paint.
export const given = (value, options = []) =>
  (Array.isArray(value) ? value : [])
    .filter((entry) => entry && Number.isFinite(entry.x) && Number.isFinite(entry.y))
    .map((entry) => ({ ...entry, text: nameOf(entry, options), tone: GIVEN }));

export const isDrawn = ({ kind }) => kind === "boxes" || kind === "marks";

// What was drawn, as a person reads it.
export function inWords(value, options = []) {
  if (!Array.isArray(value) || !value.length) return "nothing to mark";
  return `${value.length}: ${value.map((entry) => nameOf(entry, options) || "box").join(", ")}`;
}

// The label of a box as it is read, or the number of a point.
const nameOf = (entry, options) =>
  String((options.find((option) => option.value === entry.label) || {}).label ?? entry.label ?? entry.number ?? "");

// What raters drew, each in a tone of their own and with the letter of their vote.
export const ofVotes = (criteria, votes) =>
  criteria.filter(isDrawn).flatMap((criterion) =>
    votes.map((vote, index) => ({
      role: criterion.role,
      options: criterion.options,
      value: vote.values[criterion.name],
      tone: TONES[index % TONES.length],
      prefix: vote.label.slice(-1),
    })),
  );

const percent = (value) => `${(100 * value).toFixed(1)}`;

// One list of boxes or points that a person makes. `spec` has kind, options (labels), min, max, role (the asset's role);
// `host` has media (the pane) and hears change() and done().
export class MarksEditor {
  constructor(spec, host) {
    this.spec = spec;
    this.host = host;
    this.boxes = spec.kind === "boxes";
    this.labels = (spec.options || []).map((option) => ({
      value: option.value,
      label: option.label ?? String(option.value),
    }));
    this.label = this.labels.length ? this.labels[0].value : undefined;
    this.list = [];
    this.at = -1;
    this.sizing = false;
    this.given = false; // whether anything, also nothing, was answered
    this.rows = el("ol", { class: "marklist" });
    this.bar = el("div", { class: "markbar" });
    this.hint = el("p", { class: "hint markhint" });
    this.live = el("span", { class: "unseen", role: "status", "aria-live": "polite" });
    this.root = el(
      "div",
      { class: "marker", on: { focusin: () => this.attach() } },
      this.bar,
      this.rows,
      this.hint,
      this.live,
    );
    this.repaint();
  }

  get media() {
    return this.host.media;
  }

  value() {
    return this.given || this.list.length ? this.list.map((entry) => ({ ...entry })) : undefined;
  }

  set(value) {
    this.list = Array.isArray(value) ? value.map((entry) => ({ ...entry })) : [];
    this.given = Array.isArray(value);
    this.at = -1;
    if (this.media) this.media.drawers.add(this);
    this.repaint();
  }

  // What is wrong or missing, as a sentence.
  problem(value = this.value()) {
    const least = this.spec.min ?? 0;
    const count = Array.isArray(value) ? value.length : 0;
    if (count < least) {
      const noun = this.boxes ? (least === 1 ? "box is" : "boxes are") : least === 1 ? "mark is" : "marks are";
      return `At least ${least} ${noun} needed; ${count} there.`;
    }
    return value === undefined
      ? `${this.boxes ? "Draw boxes" : "Set marks"}, or say that there is nothing to mark.`
      : null;
  }

  // ---- on the image

  attach() {
    if (this.attached || !this.media) return;
    if (this.media.editor) this.media.editor.detach();
    this.media.drawers.add(this);
    this.media.edit(this);
    this.repaint();
  }

  detach() {
    const { attached } = this;
    this.at = -1;
    this.sizing = false;
    if (attached) this.media.edit(null);
    this.repaint();
  }

  get attached() {
    return Boolean(this.media && this.media.editor === this);
  }

  focus() {
    this.attach();
  }

  covers(frame) {
    return (
      frame.asset.kind === "image" &&
      !frame.asset.missing &&
      (this.spec.role ? frame.asset.role === this.spec.role : frame.asset.role === this.media.firstRole)
    );
  }

  // The entries of one image, ready to paint.
  entriesOf(frame) {
    return this.list.flatMap((entry, index) =>
      (entry.image ?? 1) === frame.number
        ? [{ ...entry, text: this.textOf(entry), tone: this.toneOf(entry), chosen: index === this.at }]
        : [],
    );
  }

  textOf(entry) {
    if (!this.boxes) return String(entry.number);
    const found = this.labels.find((label) => label.value === entry.label);
    return found ? found.label : entry.label === undefined ? "" : String(entry.label);
  }

  toneOf(entry) {
    const at = this.labels.findIndex((label) => label.value === entry.label);
    return TONES[Math.max(at, 0) % TONES.length];
  }

  // ---- changing

  full() {
    if (this.spec.max === null || this.spec.max === undefined || this.list.length < this.spec.max) return false;
    this.say(`At most ${this.spec.max} fit.`);
    return true;
  }

  append(entry, frame) {
    if (this.full()) return -1;
    const extra = frame.number > 1 ? { image: frame.number } : {};
    if (this.boxes)
      this.list.push({ ...(this.label === undefined ? {} : { label: this.label }), ...tidy(entry), ...extra });
    else this.list.push({ number: this.free(), ...tidyPoint(entry), ...extra });
    this.at = this.list.length - 1;
    this.change();
    return this.at;
  }

  free() {
    const taken = new Set(this.list.map((entry) => entry.number));
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
  }

  replace(index, entry) {
    this.list[index] = entry;
    this.change();
  }

  remove(index = this.at) {
    if (index < 0) return;
    this.list.splice(index, 1);
    this.at = Math.min(index, this.list.length - 1);
    this.change();
  }

  change() {
    this.given = true;
    this.repaint();
    this.host.change();
  }

  nothing() {
    this.list = [];
    this.at = -1;
    this.change();
  }

  choose(index) {
    this.at = index;
    if (index < 0) this.sizing = false;
    const entry = this.list[index];
    if (entry && this.media) this.media.showImage(this, entry.image ?? 1);
    this.repaint();
  }

  name(value) {
    this.label = value;
    if (this.at >= 0) this.replace(this.at, { ...this.list[this.at], label: value });
    else this.repaint();
  }

  renumber(number) {
    const other = this.list.findIndex((entry) => entry.number === number);
    const mine = this.list[this.at].number;
    if (other >= 0) this.list[other] = { ...this.list[other], number: mine };
    this.replace(this.at, { ...this.list[this.at], number });
  }

  addAtMiddle() {
    const frame = this.media && this.media.editable(this);
    if (!frame) return this.say("There is no image to draw on.");
    const { x, y } = frame.middle;
    const side = 0.2 / frame.view.scale;
    return this.append(this.boxes ? { x: x - side / 2, y: y - side / 2, w: side, h: side } : { x, y }, frame);
  }

  // ---- keys; true when one was used

  key(event, target) {
    if (event.ctrlKey || event.metaKey) return false;
    const { key: name } = event;
    const pressed = target instanceof HTMLButtonElement;
    if (name === "Tab") return !pressed && !event.altKey && this.tab(event.shiftKey ? -1 : 1);
    if (pressed && (name === "Enter" || name === " ")) return false;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[name];
    if (arrow) {
      if (this.at < 0) return false;
      const step = event.shiftKey ? FINE : STEP;
      const entry = this.list[this.at];
      const size = this.boxes && (event.altKey || this.sizing);
      this.replace(this.at, (size ? sized : moved)(entry, arrow[0] * step, arrow[1] * step));
      return true;
    }
    if (event.altKey) return false;
    if (name === "a" || name === "A") return (this.addAtMiddle(), true);
    if (name === "0" || event.code === "Numpad0") {
      if (this.list.length || (this.spec.min ?? 0) > 0) return true;
      this.nothing();
      this.host.done();
      return true;
    }
    if (this.boxes && this.labels.length) {
      const digit = /^(Digit|Numpad)[1-9]$/.test(event.code) ? event.code.slice(-1) : name.toLowerCase();
      const at = LABEL_KEYS.indexOf(digit);
      if (at >= 0 && at < this.labels.length) return (this.name(this.labels[at].value), true);
    }
    // What is drawn is left as it is: on to what comes next, if anything does.
    if (name === "Enter" && this.at < 0 && (this.list.length || this.given) && !this.problem())
      return Boolean(this.host.done());
    if (this.at < 0) return false;
    if (!this.boxes && /^(Digit|Numpad)[1-9]$/.test(event.code))
      return (this.renumber(Number(event.code.slice(-1))), true);
    if (name === "e" || name === "E") {
      this.sizing = this.boxes && !this.sizing;
      this.repaint();
      return true;
    }
    if (name === "Delete" || name === "Backspace") return (this.remove(), true);
    if (name === "Escape") return (this.choose(-1), true);
    if (name === "Enter") {
      this.choose(-1);
      if (!this.problem()) this.host.done();
      return true;
    }
    return false;
  }

  // Through the boxes; after the last one the key is the browser's again.
  tab(by) {
    if (!this.list.length) return false;
    const next = this.at < 0 ? (by > 0 ? 0 : this.list.length - 1) : this.at + by;
    if (next < 0 || next >= this.list.length) {
      this.choose(-1);
      return false;
    }
    this.choose(next);
    return true;
  }

  // ---- the pointer

  // A press on the image, in pixels of its frame; what is returned hears move(px, py) and up(px, py).
  press(frame, px, py) {
    const rect = frame.rect;
    const start = toImage(rect, px, py);
    const mine = this.list
      .map((entry, index) => ({ entry, index }))
      .filter(({ entry }) => (entry.image ?? 1) === frame.number);
    const under = hit(
      mine.map(({ entry }) => entry),
      rect,
      px,
      py,
    );
    const at = under < 0 ? -1 : mine[under].index;
    const chosen = this.at >= 0 && (this.list[this.at].image ?? 1) === frame.number ? this.list[this.at] : null;
    const handle = chosen && this.boxes ? handleAt(chosen, rect, px, py) : null;
    const where = (x, y) => toImage(frame.rect, x, y);
    if (handle)
      return {
        move: (x, y) => this.replace(this.at, dragged(chosen, handle, where(x, y).x, where(x, y).y)),
        up: () => {},
      };
    const inside = chosen && hit([chosen], rect, px, py) === 0;
    if (inside || (!this.boxes && at >= 0)) {
      if (!inside) this.choose(at);
      const from = this.list[this.at];
      return {
        move: (x, y) => this.replace(this.at, moved(from, where(x, y).x - start.x, where(x, y).y - start.y)),
        up: () => {},
      };
    }
    if (!this.boxes)
      return {
        move: () => {},
        up: () =>
          start.x >= 0 && start.x <= 1 && start.y >= 0 && start.y <= 1 ? this.append(start, frame) : this.choose(-1),
      };
    let made = -1;
    return {
      move: (x, y) => {
        const box = between(start, where(x, y));
        if (made === -1) made = this.append(box, frame);
        else this.replace(made, { ...this.list[made], ...box });
      },
      up: () => made === -1 && this.choose(at),
    };
  }

  // ---- what the form shows

  say(text) {
    this.live.textContent = text;
    this.note = text;
    this.repaint();
    this.note = "";
  }

  repaint() {
    const noun = this.boxes ? "box" : "mark";
    const tool = (name, label, press, on) =>
      el(
        "button",
        {
          type: "button",
          class: on ? "small on" : "small",
          tabindex: "-1",
          "aria-pressed": on === undefined ? undefined : String(on),
          on: { click: press },
        },
        key(name),
        " ",
        label,
      );
    const none = !this.list.length && !(this.spec.min ?? 0);
    fill(
      this.bar,
      tool("A", `new ${noun}`, () => (this.attach(), this.addAtMiddle())),
      this.boxes
        ? this.labels.map((label, index) => {
            const button = tool(
              (LABEL_KEYS[index] || "").toUpperCase(),
              label.label,
              () => (this.attach(), this.name(label.value)),
              label.value === (this.at >= 0 ? this.list[this.at].label : this.label),
            );
            button.style.setProperty("--tone", TONES[index % TONES.length]);
            button.classList.add("tone");
            return button;
          })
        : null,
      none ? tool("0", "nothing to mark", () => (this.attach(), this.nothing(), this.host.done()), this.given) : null,
    );
    fill(
      this.rows,
      this.list.map((entry, index) => {
        const where = this.boxes
          ? `${percent(entry.x)}, ${percent(entry.y)}; ${percent(entry.w)} × ${percent(entry.h)} %`
          : `${percent(entry.x)}, ${percent(entry.y)} %`;
        const text = this.boxes ? this.textOf(entry) || `box ${index + 1}` : `mark ${entry.number}`;
        const row = el(
          "li",
          { class: index === this.at ? "chosen" : "", on: { click: () => (this.attach(), this.choose(index)) } },
          el("span", { class: "swatch" }),
          el(
            "span",
            { class: "what" },
            text,
            entry.image ? el("span", { class: "quiet" }, ` image ${entry.image}`) : null,
          ),
          el("span", { class: "where2 quiet" }, where),
          el(
            "button",
            {
              type: "button",
              class: "small",
              tabindex: "-1",
              "aria-label": `Remove ${text}`,
              on: { click: (event) => (event.stopPropagation(), this.remove(index)) },
            },
            "×",
          ),
        );
        row.style.setProperty("--tone", this.toneOf(entry));
        return row;
      }),
    );
    const keys = (...pairs) =>
      pairs.flatMap(([names, what]) => [names.split(" ").map((name) => key(name)), ` ${what}  `]);
    fill(
      this.hint,
      this.note ||
        (!this.attached
          ? ""
          : this.at < 0
            ? [
                keys(["A", `or ${this.boxes ? "drag" : "click"} on the image`]),
                this.list.length ? keys(["Tab", "choose"], ["Enter", "done"]) : null,
              ]
            : keys(
                ["← ↑ → ↓", this.sizing ? "size" : "move"],
                ["Shift", "fine"],
                ...(this.boxes ? [["E", this.sizing ? "move" : "size"]] : []),
                ["Del", "remove"],
                ["Enter", "done"],
              )),
    );
    if (this.media) this.media.repaint();
  }
}
