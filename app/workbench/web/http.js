// Posts to the server, and the two ways in which they can fail.

import { t } from "./words.js";

/** @import { Problem } from "./types" */

const PATIENCE_MS = 45000; // longer than the server waits for its database
const COME_AGAIN = [429, 502, 503, 504];

/** The server says no. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ error?: string, problems?: Problem[], picture?: unknown }} body
   */
  constructor(status, body) {
    super(body.error || t("The server returned error {status}.", { status }));
    this.status = status;
    this.body = body;
    this.problems = body.problems || [];
  }
}

/** No reply, or one that says to come again. */
export class Gone extends Error {
  /**
   * @param {string} message
   * @param {string} [words] the server's own, if it gave any
   */
  constructor(message, words = "") {
    super(message);
    this.words = words;
  }
}

/**
 * @param {string} path
 * @param {string} csrf
 * @param {object} body
 * @param {{ keepalive?: boolean }} [how] `keepalive`: also while the page is being left
 * @returns {Promise<any>} the reply; types.d.ts has the shape of each
 */
export async function post(path, csrf, body, { keepalive = false } = {}) {
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      keepalive,
      headers: { "Content-Type": "application/json", "X-Touchstone-CSRF": csrf },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    throw new Gone(String(error));
  }
  /** @type {{ error?: string, problems?: Problem[] }} */
  let answer = {};
  try {
    answer = await reply.json();
  } catch {
    if (reply.ok) throw new Gone("the reply broke off");
  }
  if (COME_AGAIN.includes(reply.status)) throw new Gone(`status ${reply.status}`, answer.error);
  if (!reply.ok) throw new Refused(reply.status, answer);
  return answer;
}
