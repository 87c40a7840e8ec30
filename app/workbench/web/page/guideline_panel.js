// The guideline next to the item, open or closed as it was left.

import { el, fill, key } from "../dom.js";
import { read, write } from "../storage.js";
import { t } from "../words.js";

/** @import { Criterion, Dimension, GuidelineNews } from "../types" */

const REMEMBERED = "touchstone.guideline.open";

export class GuidelinePanel {
  /** @param {() => void} toggled */
  constructor(toggled) {
    this.toggled = toggled;
    /** @type {string | null} */
    this.painted = null;
    this.isOpen = read(REMEMBERED) === true;
    this.root = el("aside", { class: "guide", "aria-label": t("Guideline"), hidden: !this.isOpen });
  }

  toggle() {
    /** @type {string | null} */
    this.painted = null;
    this.isOpen = !this.isOpen;
    write(REMEMBERED, this.isOpen);
    this.toggled();
  }

  /**
   * What has changed in the text stands above it until another page is loaded.
   * @param {GuidelineNews | null} news
   */
  tell(news) {
    const host = this.root.querySelector(".guidetext");
    if (!news || !host || host.querySelector(".changes")) return;
    const lines = news.changes.map(([sign, text]) =>
      el(sign === "+" ? "ins" : sign === "-" ? "del" : "p", {}, text || " "),
    );
    const box = el(
      "section",
      { class: "changes" },
      el("h3", {}, t("Changes in version {number}", { number: news.number })),
      news.why ? el("p", {}, news.why) : null,
      lines,
    );
    host.prepend(box);
    requestAnimationFrame(() => requestAnimationFrame(() => (host.scrollTop = 0)));
  }

  /**
   * `criteria` are those that are asked; their aspects and the dimension stand above the text. `version` names the text.
   * @param {{ version: string, html: string, stage: string, dimension: Dimension | null, criteria: Criterion[] }} what
   */
  paint({ version, html, stage, dimension, criteria }) {
    this.root.hidden = !this.isOpen;
    const name = `${version}.${dimension ? dimension.title : ""}`;
    if (!this.isOpen || this.painted === name) return;
    this.painted = name;
    const text = el("div", { class: "prose" });
    text.innerHTML = html; // made from Markdown on the server with markup switched off
    for (const link of text.querySelectorAll("a"))
      Object.assign(link, { target: "_blank", rel: "noreferrer noopener" });
    fill(
      this.root,
      el(
        "div",
        { class: "guidehead" },
        el("strong", {}, t("Guideline")),
        el(
          "button",
          { type: "button", class: "small", on: { click: () => this.toggle() } },
          key("G"),
          ` ${t("close")}`,
        ),
      ),
      el(
        "div",
        { class: "guidetext", tabindex: "0" },
        dimension?.definition
          ? el("div", { class: "dimension" }, el("strong", {}, dimension.title), el("span", {}, dimension.definition))
          : null,
        criteria.filter((criterion) => criterion.aspects.length).map(aspects),
        text,
      ),
    );
    const here = [...text.querySelectorAll("h1, h2, h3, h4")].find((heading) =>
      heading.textContent.toLowerCase().includes(stage.toLowerCase()),
    );
    if (here) requestAnimationFrame(() => here.scrollIntoView({ block: "start" }));
  }
}

/** @param {Criterion} criterion */
function aspects(criterion) {
  const rows = criterion.aspects.map((aspect) => [el("dt", {}, aspect.title), el("dd", {}, aspect.definition)]);
  return el("section", { class: "prose" }, el("h3", {}, criterion.prompt), el("dl", {}, rows));
}
