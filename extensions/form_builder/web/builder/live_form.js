// The form as people will see it, with a made-up item: drawn by the same code as on working pages.

import { el, fill } from "../dom.js";
import { default as mountPreview } from "../preview.js";
import narrowSheet from "./live_form.css" with { type: "css" };

/** @import { FormState, Named } from "../builder_types" */

export class LiveForm {
  /** @param {(stage: string | null, dimension: string | null) => void} chosen */
  constructor(chosen) {
    this.chosen = chosen;
    this.tabs = el("div", { class: "switch", role: "group", "aria-label": "Stage" });
    /** @type {HTMLSelectElement} */
    this.dimensions = el("select", {
      "aria-label": "Dimension",
      hidden: true,
      on: { change: () => chosen(null, this.dimensions.value) },
    });
    this.note = el("p", { class: "quiet note" });
    this.place = el("div", { class: "live" });
    this.root = el(
      "section",
      { class: "pane form", "aria-label": "What people see" },
      el("div", { class: "bar" }, el("h2", {}, "What people see"), this.dimensions, this.tabs),
      el("div", { class: "scroll" }, this.place, this.note),
    );
    /** @type {(() => void) | undefined} */
    this.unmount = undefined;
    /** @type {ShadowRoot | undefined} */
    this.shadow = undefined;
  }

  /** @param {FormState} state */
  show(state) {
    this.root.classList.toggle("stale", !state.valid);
    if (!state.valid) {
      this.note.textContent = this.shadow
        ? "This is the form before the last error."
        : "The form appears when the errors are fixed.";
      return;
    }
    this.choices(state);
    this.note.textContent = state.note || "Try the form: keys and buttons work, and nothing is saved.";
    this.place.hidden = !state.form;
    if (!state.form) return;
    this.shadow ??= el("div").attachShadow({ mode: "open" });
    if (!this.shadow.host.isConnected) this.place.append(this.shadow.host);
    const parent = /** @type {any} */ (this.shadow);
    this.unmount = mountPreview(/** @type {any} */ ({ data: state.form, parentElement: parent }));
    if (!this.shadow.adoptedStyleSheets.includes(narrowSheet)) {
      this.shadow.adoptedStyleSheets = [...this.shadow.adoptedStyleSheets, narrowSheet];
    }
  }

  /** @param {FormState} state */
  choices({ stages, stage, dimensions, dimension }) {
    fill(
      this.tabs,
      stages.map(({ name, title }) =>
        el(
          "button",
          { type: "button", "aria-pressed": String(name === stage), on: { click: () => this.chosen(name, null) } },
          title,
        ),
      ),
    );
    this.dimensions.hidden = dimensions.length < 2;
    fill(
      this.dimensions,
      dimensions.map((/** @type {Named} */ { name, title }) => el("option", { value: name }, title)),
    );
    if (dimension) this.dimensions.value = dimension;
  }

  stop() {
    this.unmount?.();
  }
}
