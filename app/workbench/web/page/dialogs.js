// What a person can open from the working page: the menu, the list of keys, the item's history.

import { FIELDS, KINDS } from "../kinds/index.js";
import { keyRows } from "./overlay.js";

/** @import { KeyRow as Row } from "../types" */
/** @import { Bench } from "./bench.js" */

/** @param {Bench} bench */
export function openMenu(bench) {
  const { menu } = bench.page;
  const places = menu?.length ? menu : [{ title: "My work", href: "/" }];
  bench.palette.open([...places, { title: "Sign out", href: "/logout" }]);
}

/** @param {Bench} bench */
export function openKeys(bench) {
  const fields = bench.stage === "authoring" ? bench.fixed.fields : [];
  const asked = new Set([
    ...bench.fixed.criteria.map(({ kind }) => KINDS[kind]),
    ...fields.map(({ kind }) => FIELDS[kind]),
  ]);
  const own = [...asked].flatMap(({ keys = [] }) => keys);
  const taken = [...asked].flatMap(({ takes = [] }) => takes);
  const parts = bench.side.parts.map(({ key, help }) => /** @type {Row} */ ([key.toUpperCase(), help]));
  bench.overlay.keys(keyRows(bench.page.view, bench.stage, own, taken, parts));
}

/** @param {Bench} bench */
export function openHistory(bench) {
  if (!bench.task?.item) return;
  const place = `project=${encodeURIComponent(bench.fixed.project.name)}&item=${encodeURIComponent(bench.task.item)}`;
  window.open(`/items?${place}`, "_blank", "noopener");
}
