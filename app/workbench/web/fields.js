// The form of an author: the fields of an item, checked while they are written.

import { el, fill, same } from "./dom.js";
import { grow, KEYS, keyIndex } from "./kinds/keys.js";
import { isDrawn, MarksEditor } from "./marks.js";

const PICKED = ["choice", "option_of", "options_of", "order_of"];
const blank = (value) =>
  value === undefined ||
  value === null ||
  (typeof value === "string" && !value.trim()) ||
  (Array.isArray(value) && !value.some(Boolean));

export class FieldForm {
  constructor(host) {
    this.host = host;
    this.root = el("div", { class: "fields" });
  }

  open({ fields, values = {}, earlier = [] }) {
    this.fields = fields;
    this.earlier = earlier.map((text) => ({ text, words: wordsOf(text) }));
    this.values = {};
    this.errors = {};
    this.touched = new Set();
    this.parts = new Map();
    this.host.media?.forget();
    for (const field of fields)
      this.values[field.name] =
        values[field.name] ??
        (field.kind === "text_list" ? Array(field.length || Math.max(field.min || 0, 2)).fill("") : undefined);
    for (const field of fields)
      if (field.kind === "text_list" && field.length)
        while (this.values[field.name].length < field.length) this.values[field.name].push("");
    fill(
      this.root,
      fields.map((field) => this.block(field)),
    );
    for (const field of fields) this.paint(field);
    this.group = null;
  }

  focus() {
    this.fit();
    const first =
      this.fields.find((field) => blank(this.values[field.name]) && this.parts.get(field.name).boxes.length) ||
      this.fields[0];
    const part = first && this.parts.get(first.name);
    if (part && part.boxes.length) {
      const box = part.boxes.find((candidate) => !candidate.value.trim()) || part.boxes[0];
      box.focus();
      box.setSelectionRange?.(box.value.length, box.value.length);
    }
  }

  // Boxes that were drawn while hidden have no height yet.
  fit() {
    for (const part of this.parts.values()) for (const box of part.boxes) grow(box);
  }

  raw() {
    const copy = {};
    for (const field of this.fields)
      if (this.values[field.name] !== undefined) copy[field.name] = this.values[field.name];
    return copy;
  }

  // The values as they are submitted: trimmed, empty optional ones left out.
  read() {
    const values = {};
    for (const field of this.fields) {
      let value = this.values[field.name];
      if (typeof value === "string") value = value.trim();
      if (field.kind === "text_list")
        value = (value || [])
          .map((entry) => entry.trim())
          .filter((entry, index) => entry || (field.length && index < field.length));
      if (field.kind === "text_list" && !value.some(Boolean)) value = undefined;
      if (field.kind === "integer" && !blank(value)) value = /^[+-]?\d+$/.test(String(value)) ? Number(value) : value;
      if ((field.kind === "json" || field.kind === "segments") && typeof value === "string" && value) {
        try {
          value = JSON.parse(value);
        } catch {
          // The check below says so; the server would too.
        }
      }
      if (!blank(value)) values[field.name] = value;
    }
    return values;
  }

  // What can be picked: the schema's own options, or what is written in another field.
  entries(field) {
    if (field.kind === "choice") return field.options.map((option) => option.value);
    return (this.values[field.field] || []).map((entry) => entry.trim()).filter(Boolean);
  }

  labelOf(field, entry) {
    const option = field.kind === "choice" && field.options.find((candidate) => same(candidate.value, entry));
    return option ? option.label : entry;
  }

  // ---- drawing

  block(field) {
    const id = `f-${field.name}`;
    const part = { field, boxes: [] };
    part.count = el("span", { class: "count", "aria-hidden": "true" });
    part.error = el("p", { class: "error", id: `${id}-e`, "aria-live": "polite", hidden: true });
    part.body = el("div", { class: "inputs" });
    part.extra = el("div", { class: "extra" });
    const head = el(
      "div",
      { class: "prompt", id },
      field.title,
      field.required ? null : el("span", { class: "quiet" }, " optional"),
      part.count,
    );
    part.root = el(
      "div",
      { class: `field ${field.kind}`, data: { field: field.name } },
      head,
      field.help ? el("p", { class: "help" }, field.help) : null,
      part.body,
      part.error,
      part.extra,
    );
    this.parts.set(field.name, part);
    this.fillBody(part);
    return part.root;
  }

