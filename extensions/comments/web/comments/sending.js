// Comments on their way: sent again under their own keys until the server has them, so that each is stored once.

import { Gone, post, Refused } from "../http.js";
import { forget, namesOf, read } from "../storage.js";

/** @import { CommentAttempt, ThreadPart } from "../comment_types" */

const AGAIN_MS = 1500;

/**
 * Where what is being written waits in this browser.
 * @param {number} person
 * @param {string | null} item
 */
export const draftName = (person, item) => `touchstone.comment.${person}.${item}`;

/**
 * Where what is being sent waits; without an item, how all of those names begin.
 * @param {number} person
 * @param {string | null} item
 */
export const sendingName = (person, item = "") => `touchstone.commenting.${person}.${item}`;

/**
 * @param {CommentAttempt} attempt
 * @param {() => string} csrf
 * @param {() => void} waiting is called whenever it has to be tried again
 * @returns {Promise<ThreadPart>}
 */
export async function deliver(attempt, csrf, waiting) {
  for (;;) {
    try {
      return await post("/api/comment", csrf(), attempt);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      waiting();
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/**
 * Comments that a reload interrupted while they were being sent: sent again under their own keys, stored once.
 * @param {number} person
 * @param {() => string} csrf
 */
export async function finishComments(person, csrf) {
  const mark = sendingName(person);
  for (const name of namesOf(mark)) {
    const attempt = read(name);
    const item = name.slice(mark.length);
    try {
      if (attempt) await deliver(attempt, csrf, () => {});
      forget(draftName(person, item));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    forget(name);
  }
}
