// The guideline on the page: open or closed next to the item, with a word when it has changed.

import { post } from "../http.js";
import { asked } from "./forms.js";
import { GuidelineNews } from "./guideline_news.js";
import { GuidelinePanel } from "./guideline_panel.js";

/** @import { Task } from "../types" */
/** @import { Bench } from "./bench.js" */

export class Guideline {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** @type {string | undefined} */
    this.shown = undefined; // the text that was shown next to this task
    this.guide = new GuidelinePanel(() => {
      this.paint();
      bench.paintLine();
    });
    this.news = new GuidelineNews(
      () => this.guide.isOpen || this.guide.toggle(),
      (number) => this.read(number),
    );
  }

  get isOpen() {
    return this.guide.isOpen;
  }

  /** @param {Task | null} task */
  open(task) {
    if (task) this.shown = this.bench.fixed.guideline_hash;
    this.news.show(task ? task.news : null);
  }

  paint() {
    const { bench, guide } = this;
    const { data, fixed, task } = bench;
    if (!data) return;
    guide.paint({
      version: data.static_hash,
      html: fixed.guideline,
      stage: fixed.stage.title,
      dimension: task ? fixed.dimensions[task.dimension] : null,
      criteria: task ? asked(fixed.criteria, task) : [],
    });
    if (guide.isOpen) {
      this.shown = fixed.guideline_hash;
      this.news.opened();
    }
    guide.tell(this.news.told);
    bench.root.classList.toggle("guided", guide.isOpen);
    bench.body.classList.toggle("guided", guide.isOpen);
    const host = data.view === "pool" ? bench.poolView.root : bench.body;
    if (guide.root.parentNode !== host) host.append(guide.root);
  }

  /**
   * Someone who opens the guideline knows what has changed in it; if this does not get through, they are told again.
   * @param {number} number
   */
  read(number) {
    const { page, fixed } = this.bench;
    post("/api/guideline_seen", page.csrf, { project: fixed.project.name, number }).catch(() => {});
  }
}
