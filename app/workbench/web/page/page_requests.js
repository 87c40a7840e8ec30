// Asking for the next page. A wish goes out with a number, is repeated until the page that answers it has come, and when
// the server does not answer after some tries the whole page is loaded anew.

import { Gone, post, Refused } from "../http.js";

/** @import { Page, Wish } from "../types" */
/** @import { Bench } from "./bench.js" */

const ANSWER_MS = 2500; // longer than any healthy reply; then the wish is repeated
const LOOK_MS = 1500;

export class PageRequests {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.wishes = 0;
    /** @type {Wish | null} */
    this.waiting = null;
    this.tries = 0;
    this.broke = false; // until a page has come through again
    this.watch = 0;
    this.stopped = false;
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.watch);
  }

  /** Whether a page is on its way, other than one that confirms what is shown. */
  get blocking() {
    return Boolean(this.waiting && !this.waiting.confirms);
  }

  /** Whether another page is on its way; looking whether the pool has changed is none. */
  get changing() {
    return this.blocking && !this.waiting?.refresh;
  }

  /**
   * A wish with its number.
   * @param {Wish} wish
   * @returns {Wish}
   */
  wish(wish) {
    this.wishes += 1;
    return { ...this.bench.standing(), ...wish, n: this.wishes, again: 1 };
  }

  /** @param {Wish} wish */
  ask(wish) {
    if (this.stopped) return;
    this.waiting = this.wish(wish);
    this.tries = 0;
    this.send();
  }

  /**
   * A page that came with the answer to something else. Without one it is asked for.
   * @param {Wish} wish
   * @param {Page | null} page
   */
  take(wish, page) {
    if (this.stopped) return;
    if (!page) {
      this.ask(wish);
      return;
    }
    this.waiting = wish;
    this.bench.update(page);
  }

  send() {
    clearTimeout(this.watch);
    this.tries += 1;
    if (this.tries > (this.broke ? 2 : 3)) {
      this.reloadWhenBack();
      return;
    }
    this.fire({ ...this.waiting, again: this.tries });
    this.watch = setTimeout(() => this.send(), this.broke ? ANSWER_MS / 2 : ANSWER_MS);
  }

  /** @param {Wish} wish */
  async fire(wish) {
    const { bench } = this;
    try {
      const page = await post("/api/page", bench.page.csrf, wish);
      if (!this.stopped) bench.update(page);
    } catch (error) {
      if (this.stopped || wish.n !== this.waiting?.n) return;
      if (error instanceof Gone) {
        if (error.words) bench.pageAway(error.words);
      } else if (!(error instanceof Refused)) throw error;
      else if (error.status === 401) {
        clearTimeout(this.watch);
        bench.actions.signInAgain(error);
      } else if (error.status < 500) this.reloadWhenBack(); // a page that is loaded anew belongs to the present session, or says what is wrong
    }
  }

  /** The page has come. */
  settle() {
    clearTimeout(this.watch);
    this.broke = false;
    this.waiting = null;
    this.bench.setBusy(false);
  }

  /** Looks in a while whether the server is back. */
  lookLater() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.reloadWhenBack(), LOOK_MS);
  }

  /** The connection that carries pages did not come back by itself: everything is saved, so a fresh page is safe. */
  async reloadWhenBack() {
    if (this.stopped) return;
    try {
      const reply = await fetch("/healthz", { cache: "no-store" });
      if (reply.ok) {
        if (this.waiting?.refresh) this.settle();
        else location.reload();
        return;
      }
    } catch {
      // Not yet.
    }
    this.bench.connection.gone();
    this.watch = setTimeout(() => this.reloadWhenBack(), LOOK_MS);
  }
}
