// How long someone has really worked on a task: not while the page is hidden, and not from a minute after their last
// key or movement on. Of an author's form it is counted, too, how long each field had the focus meanwhile. A reload of
// the page goes on counting.

const IDLE_MS = 60 * 1000;
const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"];

export class ActiveTime {
  /** @param {HTMLElement} form the one whose fields are told apart */
  constructor(form) {
    /** @type {string | null} */
    this.task = null;
    this.spent = 0;
    /** @type {Map<string, number>} */
    this.fields = new Map(); // of `spent`, how long each field had the focus
    /** @type {string | undefined} */
    this.field = undefined; // the one that has it
    /** @type {number | null} */
    this.from = null; // since when time counts that is not in `spent` yet
    this.last = 0;
    this.input = () => this.act();
    this.turned = () => (document.visibilityState === "hidden" ? this.pause() : this.act());
    this.leaving = () => this.keep();
    for (const name of INPUTS) window.addEventListener(name, this.input, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.turned);
    window.addEventListener("pagehide", this.leaving);
    form.addEventListener("focusin", ({ target }) => this.turn(fieldOf(target)));
    form.addEventListener("focusout", () => this.turn(undefined));
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
    this.fields = spentOn(task);
    this.field = undefined;
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

  /**
   * The focus goes to a field, or to nothing that is one.
   * @param {string | undefined} field
   */
  turn(field) {
    this.settle(Date.now());
    this.field = field;
  }

  /** @param {number} now */
  settle(now) {
    if (this.from === null) return;
    const more = Math.max(0, Math.min(now, this.last + IDLE_MS) - this.from);
    this.spent += more;
    if (this.field !== undefined) this.fields.set(this.field, (this.fields.get(this.field) ?? 0) + more);
    this.from = now;
  }

  /** What has been counted so far, in seconds. */
  seconds() {
    this.settle(Date.now());
    return Math.round(this.spent / 100) / 10;
  }

  /** Of these, those of each field; rounded down, as together they are no more. */
  fieldSeconds() {
    this.settle(Date.now());
    return Object.fromEntries([...this.fields].map(([field, spent]) => [field, Math.floor(spent / 100) / 10]));
  }

  keep() {
    if (!this.task) return;
    this.settle(Date.now());
    write(name(this.task), String(this.spent));
    write(fieldsName(this.task), JSON.stringify([...this.fields]));
  }

  /**
   * It is submitted: anyone who takes it back starts at nothing, as what was spent is with what was submitted.
   * @param {string} task
   */
  done(task) {
    if (this.task === task) this.task = null;
    write(name(task), null);
    write(fieldsName(task), null);
  }
}

/**
 * The field of a form in which something is.
 * @param {EventTarget | null} target
 */
function fieldOf(target) {
  const field = target instanceof Element ? target.closest("[data-field]") : null;
  return field instanceof HTMLElement ? field.dataset.field : undefined;
}

/** @param {string} task */
function name(task) {
  return `touchstone.active.${task}`;
}

/** @param {string} task */
function fieldsName(task) {
  return `${name(task)}.fields`;
}

/**
 * How long the fields of a task had the focus before the page was loaded anew.
 * @param {string} task
 * @returns {Map<string, number>}
 */
function spentOn(task) {
  try {
    return new Map(JSON.parse(read(fieldsName(task)) ?? "[]"));
  } catch {
    return new Map(); // not as it was written
  }
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
