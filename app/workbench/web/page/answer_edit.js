// A submitted answer in the form again: it is left as it was, or replaced by a new submission.

import { same } from "../dom.js";
import { askToDrop } from "./dialogs.js";

/** @import { Answers, Task } from "../types" */
/** @import { Bench } from "./bench.js" */

export class AnswerEdit {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** What was submitted; null if it was changed before the page opened. */
    this.submitted = /** @type {Answers | null} */ (null);
  }

  /**
   * @param {Task} task
   * @param {boolean} unsent whether this browser has changes that the server does not have
   */
  open({ correction }, unsent) {
    this.submitted = correction && !correction.changed && !unsent ? this.bench.actions.answers() : null;
  }

  /** Leave the answer as it was. Asks first if something was changed. */
  leave() {
    const { bench } = this;
    if (!bench.task?.correction || bench.busy || bench.requests.waiting) return;
    if (same(bench.actions.answers(), this.submitted)) this.keep();
    else askToDrop(bench, () => this.keep());
  }

  async keep() {
    const { bench } = this;
    if (!bench.task) return;
    const { id } = bench.task;
    const fromList = new URLSearchParams(location.search).get("edited") === id;
    bench.sync.drop();
    await bench.actions.act("/api/release", { task: id }, () => {
      bench.active.done(id);
      bench.sync.finish(id);
      if (fromList) location.href = `/my_submissions?project=${encodeURIComponent(bench.fixed.project.name)}`;
      else bench.requests.ask({});
    });
  }
}
