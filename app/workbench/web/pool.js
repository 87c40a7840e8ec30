// The pool of free images: a dense grid, arrows and Enter; what somebody else took fades.

import { el, fill, key } from "./dom.js";
import { mediaUrl } from "./media.js";

// `host` hears pick(ids), wish({dimension, after}) for another page, and say(sentence).
export class Pool {
  constructor(host) {
    this.host = host;
    this.at = 0;
    this.trail = [null]; // the cursors of the pages before this one, so that one can go back
    this.root = el("div", { class: "pool" });
    this.grid = el("div", { class: "grid", role: "listbox", "aria-label": "Free images", tabindex: "0" });
    this.bar = el("div", { class: "dims", role: "tablist", "aria-label": "Dimensions" });
    this.foot = el("div", { class: "poolfoot" });
    this.about = el("div", { class: "about" });
    this.root.append(this.bar, this.about, this.grid, this.foot);
    this.taken = new Set();
    this.selected = [];
  }

  // Another page of the pool, or (``refreshed``) the same one a moment later: what is gone fades, nothing jumps.
  update(pool, frame, refreshed) {
    if (!refreshed || !this.pool || pool.dimension !== this.pool.dimension) return this.open(pool, frame);
    const now = new Set(pool.assets.map((asset) => asset.id));
    const lost = this.assets.filter((asset) => !now.has(asset.id) && !this.taken.has(asset.id));
    const shown = new Set(this.assets.map((asset) => asset.id));
    const fresh = pool.assets.some((asset) => !shown.has(asset.id));
    if (!lost.length && !fresh) return undefined;
    if (this.assets.length && lost.length < this.assets.length) {
      const at = this.assets[this.at];
      for (const asset of lost) this.cells[this.assets.indexOf(asset)].classList.add("gone");
      clearTimeout(this.fading);
      this.fading = setTimeout(
        () => {
          this.open(pool, frame);
          const place = this.assets.findIndex((asset) => at && asset.id === at.id);
          if (place >= 0) this.move(place, { quiet: true });
        },
        lost.length ? 700 : 0,
      );
      return undefined;
    }
    return this.open(pool, frame);
  }

  open(pool, frame) {
    clearTimeout(this.fading);
    const fresh = !this.pool || this.pool.dimension !== pool.dimension;
    if (fresh) {
      this.trail = [null];
      this.at = 0;
      this.selected = [];
    }
    this.pool = pool;
    this.slots = frame.slots;
    this.many = frame.slots.length > 1 || (frame.slots[0] && frame.slots[0].max !== 1);
    this.assets = pool.assets.filter((asset) => !this.taken.has(asset.id));
    this.selected = this.selected.filter((id) => this.assets.some((asset) => asset.id === id));
    this.at = Math.max(0, Math.min(this.at, this.assets.length - 1));
    const dimension = frame.dimensions[pool.dimension] || { title: pool.dimension, definition: "" };
    fill(
      this.bar,
      pool.dimensions.map((row, index) =>
        el(
          "button",
          {
            type: "button",
            role: "tab",
            class: "dim",
            "aria-selected": String(row.id === pool.dimension),
            on: { click: () => this.turnTo(row.id) },
          },
          pool.dimensions.length > 1 && index < 9 ? key(String(index + 1)) : null,
          el("span", {}, row.title),
          row.left === null || row.left === undefined
            ? null
            : el("span", { class: "left" }, row.left ? `${row.left} to write` : row.none),
        ),
      ),
    );
    fill(this.about, dimension.definition);
    this.cells = this.assets.map((asset, index) => this.cell(asset, index));
    fill(this.grid, this.cells);
    if (!this.assets.length) {
      fill(
        this.grid,
        el(
          "div",
          { class: "poolempty" },
          el("strong", {}, "No free images here"),
          el(
            "p",
            {},
            pool.dimensions.length > 1
              ? "Every image that fits this dimension is taken. Choose another dimension above, or ask your lead to bring in more."
              : "Every image is taken. Ask your lead to bring in more.",
          ),
        ),
      );
    }
    const more = this.next() !== null;
    fill(
      this.foot,
      el("span", {}, pool.total === 1 ? "1 free image" : `${pool.total} free images`),
      el(
        "span",
        { class: "quiet" },
        key("← ↑ → ↓"),
        " move  ",
        this.many ? [key("Space"), " select  "] : null,
        key("Enter"),
        this.many ? " write about the selection" : " write about it",
      ),
      el(
        "span",
        { class: "pages" },
        el(
          "button",
          { type: "button", class: "small", disabled: this.trail.length < 2, on: { click: () => this.back() } },
          key("PgUp"),
          " before",
        ),
        el(
          "button",
          { type: "button", class: "small", disabled: !more, on: { click: () => this.forth() } },
          key("PgDn"),
          " more",
        ),
      ),
    );
    this.move(this.at, { quiet: true });
  }

