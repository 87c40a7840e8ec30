// The working page: what Streamlit mounts, once for every place on a page and again for every rerun.

import colors from "./colors.css" with { type: "css" };
import { Bench } from "./page/bench.js";
import paletteSheet from "./palette.css" with { type: "css" };
import { modules } from "./parts/modules.js";
import sheet from "./workbench.css" with { type: "css" };

/** @import { Away, Mounted, Page } from "./types" */

const added = Object.values(modules).map((module) => module.sheet);

/** @type {WeakMap<object, Bench>} */
const benches = new WeakMap();

/** @param {Mounted<Page | Away>} mounted */
export default function mount({ data, parentElement, setTriggerValue }) {
  const bench = benches.get(parentElement) ?? new Bench(parentElement, [colors, sheet, ...added, paletteSheet]);
  benches.set(parentElement, bench);
  bench.requests.fire = (wish) => setTriggerValue("next", wish);
  bench.update(data);
  return () => {
    bench.stop();
    benches.delete(parentElement);
  };
}
