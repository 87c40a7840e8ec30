// What the server sends to the page Privacy, as tsc checks it. `extensions/privacy/tests/test_privacy_page.py` compares
// the keys that `uncovered_route.py` and `component.py` send with the names here.

import type { Box } from "./types";

export interface PrivacyBox extends Box {
  kind: string;
  /** Who found it. */
  by: string;
  cover: boolean;
  /** Drawn on the page, and not decided yet. */
  own: boolean;
  /** Covered already. */
  fixed: boolean;
  /** From when to when it is in a clip, in seconds. */
  begin: number | null;
  end: number | null;
  /** Where it moves in a clip: seconds, x, y, w and h; empty: it stays. */
  path: number[][];
}

export interface PrivacyPicture {
  file: string;
  name: string;
  src: string;
  /** How long a clip lasts. */
  seconds: number | null;
  boxes: PrivacyBox[];
  decided: "" | "cover" | "nothing";
  revision: number;
  /** When the decision was made that counts. */
  after: string | null;
  /** Who said something last that is not covered yet. */
  by: string;
  /** Whether it is decided and not covered yet. */
  waits: boolean;
  /** Who decided when; empty: no one has. */
  since: string;
  /** Whether boxes were found since. */
  news: boolean;
}

export interface PrivacyData {
  csrf: string;
  /** Where it is said what is decided. */
  path: string;
  kinds: string[];
  total: number;
  /** Whether there are clips among them. */
  clips: boolean;
  /** How many pictures that are not on this page no one has decided about. */
  open: number;
  /** How many of these are decided and not covered yet. */
  waiting: number;
  pictures: PrivacyPicture[];
}