  next() {
    const last = this.pool.assets[this.pool.assets.length - 1];
    const seen = (this.trail.length - 1) * 60 + this.pool.assets.length;
    return last && seen < this.pool.total ? last.id : null;
  }

  cell(asset, index) {
    const image = asset.missing
      ? el("span", { class: "noimg" }, "missing")
      : el("img", { src: mediaUrl(asset.id, "thumb"), alt: "", loading: "lazy", draggable: "false" });
    return el(
      "div",
      {
        class: "cell",
        role: "option",
        id: `pool-${asset.id}`,
        "aria-label": `Image ${index + 1}`,
        "aria-selected": "false",
        on: {
          click: (event) => {
            this.move(index);
            if (this.many && (event.ctrlKey || event.shiftKey || event.metaKey)) this.select();
            else this.take();
          },
        },
      },
      image,
      asset.kind === "clip" ? el("span", { class: "badge" }, "clip") : null,
      el("span", { class: "order" }),
    );
  }

  columns() {
    if (this.cells.length < 2) return 1;
    const top = this.cells[0].offsetTop;
    const count = this.cells.findIndex((cell) => cell.offsetTop !== top);
    return count < 0 ? this.cells.length : count;
  }

  move(index, { quiet = false } = {}) {
    if (!this.cells.length) return;
    this.at = Math.max(0, Math.min(index, this.cells.length - 1));
    this.cells.forEach((cell, at) => {
      cell.classList.toggle("at", at === this.at);
      const order = this.selected.indexOf(this.assets[at].id);
      cell.setAttribute("aria-selected", String(order >= 0 || (!this.many && at === this.at)));
      cell.querySelector(".order").textContent = order >= 0 ? String(order + 1) : "";
    });
    this.grid.setAttribute("aria-activedescendant", this.cells[this.at].id);
    this.cells[this.at].scrollIntoView({ block: "nearest" });
    if (!quiet) this.grid.focus({ preventScroll: true });
  }

  select() {
    const { id } = this.assets[this.at];
    this.selected = this.selected.includes(id) ? this.selected.filter((other) => other !== id) : [...this.selected, id];
    this.move(this.at);
  }

  take() {
    const asset = this.assets[this.at];
    if (!asset) return;
    const ids = this.selected.length ? this.selected : [asset.id];
    for (const id of ids) this.cells[this.assets.findIndex((other) => other.id === id)]?.classList.add("picking");
    this.host.pick(ids, this.pool.dimension);
  }

  // Somebody was first: the images fade, and one may go on at once.
  gone(ids) {
    for (const id of ids) {
      this.taken.add(id);
      const cell = this.cells[this.assets.findIndex((asset) => asset.id === id)];
      if (cell) {
        cell.classList.remove("picking");
        cell.classList.add("gone");
      }
    }
    this.selected = [];
    setTimeout(() => this.host.wish(this.place()), 900);
  }

  release(ids) {
    for (const id of ids) this.cells[this.assets.findIndex((asset) => asset.id === id)]?.classList.remove("picking");
  }

  place() {
    return { dimension: this.pool ? this.pool.dimension : undefined, after: this.trail[this.trail.length - 1] };
  }

  turnTo(dimension) {
    if (dimension === this.pool.dimension) return;
    this.host.wish({ dimension, after: null });
  }

  forth() {
    const after = this.next();
    if (after === null) return;
    this.trail.push(after);
    this.at = 0;
    this.host.wish(this.place());
  }

  back() {
    if (this.trail.length < 2) return;
    this.trail.pop();
    this.at = 0;
    this.host.wish(this.place());
  }

  key(event) {
    const columns = this.columns();
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    if (event.key in steps) {
      const target = this.at + steps[event.key];
      if (target >= 0 && target < this.cells.length) this.move(target);
      else if (event.key === "ArrowRight" || event.key === "ArrowDown") this.move(this.cells.length - 1);
      return true;
    }
    if (event.key === "Home") this.move(0);
    else if (event.key === "End") this.move(this.cells.length - 1);
    else if (event.key === "PageDown") this.forth();
    else if (event.key === "PageUp") this.back();
    else if (event.key === "Enter") this.take();
    else if (event.key === " " && this.many) this.select();
    else if (/^[1-9]$/.test(event.key) && this.pool.dimensions[Number(event.key) - 1])
      this.turnTo(this.pool.dimensions[Number(event.key) - 1].id);
    else return false;
    return true;
  }
}
