// Which control asks for which kind of criterion: `control` of the module beside this one that is called as the kind is.
// What a control has, and what its seat in the form tells it: `Control` and `Seat` in ../types.d.ts.

/** @import { ControlMaker } from "../types" */

/** @type {string[]} */
const names = await (await fetch(new URL("names.json", import.meta.url))).json();
/** @type {{ control: ControlMaker }[]} */
const modules = await Promise.all(names.map((name) => import(`./${name}.js`)));

/** @type {Record<string, ControlMaker>} */
export const KINDS = Object.fromEntries(names.map((name, at) => [name, modules[at].control]));