  fillBody(part) {
    const { field } = part;
    part.boxes = [];
    part.buttons = [];
    if (field.kind === "text_list") this.listBody(part);
    else if (PICKED.includes(field.kind)) this.pickBody(part);
    else if (isDrawn(field)) this.drawnBody(part);
    else {
      const long = ["long_text", "json", "segments"].includes(field.kind);
      const value = this.values[field.name];
      const text =
        value === undefined || value === null
          ? ""
          : typeof value === "string"
            ? value
            : typeof value === "object"
              ? JSON.stringify(value, null, 1)
              : String(value);
      const area = this.area(field, text, long ? 4 : field.kind === "integer" ? 1 : 2, (typed) => {
        this.values[field.name] = typed;
      });
      area.dataset.line = long ? "many" : "one";
      part.boxes.push(area);
      fill(part.body, area);
    }
  }

  // Drawn on the image: keys go there while the block has the focus.
  drawnBody(part) {
    const { field } = part;
    part.drawn = new MarksEditor(
      { kind: field.kind, options: field.options, min: field.min, max: field.max, role: field.role },
      {
        media: this.host.media,
        change: () => {
          this.values[field.name] = part.drawn.value();
          delete this.errors[field.name];
          this.changed(field);
        },
        done: () => this.onward(part.drawn.root),
      },
    );
    if (Array.isArray(this.values[field.name])) part.drawn.set(this.values[field.name]);
    part.drawn.root.tabIndex = 0;
    part.drawn.root.setAttribute("role", "group");
    part.drawn.root.setAttribute("aria-labelledby", `f-${field.name}`);
    fill(part.body, part.drawn.root);
  }

  area(field, value, rows, store) {
    const area = el("textarea", {
      class: "box",
      rows: String(rows),
      spellcheck: "true",
      autocomplete: "off",
      "aria-labelledby": `f-${field.name}`,
      "aria-describedby": `f-${field.name}-e`,
      "aria-required": String(field.required),
    });
    area.value = value;
    area.addEventListener("input", () => {
      store(area.value);
      grow(area);
      delete this.errors[field.name];
      this.changed(field);
    });
    area.addEventListener("focus", () => this.host.media?.editor?.detach());
    area.addEventListener("blur", () => {
      if (area.value.trim()) this.touched.add(field.name);
      this.paint(field);
    });
    requestAnimationFrame(() => grow(area));
    return area;
  }

  listBody(part) {
    const { field } = part;
    const values = this.values[field.name];
    const rows = values.map((entry, index) => {
      const area = this.area(field, entry, 1, (typed) => {
        this.values[field.name][index] = typed;
      });
      area.removeAttribute("aria-labelledby");
      area.setAttribute("aria-label", `${field.title}, entry ${index + 1}`);
      area.dataset.line = "one";
      area.dataset.index = String(index);
      part.boxes.push(area);
      const remove = field.length
        ? null
        : el(
            "button",
            {
              type: "button",
              class: "small",
              "aria-label": `Remove entry ${index + 1}`,
              tabindex: "-1",
              on: { click: () => this.removeEntry(field, index) },
            },
            "×",
          );
      return el("div", { class: "entry" }, el("span", { class: "num" }, index + 1), area, remove);
    });
    const more =
      field.length || (field.max && values.length >= field.max)
        ? null
        : el(
            "button",
            { type: "button", class: "small add", on: { click: () => this.addEntry(field) } },
            "Add an entry",
          );
    fill(part.body, rows, more);
  }

  addEntry(field) {
    this.values[field.name] = [...this.values[field.name], ""];
    const part = this.parts.get(field.name);
    this.fillBody(part);
    part.boxes[part.boxes.length - 1].focus();
    this.changed(field);
  }

  removeEntry(field, index) {
    this.values[field.name] = this.values[field.name].filter((_, at) => at !== index);
    this.fillBody(this.parts.get(field.name));
    this.changed(field);
  }

