// The modules of all kinds, by their names. The server writes this one from its rows: app/workbench/assets.py.

import type { ControlMaker, FieldKind } from "../types";

export const modules: Record<string, { control?: ControlMaker; field?: FieldKind }>;
