// Timed segments of a clip, as the file gave them.

import { Json } from "./typed_field.js";

export const field = new Json();
