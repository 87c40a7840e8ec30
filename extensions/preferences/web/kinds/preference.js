// Which of two answers is better: a key says it and goes on.

export { Choices as control } from "./choices.js";
