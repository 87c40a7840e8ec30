// Calls functions of the pages for tests that check by arithmetic in Python: a line of JSON in, a line of JSON out.

import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const [path, name, given] = JSON.parse(line);
  const found = await import(`web/${path}`);
  process.stdout.write(`${JSON.stringify(found[name](...given)) ?? "null"}\n`);
}
process.exit(0);
