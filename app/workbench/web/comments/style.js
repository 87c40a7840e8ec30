// The looks of comments, on the working page and elsewhere.

import { sheetFrom } from "../styles.js";

export const { sheet: threadSheet, ready: threadSheetReady } = sheetFrom(new URL("../threads.css", import.meta.url));
