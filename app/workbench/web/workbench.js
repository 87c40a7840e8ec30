// The working page: what Streamlit mounts, once for every place on a page and again for every rerun.

import { threadSheet } from "./comments/style.js";
import { Bench } from "./page/bench.js";
import { sheetFrom } from "./styles.js";

/** @import { Away, Mounted, Page } from "./types" */

const { sheet, ready } = sheetFrom(new URL("./workbench.css", import.meta.url));
/** @type {WeakMap<object, Bench>} */
const benches = new WeakMap();

/** @param {Mounted<Page | Away>} mounted */
export default async function mount({ data, parentElement, setTriggerValue }) {
  await ready;
  const bench = benches.get(parentElement) ?? new Bench(parentElement, [sheet, threadSheet]);
  benches.set(parentElement, bench);
  bench.requests.fire = (wish) => setTriggerValue("next", wish);
  bench.update(data);
  return () => {
    bench.stop();
    benches.delete(parentElement);
  };
}
