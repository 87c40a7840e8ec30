// Where a form begins: a draft, a blank form, a published protocol, or a YAML file.

import { el, fill } from "../dom.js";
import { post, Refused } from "../http.js";

/** @import { BuilderPage, DraftLine, Opened } from "../builder_types" */

export class Start {
  /** @param {{ data: BuilderPage, csrf: () => string, open: (opened: Opened) => void }} given */
  constructor({ data, csrf, open }) {
    this.data = data;
    this.csrf = csrf;
    this.open = open;
    this.problem = el("p", { class: "problem", role: "alert" });
    this.drafts = el("div", { class: "cards" });
    this.draftSection = el("section", {}, el("h2", {}, "Your drafts"), this.drafts);
    /** @type {HTMLInputElement} */
    const file = el("input", {
      type: "file",
      accept: ".yaml,.yml",
      class: "file",
      "aria-label": "YAML file",
      on: { change: () => this.read(file.files?.[0]) },
    });
    const pasted = el("textarea", { rows: 6, "aria-label": "YAML text", placeholder: "Paste YAML here" });
    this.root = el(
      "div",
      { class: "builder whole start colors" },
      el(
        "header",
        { class: "top" },
        el("a", { href: "/projects", class: "link" }, "‹ Projects"),
        el("h1", {}, "New form"),
      ),
      el(
        "main",
        { class: "scroll" },
        this.problem,
        this.draftSection,
        el(
          "section",
          {},
          el("h2", {}, "Blank form"),
          el(
            "div",
            { class: "cards" },
            data.blank.map((each) => this.card(each.title, each.help, { blank: each.name })),
          ),
        ),
        this.protocols("Published protocol", true),
        this.protocols("Example", false),
        el(
          "section",
          {},
          el("h2", {}, "Your own YAML"),
          file,
          pasted,
          el("button", { type: "button", on: { click: () => this.take(pasted.value) } }, "Open YAML"),
        ),
      ),
    );
    this.list(data.drafts);
    this.refresh();
  }

  /** @param {string} title @param {boolean} published */
  protocols(title, published) {
    const offered = this.data.examples.filter((each) => each.published === published);
    const cards = offered.map((each) => this.card(each.title, each.stages.join(", "), { published: each.name }));
    return el("section", {}, el("h2", {}, title), el("div", { class: "cards" }, cards));
  }

  async refresh() {
    try {
      this.list((await post("/api/form_list", this.csrf(), { project: null })).drafts);
    } catch (error) {
      this.failed(error);
    }
  }

  /**
   * @param {string} title
   * @param {string} about
   * @param {object} asked
   */
  card(title, about, asked) {
    return el(
      "button",
      { type: "button", class: "card", on: { click: () => this.ask(asked) } },
      el("strong", {}, title),
      el("span", { class: "quiet" }, about),
    );
  }

  /** @param {DraftLine[]} drafts */
  list(drafts) {
    this.draftSection.hidden = !drafts.length;
    fill(
      this.drafts,
      drafts.map(({ draft, title, saved_at }) =>
        el(
          "div",
          { class: "kept" },
          this.card(
            title,
            `saved ${new Date(saved_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`,
            { draft },
          ),
          el(
            "button",
            {
              type: "button",
              class: "small x",
              "aria-label": `Delete draft ${title}`,
              title: "Delete draft",
              on: { click: () => this.remove(draft, title) },
            },
            "×",
          ),
        ),
      ),
    );
  }

  /** @param {string} draft @param {string} title */
  async remove(draft, title) {
    if (!confirm(`Delete the draft “${title}”?`)) return;
    try {
      this.list((await post("/api/form_delete", this.csrf(), { draft, project: null })).drafts);
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param {object} asked */
  async ask(asked) {
    try {
      this.open(await post("/api/form_open", this.csrf(), asked));
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param {File | undefined} file */
  async read(file) {
    if (file) this.take(await file.text());
  }

  /** @param {string} text */
  take(text) {
    if (!text.trim()) {
      this.problem.textContent = "The text is empty. Choose a file or paste a form.";
      return;
    }
    this.open({ draft: "", revision: 0, text: text.replaceAll("\r\n", "\n").replace(/^\uFEFF/, ""), guideline: "" });
  }

  /** @param {unknown} error */
  failed(error) {
    this.problem.textContent = error instanceof Refused ? error.message : "The server did not answer. Try again.";
  }

  stop() {
    this.root.remove();
  }
}
