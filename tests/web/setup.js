// Before the tests of a file: a small DOM, and the modules of the pages under the name "web/".
//
// `test_javascript.py` writes these modules into a folder, those of extensions and the list of kinds with them.

import { register } from "node:module";
import { Window } from "happy-dom";

const served = process.env.TOUCHSTONE_WEB;
const resolve = `
  export const resolve = (name, context, next) =>
    next(name.startsWith("web/") ? new URL(name.slice(4), ${JSON.stringify(`${served}/`)}).href : name, context);
  export const load = (url, context, next) =>
    url.endsWith(".css") ? { format: "module", shortCircuit: true, source: "export default {};" } : next(url, context);
`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);

/** Node has these too, and tests replace some of them: mock.timers sets the clock. */
const OF_NODE =
  /^(fetch|console|process|performance|crypto|queueMicrotask|structuredClone|Broadcast\w+|Abort\w+|(set|clear)(Timeout|Interval|Immediate))$/;

const dom = new Window({ url: "http://localhost/work", width: 1280, height: 800 });
const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(dom));
for (const name of [
  ...Object.getOwnPropertyNames(dom),
  ...inherited,
  "addEventListener",
  "removeEventListener",
  "dispatchEvent",
]) {
  if (
    name in globalThis &&
    (OF_NODE.test(name) || !/^(Event|CustomEvent|EventTarget|navigator|Storage|Blob|File|URL)$/.test(name))
  )
    continue;
  const found = dom[name];
  const bound = typeof found === "function" && !/^[A-Z]/.test(name) ? found.bind(dom) : found;
  Object.defineProperty(globalThis, name, { value: bound, configurable: true, writable: true });
}
Object.assign(globalThis, { window: globalThis });
