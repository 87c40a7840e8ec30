// What the person is told while the server is away, and when another tab or window of theirs is at the same item.

import { Sync } from "../sync.js";
import { t } from "../words.js";
import { closeHint, continueButton } from "./banner.js";

/** @import { Answers } from "../types" */
/** @import { Bench } from "./bench.js" */

export class Connection {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.offline = false;
    this.sync = new Sync({
      saved: (at) => bench.busy || bench.side.saved(at),
      gone: (words) => this.gone(words),
      back: () => this.back(),
      refused: (error, what) => bench.actions.refused(error, what),
      other: (kind, detail) => this.other(kind, detail),
    });
  }

  stop() {
    this.sync.flush({ keepalive: true });
    this.sync.stop();
  }

  /** @param {string} [words] what the server says of itself, if it says anything */
  gone(words) {
    const { banner, busy, side, requests } = this.bench;
    const why = words || t("The server does not answer.");
    this.offline = true;
    requests.broke = true;
    if (requests.blocking) {
      banner.show(
        "plain gone",
        t("{why} Your submission is stored. The next page opens when the server answers again.", { why }),
      );
      return;
    }
    side.say(busy ? t("not sent yet") : t("not saved yet"));
    const kept = busy
      ? t(
          "Your submission is kept in this browser and sent when the server answers again. The form is locked until then.",
        )
      : t("Keep typing. Your text is kept in this browser and saved when the server answers again.");
    banner.show("plain gone", `${why} ${kept}`);
  }

  back() {
    this.offline = false;
    if (this.bench.banner.is("gone")) this.bench.hideBanner();
  }

  /**
   * Another tab or window has the same item open.
   * @param {string} kind "open", "newer", "draft" or "submitted"
   * @param {Answers} detail of a draft: what was typed there
   */
  other(kind, detail) {
    const { bench } = this;
    if (!bench.task) return;
    if (kind === "open") {
      const words = t("You have this item open in another tab. The last change counts.");
      bench.banner.show("plain", words, closeHint());
    } else if (kind === "newer") {
      const words = t("You have this item open in another window. The last change counts.");
      bench.banner.show("plain", words, closeHint());
    } else if (kind === "draft" && !document.hasFocus()) {
      bench.openForm(bench.task, detail);
      bench.side.setNote(detail.note);
    } else if (kind === "submitted" && !bench.busy) {
      bench.lose();
      bench.banner.show(
        "plain",
        t("This item was submitted in another tab."),
        continueButton(() => bench.actions.goOn()),
      );
    }
  }
}
