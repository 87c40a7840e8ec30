// Rectangles on the item's image.

export { Drawn as control } from "./drawn.js";
