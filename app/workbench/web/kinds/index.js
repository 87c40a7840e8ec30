// What there is for each kind of criterion and field: the module next to this one that is called as the kind is exports
// `control` (how a rater is asked), `field` (how it is written on the form), or both; `ControlMaker` and `FieldKind` in
// ../types.d.ts say what these have. Nothing that such a module imports may import this one: it needs all of them.

import { modules } from "./modules.js";

/** @import { ControlMaker, FieldKind } from "../types" */

/**
 * @template T
 * @param {[string, T | undefined][]} rows
 * @returns {Record<string, T>}
 */
const known = (rows) => Object.fromEntries(rows.flatMap(([name, row]) => (row === undefined ? [] : [[name, row]])));

/** @type {Record<string, ControlMaker>} */
export const KINDS = known(Object.entries(modules).map(([name, { control }]) => [name, control]));
/** @type {Record<string, FieldKind>} */
export const FIELDS = known(Object.entries(modules).map(([name, { field }]) => [name, field]));
