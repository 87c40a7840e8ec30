// A value for each of two answers, the left one first.

export { control } from "./property_list.js";
