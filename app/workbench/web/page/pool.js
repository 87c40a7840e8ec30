// The pool of free images: a dense grid, arrows and Enter; what someone else took fades.

import { el, fill, part } from "../dom.js";
import { t } from "../words.js";
import { cellOf, footOf, nothingFree, playing, tabOf } from "./pool_parts.js";

/** @import { Asset, PoolPart, PoolPlace, Slot, Static } from "../types" */

const PAGE = 60; // as app/workbench/stages.py sends them

/**
 * @typedef {object} PoolHost
 * @property {(ids: string[], dimension: string) => void} pick
 * @property {(place: PoolPlace) => void} wish another page
 */

export class Pool {
  /** @param {PoolHost} host */
  constructor(host) {
    this.host = host;
    /** @type {PoolPart} */
    this.pool = { dimensions: [], dimension: "", assets: [], total: 0, after: null };
    /** @type {Slot[]} */
    this.slots = [];
    this.many = false; // whether one picks several images for an item
    /** @type {Asset[]} */
    this.assets = [];
    /** @type {HTMLElement[]} */
    this.cells = [];
    this.fading = 0;
    this.at = 0;
    /** @type {(string | null)[]} */
    this.trail = [null]; // the cursors of the pages before this one, so that one can go back
    this.root = el("div", { class: "pool" });
    this.grid = el("div", { class: "grid", role: "listbox", "aria-label": t("Free images"), tabindex: "0" });
    this.bar = el("div", { class: "dims", role: "tablist", "aria-label": t("Dimensions") });
    this.foot = el("div", { class: "poolfoot" });
    this.about = el("div", { class: "about" });
    this.root.append(this.bar, this.about, this.grid, this.foot);
    /** @type {Set<string>} */
    this.taken = new Set();
    /** @type {string[]} */
    this.selected = [];
  }

  /**
   * Another page of the pool, or (``refreshed``) the same one a moment later: what is gone fades, nothing jumps.
   * @param {PoolPart} pool
   * @param {Static} frame
   * @param {boolean} refreshed
   */
  update(pool, frame, refreshed) {
    if (!refreshed || pool.dimension !== this.pool.dimension) return this.open(pool, frame);
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

  /**
   * @param {PoolPart} pool
   * @param {Static} frame
   */
  open(pool, frame) {
    clearTimeout(this.fading);
    const fresh = this.pool.dimension !== pool.dimension;
    if (fresh) {
      this.trail = [null];
      this.at = 0;
      this.selected = [];
    }
    this.pool = pool;
    this.slots = frame.slots;
    const grouped = pool.assets.length > 0 && pool.assets.every((asset) => asset.group.length);
    this.many = !grouped && (frame.slots.length > 1 || (frame.slots[0] && frame.slots[0].max !== 1));
    this.assets = pool.assets.filter((asset) => !this.taken.has(asset.id));
    this.selected = this.selected.filter((id) => this.assets.some((asset) => asset.id === id));
    this.at = Math.max(0, Math.min(this.at, this.assets.length - 1));
    const dimension = frame.dimensions[pool.dimension] || { title: pool.dimension, definition: "" };
    fill(
      this.bar,
      pool.dimensions.map((row, index) => tabOf(this, row, index)),
    );
    fill(this.about, dimension.definition);
    this.cells = this.assets.map((asset, index) => cellOf(this, asset, index));
    fill(this.grid, this.cells.length ? this.cells : nothingFree(pool));
    fill(this.foot, footOf(this));
    this.move(this.at, { quiet: true });
  }

  next() {
    const last = this.pool.assets[this.pool.assets.length - 1];
    const seen = (this.trail.length - 1) * PAGE + this.pool.assets.length;
    return last && seen < this.pool.total ? last.id : null;
  }

  columns() {
    if (this.cells.length < 2) return 1;
    const top = this.cells[0].offsetTop;
    const count = this.cells.findIndex((cell) => cell.offsetTop !== top);
    return count < 0 ? this.cells.length : count;
  }

  /**
   * @param {number} index
   * @param {{ quiet?: boolean }} [how]
   */
  move(index, { quiet = false } = {}) {
    if (!this.cells.length) return;
    this.at = Math.max(0, Math.min(index, this.cells.length - 1));
    this.cells.forEach((cell, at) => {
      cell.classList.toggle("at", at === this.at);
      const order = this.selected.indexOf(this.assets[at].id);
      cell.setAttribute("aria-selected", String(order >= 0 || (!this.many && at === this.at)));
      part(cell, ".order").textContent = order >= 0 ? String(order + 1) : "";
      const video = cell.querySelector("video");
      if (video) playing(video, at === this.at && !quiet);
    });
    this.grid.setAttribute("aria-activedescendant", this.cells[this.at].id);
    this.cells[this.at].scrollIntoView({ block: "nearest" });
    if (!quiet) this.grid.focus({ preventScroll: true });
  }

  select() {
    const { id, group } = this.assets[this.at];
    if (group.length) return; // it makes an item by itself
    this.selected = this.selected.includes(id) ? this.selected.filter((other) => other !== id) : [...this.selected, id];
    this.move(this.at);
  }

  take() {
    const asset = this.assets[this.at];
    if (!asset) return;
    const ids = this.selected.length && !asset.group.length ? this.selected : [asset.id];
    for (const id of ids) this.cells[this.assets.findIndex((other) => other.id === id)]?.classList.add("picking");
    this.host.pick(ids, this.pool.dimension);
  }

  /**
   * Someone was first: the images fade, and one may go on at once.
   * @param {string[]} ids
   */
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

  /** @param {string[]} ids */
  release(ids) {
    for (const id of ids) this.cells[this.assets.findIndex((asset) => asset.id === id)]?.classList.remove("picking");
  }

  /** @returns {PoolPlace} */
  place() {
    return { dimension: this.pool.dimension || undefined, after: this.trail[this.trail.length - 1] };
  }

  /** @param {string} dimension */
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

  /** @param {KeyboardEvent} event */
  key(event) {
    const columns = this.columns();
    /** @type {Record<string, number>} */
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
    else return this.digit(event.key);
    return true;
  }
  /**
   * To the dimension with that number.
   * @param {string} name of a key
   */
  digit(name) {
    const dimension = /^[1-9]$/.test(name) ? this.pool.dimensions[Number(name) - 1] : undefined;
    if (dimension) this.turnTo(dimension.id);
    return Boolean(dimension);
  }
}
