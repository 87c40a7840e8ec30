// The pool on the page: opened, and looked at again while someone chooses.

import { el } from "../dom.js";
import { prefetch } from "../media/sources.js";
import { Pool } from "./pool.js";

/** @import { PoolPage } from "../types" */
/** @import { Bench } from "./bench.js" */

const REFRESH_MS = 2000; // while someone is choosing
const IDLE_MS = 10000;
const IDLE_AFTER_MS = 30000;

export class PoolView {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.root = el("div", { class: "poolhost", hidden: true });
    /** @type {Pool | null} */
    this.pool = null;
    this.refreshedAt = 0;
    this.ticker = setInterval(() => this.refresh(), REFRESH_MS);
  }

  stop() {
    clearInterval(this.ticker);
  }

  /**
   * @param {PoolPage} page
   * @param {boolean} refreshed
   */
  open({ pool }, refreshed) {
    const { bench } = this;
    if (!this.pool) {
      this.pool = new Pool({
        pick: (ids, dimension) => bench.actions.pick(ids, dimension),
        wish: (place) => bench.requests.ask({ pool: place }),
      });
      this.root.append(this.pool.root);
    }
    const dimensions = pool.dimensions ?? this.pool.pool.dimensions;
    this.pool.update({ ...pool, dimensions }, bench.fixed, refreshed);
    if (!refreshed) this.pool.grid.focus({ preventScroll: true });
    prefetch([]);
  }

  refresh() {
    const { bench, pool } = this;
    if (bench.data?.view !== "pool" || !pool || bench.requests.waiting || bench.busy || bench.connection.offline)
      return;
    if (document.visibilityState !== "visible" || bench.overlay.isOpen) return;
    const now = Date.now();
    if (now - bench.lastActive > IDLE_AFTER_MS && now - this.refreshedAt < IDLE_MS) return;
    this.refreshedAt = now;
    bench.requests.ask({ pool: pool.place(), refresh: true });
  }
}
