// One of the values that have an order.

export { Choices as control } from "./choices.js";
