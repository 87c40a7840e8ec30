// Comments below the form: the thread on the item, which C opens. What is being written goes into the draft.

import { Thread } from "../comments/thread.js";
import { el } from "../dom.js";
import threadSheet from "../threads.css" with { type: "css" };
import { t } from "../words.js";

/** @import { Answers, SideHost, SidePart, Task } from "../types" */

/**
 * @param {SideHost} host
 * @returns {SidePart}
 */
export function part(host) {
  const talk = new Thread({ ...host, leave: true });
  const root = el("div", { class: "talk", hidden: true }, el("div", { class: "prompt" }, t("Comments")), talk.root);
  return {
    key: "c",
    title: t("comments"),
    help: t("comments on the item"),
    root,
    box: talk.box,
    isOffered: (/** @type {Task} */ task) => Boolean(task.item),
    open: (/** @type {Task} */ task, /** @type {Answers} */ answers) => {
      talk.open({ task: task.id }, task.item, answers.comment);
      root.hidden = !talk.text;
      if (talk.text) talk.load();
    },
    close: () => {
      root.hidden = true;
    },
    show: () => {
      if (root.hidden || !talk.data) talk.load();
      root.hidden = false;
      talk.box.focus();
      root.scrollIntoView({ block: "nearest" });
    },
    typed: () => (talk.text ? { comment: talk.text } : {}),
    send: () => talk.send(),
    finishOld: () => talk.finishOld(),
  };
}

export { threadSheet as sheet };
