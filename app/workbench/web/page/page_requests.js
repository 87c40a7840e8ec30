// Asking for the next page. A wish goes out with a number, is repeated until the page that answers it has come, and when
// the connection that carries pages does not come back by itself the whole page is loaded anew.

/** @import { Wish } from "../types" */
/** @import { Bench } from "./bench.js" */

const ANSWER_MS = 2500; // longer than any healthy rerun; then the wish is repeated
const LOOK_MS = 1500;

export class PageRequests {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {(wish: Wish) => void} */
    this.fire = () => {};
    this.wishes = 0;
    /** @type {Wish | null} */
    this.waiting = null;
    this.tries = 0;
    this.broke = false; // until a page has come through again: Streamlit's own connection may be down for longer
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

  /** @param {Wish} wish */
  ask(wish) {
    if (this.stopped) return;
    this.wishes += 1;
    this.waiting = { ...this.bench.standing(), ...wish, n: this.wishes };
    this.tries = 0;
    this.send();
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
