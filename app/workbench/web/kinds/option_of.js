// One of the item's own options.

export { Choices as control } from "./choices.js";
