// Threads of comments as a part of a page that is not for working.

import { finishComments } from "./comments/sending.js";
import { Thread } from "./comments/thread.js";
import { el } from "./dom.js";
import threadSheet from "./threads.css" with { type: "css" };
import { t } from "./words.js";

/** @import { Mounted } from "./types" */
/** @import { ThreadsPage } from "./comment_types" */

const CLOSED = t(
  "You could still be asked about this item blind. If you open the item to read all comments, you are no longer asked about it.",
);

/** @type {WeakMap<object, { print: string, csrf: string }>} */
const shown = new WeakMap();

/** @param {Mounted<ThreadsPage>} mounted */
export default async function mount({ data, parentElement }) {
  const print = JSON.stringify(data.threads.map((thread) => [thread.item, thread.comments.length]));
  const known = shown.get(parentElement);
  if (known?.print === print) {
    known.csrf = data.csrf;
    return undefined;
  }
  const state = { print, csrf: data.csrf };
  shown.set(parentElement, state);
  parentElement.adoptedStyleSheets = [threadSheet];
  const host = { csrf: () => state.csrf, person: () => data.person, changed: () => {} };
  await finishComments(data.person, host.csrf);
  const threads = data.threads.map((each) => {
    const thread = new Thread(host);
    thread.open({ project: each.project, item: each.item }, each.item);
    thread.paint(each);
    if (each.closed) thread.root.replaceChildren(el("p", { class: "quiet talkabout" }, CLOSED));
    return data.single ? thread.root : titled(each, data.history, thread.root);
  });
  const root = el("div", { class: "threads" }, threads);
  for (const old of parentElement.querySelectorAll(".threads")) old.remove();
  parentElement.append(root);
  return () => {
    shown.delete(parentElement);
    root.remove();
  };
}

/**
 * @param {ThreadsPage["threads"][number]} thread
 * @param {boolean} linked whether its title leads to the item
 * @param {HTMLElement} content
 */
function titled({ project, item, title, dimension_title }, linked, content) {
  const href = `/items?project=${encodeURIComponent(project)}&item=${encodeURIComponent(item)}`;
  const name = linked ? el("a", { href, target: "_self" }, title) : title;
  return el(
    "article",
    { data: { item } },
    el("h3", {}, name, el("span", { class: "quiet" }, dimension_title)),
    content,
  );
}
