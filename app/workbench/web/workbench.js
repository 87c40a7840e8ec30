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
let newest = ""; // when the newest page that Streamlit has brought was made

/** @param {Mounted<Page | Away>} mounted */
export default function mount({ data, parentElement }) {
  const bench = benches.get(parentElement) ?? new Bench(parentElement, [colors, sheet, ...added, paletteSheet]);
  benches.set(parentElement, bench);
  const isOld = data.away === undefined && data.now <= newest; // Streamlit draws what it has again: it knows the first page
  if (data.away === undefined && !isOld) newest = data.now;
  if (!isOld || !bench.data) bench.update(data);
  if (isOld && !bench.requests.wishes) bench.requests.ask({});
  return () => {
    bench.stop();
    benches.delete(parentElement);
  };
}
