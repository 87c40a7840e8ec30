// What there is for each kind of criterion and field: the module next to this one that is called as the kind is exports
// `control` (how a rater is asked), `field` (how it is written on the form), or both; `ControlMaker` and `FieldKind` in
// ../types.d.ts say what these have. Nothing that such a module imports may import this one: it waits for all of them.

/** @import { ControlMaker, FieldKind } from "../types" */

/** @type {string[]} */
const names = await (await fetch(new URL("names.json", import.meta.url))).json();
/** @type {{ control?: ControlMaker, field?: FieldKind }[]} */
const modules = await Promise.all(names.map((name) => import(`./${name}.js`)));

/**
 * @template T
 * @param {(T | undefined)[]} rows
 * @returns {Record<string, T>}
 */
const byName = (rows) => Object.fromEntries(rows.flatMap((row, at) => (row === undefined ? [] : [[names[at], row]])));

export const KINDS = byName(modules.map(({ control }) => control));
export const FIELDS = byName(modules.map(({ field }) => field));
