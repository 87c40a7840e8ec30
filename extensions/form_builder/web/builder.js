// The form builder: rows, the live form and the YAML text. The text is the one truth; a row's edit is an edit of it.

import { Builder } from "./builder/form.js";
import { nameInAddress } from "./builder/leaving.js";
import { Start } from "./builder/start.js";
import sheet from "./builder.css" with { type: "css" };
import colors from "./colors.css" with { type: "css" };

/** @import { Mounted } from "./types" */
/** @import { BuilderPage, Opened } from "./builder_types" */

/** @type {WeakMap<object, Page>} */
const pages = new WeakMap();

/** @param {Mounted<BuilderPage>} mounted */
export default function mount({ data, parentElement }) {
  const page = pages.get(parentElement) ?? new Page(parentElement, data);
  pages.set(parentElement, page);
  page.csrf = data.csrf;
  return () => {
    page.stop();
    pages.delete(parentElement);
  };
}

class Page {
  /**
   * @param {HTMLElement & DocumentOrShadowRoot} parent
   * @param {BuilderPage} data
   */
  constructor(parent, data) {
    this.parent = parent;
    this.data = data;
    this.csrf = data.csrf;
    /** @type {Builder | Start | null} */
    this.shown = null;
    parent.adoptedStyleSheets = [...parent.adoptedStyleSheets, colors, sheet];
    if (data.opened) this.open(data.opened);
    else this.start();
  }

  start() {
    this.shown?.stop();
    nameInAddress("");
    const start = new Start({ data: this.data, csrf: () => this.csrf, open: (opened) => this.open(opened) });
    this.parent.append(start.root);
    this.shown = start;
  }

  /** @param {Opened} opened */
  open(opened) {
    this.shown?.stop();
    const { project } = this.data;
    this.shown = new Builder({
      data: this.data,
      opened,
      csrf: () => this.csrf,
      back: project === null ? () => this.start() : `/schema?project=${encodeURIComponent(project)}`,
      open: (other) => this.open(other),
      parent: this.parent,
    });
  }

  stop() {
    this.shown?.stop();
  }
}