  pickBody(part) {
    const { field } = part;
    const options = this.entries(field);
    const value = this.values[field.name];
    const single = field.kind === "option_of" || field.kind === "choice";
    const chosen = (entry) => (single ? same(value, entry) : (value || []).includes(entry));
    part.buttons = options.map((entry, index) => {
      const place = field.kind === "order_of" && chosen(entry) ? `${value.indexOf(entry) + 1}. ` : "";
      return el(
        "button",
        {
          type: "button",
          class: chosen(entry) ? "choice chosen" : "choice",
          role: single ? "radio" : "checkbox",
          "aria-checked": String(chosen(entry)),
          on: { click: () => this.pick(field, entry), focus: () => (this.group = field.name) },
        },
        el("kbd", { class: "slot", "aria-hidden": "true" }, KEYS[index] || ""),
        el("span", { class: "label" }, place, this.labelOf(field, entry)),
      );
    });
    fill(
      part.body,
      options.length
        ? el(
            "div",
            { class: "choices column", role: single ? "radiogroup" : "group", "aria-labelledby": `f-${field.name}` },
            part.buttons,
          )
        : el(
            "p",
            { class: "help" },
            `Write the ${(field.options_title || "options").toLowerCase()} first; then pick here.`,
          ),
    );
  }

  pick(field, entry) {
    const value = this.values[field.name];
    if (field.kind === "option_of" || field.kind === "choice") this.values[field.name] = entry;
    else {
      const offered = this.entries(field); // what is written differently by now falls out
      const list = (Array.isArray(value) ? value : []).filter((other) => offered.includes(other));
      this.values[field.name] = list.includes(entry) ? list.filter((other) => other !== entry) : [...list, entry];
    }
    const part = this.parts.get(field.name);
    const focused = part.buttons.indexOf(part.root.getRootNode().activeElement);
    this.pickBody(part);
    if (focused >= 0) part.buttons[focused].focus();
    delete this.errors[field.name];
    this.changed(field);
  }

  changed(field) {
    if (field.kind === "text_list") {
      for (const other of this.fields) {
        if (other.field === field.name) {
          this.pickBody(this.parts.get(other.name));
          this.paint(other);
        }
      }
    }
    this.paint(field);
    this.host.change();
  }

  // ---- checks, the same as the server's but said while typing

  problemOf(field, { strict = false } = {}) {
    const value = this.read()[field.name];
    const raw = this.values[field.name];
    if (value === undefined) return strict && field.required ? "This is needed." : null;
    if (field.kind === "integer" && !Number.isInteger(value)) return "A whole number is needed.";
    if (field.kind === "json" || field.kind === "segments")
      return typeof value === "string" && typeof raw === "string" ? "This is not JSON yet." : null;
    if (isDrawn(field))
      return strict && field.min && value.length < field.min ? `At least ${field.min} are needed.` : null;
    if (field.kind === "text_list") {
      const full = value.filter(Boolean);
      const twice = full.find(
        (entry, index) => full.findIndex((other) => other.toLowerCase() === entry.toLowerCase()) !== index,
      );
      if (twice && field.distinct) return `“${twice}” is there twice.`;
      if (field.length && full.length !== field.length)
        return strict
          ? `${field.length} entries are needed; ${full.length} ${full.length === 1 ? "is" : "are"} written.`
          : null;
      if (strict && field.min && full.length < field.min) return `At least ${field.min} entries are needed.`;
      if (field.max && full.length > field.max) return `At most ${field.max} entries fit.`;
      return null;
    }
    if (field.kind === "choice") return null;
    if (field.kind === "option_of")
      return this.entries(field).includes(value)
        ? null
        : `“${value}” is not among the ${(field.options_title || "options").toLowerCase()}.`;
    if (field.kind === "options_of" || field.kind === "order_of") {
      const lost = (value || []).find((entry) => !this.entries(field).includes(entry));
      if (lost !== undefined) return `“${lost}” is not among the ${(field.options_title || "options").toLowerCase()}.`;
      if (strict && field.kind === "order_of" && value.length < this.entries(field).length)
        return "Every entry needs a place.";
      return null;
    }
    const length = String(value).length;
    if (field.max && length > field.max) return `${length} characters; at most ${field.max} fit.`;
    if (field.min && length < field.min)
      return strict || this.touched.has(field.name) ? `${length} characters; at least ${field.min} are needed.` : null;
    return null;
  }

  paint(field, options) {
    const part = this.parts.get(field.name);
    const message = this.errors[field.name] || this.problemOf(field, options);
    part.error.hidden = !message;
    part.error.textContent = message || "";
    part.root.classList.toggle("bad", Boolean(message));
    for (const box of part.boxes) box.setAttribute("aria-invalid", String(Boolean(message)));
    const value = this.values[field.name];
    const counts =
      (field.kind === "text" || field.kind === "long_text") && (field.max || field.min) && typeof value === "string";
    part.count.textContent = counts
      ? `${value.trim().length}${field.max ? ` / ${field.max}` : ` (at least ${field.min})`}`
      : "";
    if (field === this.fields.find((candidate) => candidate.kind === "text" || candidate.kind === "long_text"))
      this.paintSimilar(part, value);
  }

