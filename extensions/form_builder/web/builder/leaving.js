// What happens when a person leaves the form: nothing typed is lost.

import { post } from "../http.js";

/** @import { Builder } from "./form.js" */

/**
 * Go where the effects on items and votes are shown, once the draft is saved.
 * @param {Builder} builder
 * @param {string} project
 */
export async function seeEffects(builder, project) {
  builder.frame.create.disabled = true;
  builder.dirty = true; // the effects are those of the draft that was saved last
  while (!builder.stopped && (builder.dirty || builder.busy)) {
    builder.check(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  location.assign(`/schema?project=${encodeURIComponent(project)}&effects=1`);
}

/**
 * Save what was typed in the last moment before the page is closed or loaded anew.
 * @param {Builder} builder
 * @returns {() => void} stops that
 */
export function saveOnLeave(builder) {
  const save = () => {
    if (!builder.dirty || builder.stopped) return;
    const { draft, revision } = builder;
    const body = {
      draft,
      revision,
      text: builder.editor.text,
      guideline: builder.frame.guideline.value,
      project: builder.data.project,
    };
    post("/api/form_check", builder.csrf(), body, { keepalive: true }).catch(() => {});
  };
  addEventListener("pagehide", save);
  return () => {
    save();
    removeEventListener("pagehide", save);
  };
}

/**
 * Put the open draft into the address, so that a reload opens it again.
 * @param {string} draft empty: none
 */
export function nameInAddress(draft) {
  const address = draft ? `/builder?draft=${encodeURIComponent(draft)}` : "/builder";
  if (`${location.pathname}${location.search}` !== address) history.replaceState(history.state, "", address);
}
