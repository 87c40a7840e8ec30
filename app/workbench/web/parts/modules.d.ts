// The parts that extensions add to the form, by their names. The server writes this one: app/workbench/assets.py.

import type { SidePartMaker } from "../types";

export const modules: Record<string, { part: SidePartMaker; sheet: CSSStyleSheet }>;
