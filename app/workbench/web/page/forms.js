// Which form stands next to the media: one for each stage, opened with the task.

import { AdjudicateForm } from "../forms/adjudicate.js";
import { AuthorForm } from "../forms/author.js";
import { RatingForm } from "../forms/rating.js";
import { RefineForm } from "../forms/refine.js";

/** @import { Answers, Criterion, Form, Host, Static, Task } from "../types" */

export class Forms {
  /** @param {Host} host */
  constructor(host) {
    this.media = host.media;
    this.rating = new RatingForm(host);
    this.author = new AuthorForm(host);
    this.settling = new AdjudicateForm(host);
    this.refining = new RefineForm(host);
    /** @type {Form | null} */
    this.current = null;
  }

  /** Whether keys go to the form before they go to the media: a rater answers with them. */
  get keysFirst() {
    return this.current === this.rating || this.current === this.refining;
  }

  /**
   * @param {Static} fixed
   * @param {Task} task
   * @param {Answers} answers what was typed before
   * @param {string[]} earlier texts of this dimension that an author may be repeating
   * @returns {Form}
   */
  open(fixed, task, answers, earlier) {
    const { dimension, options, plans, fields: values } = task;
    this.media.forget(); // a form that is opened anew brings its own editors
    const { fields, field_rules: between } = fixed;
    if (fixed.stage.name === "authoring") {
      const { proposed } = task;
      this.author.open({ fields, between, dimension, values: answers.values || values, earlier, proposed });
      this.current = this.author;
    } else if (fixed.adjudication) {
      const { votes, history, vote_criteria } = task;
      const voted = fixed.vote_criteria.filter(({ name }) => vote_criteria.includes(name));
      const criteria = asked(voted, task);
      this.settling.open({
        criteria,
        options,
        votes,
        history,
        ...fixed.adjudication,
        fields,
        between,
        dimension,
        values,
        answers,
      });
      this.current = this.settling;
    } else {
      const texts = { ...values, prediction: task.answer };
      const { rules } = fixed;
      const criteria = asked(fixed.criteria, task);
      const asking = { criteria, rules, options, answers, plans, texts, votes: task.votes };
      if (fixed.stage.name === "refinement") this.refining.open({ ...asking, fields, between, dimension, values });
      else this.rating.open(asking);
      this.current = fixed.stage.name === "refinement" ? this.refining : this.rating;
    }
    return this.current;
  }

  close() {
    this.current = null;
  }
}

/**
 * What is asked about an item of this dimension.
 * @param {Criterion[]} criteria
 * @param {Task} task
 */
export function asked(criteria, task) {
  return criteria.filter((criterion) => !criterion.dimensions || criterion.dimensions.includes(task.dimension));
}
