// What a person can open from the working page: the menu, the list of keys, the item's history.

import { el } from "../dom.js";
import { t } from "../words.js";
import { openKeyEditor } from "./key_editor.js";
import { keyTables, rowsOf } from "./key_rows.js";

/** @import { Bench } from "./bench.js" */

/** The page where a person chooses their language; it leads back here. */
const languageHref = () => `/language?next=${encodeURIComponent(location.pathname + location.search)}`;

/** @param {Bench} bench */
export function openMenu(bench) {
  const { menu } = bench.page;
  const places = menu?.length ? menu : [{ title: t("My work"), href: "/my_work" }];
  bench.palette.open([
    ...places,
    { title: t("Language"), href: languageHref() },
    { title: t("Sign out"), href: "/logout" },
  ]);
}

/** @param {Bench} bench */
export function openKeys(bench) {
  const change = () => openKeyEditor(bench, () => openKeys(bench));
  const edit = el("button", { type: "button", class: "small", on: { click: change } }, t("Change keys"));
  bench.overlay.open(t("Keys"), [keyTables(rowsOf(bench)), bench.page.view === "task" ? el("p", {}, edit) : null]);
}

/**
 * Ask whether the changes of a submitted answer are dropped.
 * @param {Bench} bench
 * @param {() => void} drop
 */
export function askToDrop({ overlay }, drop) {
  const button = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {() => void} */ press) =>
    el("button", { type: "button", class: kind, on: { click: press } }, label);
  const close = () => overlay.close();
  const dropped = () => {
    close();
    drop();
  };
  const goOn = button(t("Keep editing"), "submit", close);
  overlay.open(t("Discard your changes?"), [
    el("p", {}, t("You have changed this answer. If you discard the changes, your submitted answer stays the same.")),
    el("p", { class: "buttons" }, goOn, button(t("Discard changes"), "small", dropped)),
  ]);
  goOn.focus();
}

/** @param {Bench} bench */
export function openHistory(bench) {
  if (!bench.task?.item) return;
  const place = `project=${encodeURIComponent(bench.fixed.project.name)}&item=${encodeURIComponent(bench.task.item)}`;
  window.open(`/items?${place}`, "_blank", "noopener");
}
