// Any value, as the file gave it.

import { Json } from "./typed_field.js";

export const field = new Json();
