// Text of several lines.

import { Written } from "./typed_field.js";

export const field = new Written({ rows: 4, many: true });