  paintSimilar(part, value) {
    const near = typeof value === "string" && value.trim().length > 3 ? similar(value, this.earlier) : [];
    const shownNow = near.map(([score, entry]) => `${score} ${entry.text}`).join("\n");
    if (part.near === shownNow) return;
    part.near = shownNow;
    if (!near.length) return fill(part.extra);
    const exact = near[0][0] >= 0.999;
    fill(
      part.extra,
      el(
        "div",
        { class: exact ? "similar exact" : "similar" },
        el(
          "div",
          { class: "quiet" },
          exact ? "This dimension has this question already:" : "Close to earlier questions of this dimension:",
        ),
        near.map(([score, entry]) =>
          el(
            "div",
            { class: "pair" },
            el("span", { class: "score" }, `${Math.round(100 * score)} %`),
            el("span", {}, entry.text),
          ),
        ),
      ),
    );
  }

  // Marks what is wrong; true when nothing is. Fields named in ``leave`` are taken as they are.
  check(leave = new Set()) {
    let first = null;
    this.errors = {};
    for (const field of this.fields) {
      if (leave.has(field.name)) continue;
      this.paint(field, { strict: true });
      if (!this.parts.get(field.name).error.hidden && !first) first = field;
    }
    if (first) this.goTo(first);
    return !first;
  }

  problems(list) {
    const unknown = [];
    let first = null;
    for (const problem of list) {
      const field = this.fields.find((candidate) => candidate.name === problem.name);
      if (!field) unknown.push(problem.message);
      else {
        this.errors[field.name] = problem.message;
        this.paint(field);
        first = first || field;
      }
    }
    if (first) this.goTo(first);
    return unknown;
  }

  goTo(field) {
    const part = this.parts.get(field.name);
    const target =
      part.boxes.find((box) => !box.value.trim()) ||
      part.boxes[0] ||
      (part.drawn && part.drawn.root) ||
      part.buttons[0];
    if (target) target.focus();
    part.root.scrollIntoView({ block: "nearest" });
  }

  // ---- keys

  key(event) {
    const index = keyIndex(event);
    const picks = this.fields.filter(
      (field) => PICKED.includes(field.kind) && this.parts.get(field.name).buttons.length,
    );
    if (index < 0 || !picks.length) return false;
    const field =
      picks.find((candidate) => candidate.name === this.group) ||
      picks.find((candidate) => blank(this.values[candidate.name])) ||
      picks[0];
    const entry = this.entries(field)[index];
    if (entry === undefined) return false;
    this.pick(field, entry);
    return true;
  }

  boxKey(event, box) {
    if (event.key !== "Enter" || event.shiftKey || box.dataset.line !== "one") return false;
    this.onward(box);
    return true;
  }

  // To what is filled in next.
  onward(from) {
    const all = [...this.root.querySelectorAll("textarea, .choices .choice, .marker")];
    const next = all[all.indexOf(from) + 1];
    if (next) next.focus();
    return Boolean(next);
  }
}

const wordsOf = (text) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N} ]+/gu, " ")
    .split(/\s+/)
    .filter(Boolean);

// The earlier texts that share most of their words with this one, best first; likeness is in 0..1.
export function similar(text, earlier, { most = 3, from = 0.6 } = {}) {
  const mine = wordsOf(text);
  if (!mine.length) return [];
  const joined = mine.join(" ");
  const found = [];
  for (const entry of earlier) {
    if (!entry.words.length) continue;
    if (entry.words.join(" ") === joined) {
      found.push([1, entry]);
      continue;
    }
    const left = new Map();
    for (const word of entry.words) left.set(word, (left.get(word) || 0) + 1);
    let shared = 0;
    for (const word of mine) {
      const count = left.get(word) || 0;
      if (count) {
        shared += 1;
        left.set(word, count - 1);
      }
    }
    const score = Math.min(0.99, (2 * shared) / (mine.length + entry.words.length));
    if (score >= from) found.push([score, entry]);
  }
  return found.sort((one, other) => other[0] - one[0]).slice(0, most);
}
