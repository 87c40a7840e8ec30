// How long the item is this person's: lengthened while they work, and a word when it is about to end.

import { clock } from "../dom.js";
import { post, Refused } from "../http.js";
import { t } from "../words.js";

/** @import { HeartbeatReply } from "../types" */
/** @import { Bench } from "./bench.js" */

const HEARTBEAT_MS = 4 * 60 * 1000;
const WARNING_MS = 3 * 60 * 1000;
const TICK_MS = 5000;

export class Lease {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.until = 0;
    this.lastBeat = 0;
    this.warned = false;
    this.beating = false;
    this.skew = 0; // how far the server's clock is before ours
    this.ticker = setInterval(() => this.tick(), TICK_MS);
  }

  stop() {
    clearInterval(this.ticker);
  }

  /** @param {string} until */
  open(until) {
    this.until = Date.parse(until);
    this.lastBeat = Date.now();
    this.warned = false;
  }

  /** Someone is at work: a warning is answered at once. */
  touched() {
    if (this.warned) this.tick();
  }

  async tick() {
    const { bench } = this;
    if (!bench.task || bench.lost || bench.busy) return;
    const now = Date.now();
    const left = this.until - (now + this.skew);
    const active = bench.lastActive > this.lastBeat;
    const due = now - this.lastBeat > HEARTBEAT_MS || left < WARNING_MS;
    if (active && due && document.visibilityState === "visible" && !this.beating) await this.beat(bench.task.id);
    else if (left < WARNING_MS && !this.warned && !bench.connection.offline) {
      this.warned = true;
      const when = clock(new Date(this.until - this.skew).toISOString()).slice(0, 5);
      bench.banner.show(
        "plain lease",
        t("Other people can take this item from {when}. To keep it, press any key or tap the page.", { when }),
      );
    }
  }

  /** @param {string} id */
  async beat(id) {
    const { bench } = this;
    this.beating = true;
    try {
      /** @type {HeartbeatReply} */
      const answer = await post("/api/heartbeat", bench.page.csrf, { task: id });
      if (bench.task?.id === id) {
        if (bench.banner.is("lease")) bench.hideBanner();
        this.open(answer.lease_until);
      }
    } catch (error) {
      if (error instanceof Refused && bench.task?.id === id) bench.actions.refused(error, "heartbeat");
    } finally {
      this.beating = false;
    }
  }
}
