// One of the listed options.

export { Choices as control } from "./choices.js";
