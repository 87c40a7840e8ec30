// How long someone has really worked on a task: not while the page is hidden, and not from a minute after their last
// key or movement on. A reload of the page goes on counting.

const IDLE_MS = 60 * 1000;
const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"];

export class ActiveTime {
  constructor() {
    /** @type {string | null} */
    this.task = null;
    this.spent = 0;
    /** @type {number | null} */
    this.from = null; // since when time counts that is not in `spent` yet
    this.last = 0;
    this.input = () => this.act();
    this.turned = () => (document.visibilityState === "hidden" ? this.pause() : this.act());
    this.leaving = () => this.keep();
    for (const name of INPUTS) window.addEventListener(name, this.input, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.turned);
    window.addEventListener("pagehide", this.leaving);
  }

  stop() {
    this.keep();
    for (const name of INPUTS) window.removeEventListener(name, this.input, { capture: true });
    document.removeEventListener("visibilitychange", this.turned);
    window.removeEventListener("pagehide", this.leaving);
  }

  /** @param {string} task */
  open(task) {
    this.keep();
    this.task = task;
    this.spent = Number(read(name(task))) || 0;
    this.from = null;
    if (document.visibilityState !== "hidden") this.act();
  }

  act() {
    const now = Date.now();
    this.settle(now);
    this.last = now;
    this.from = document.visibilityState === "hidden" ? null : now;
  }

  pause() {
    this.settle(Date.now());
    this.from = null;
    this.keep();
  }

  /** @param {number} now */
  settle(now) {
    if (this.from !== null) this.spent += Math.max(0, Math.min(now, this.last + IDLE_MS) - this.from);
  }

  /** What has been counted so far, in seconds. */
  seconds() {
    const open = this.from === null ? 0 : Math.max(0, Math.min(Date.now(), this.last + IDLE_MS) - this.from);
    return Math.round((this.spent + open) / 100) / 10;
  }

  keep() {
    if (this.task) write(name(this.task), String(Math.round(this.seconds() * 1000)));
  }

  /**
   * It is submitted: anyone who takes it back starts at nothing, as what was spent is with what was submitted.
   * @param {string} task
   */
  done(task) {
    if (this.task === task) this.task = null;
    write(name(task), null);
  }
}

/** @param {string} task */
function name(task) {
  return `touchstone.active.${task}`;
}

/** @param {string} key */
function read(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/**
 * @param {string} key
 * @param {string | null} value
 */
function write(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // a browser that keeps nothing
  }
}
