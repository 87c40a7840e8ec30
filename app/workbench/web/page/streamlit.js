// What Streamlit does around the working page, and how the page keeps it from disturbing someone at work.

import { el } from "../dom.js";

// Streamlit fades what waits for a rerun; a page that someone works on stays as it is.
const STEADY =
  "[data-testid=stElementContainer][data-stale=true] { opacity: 1 !important; transition: none !important; }";
const DIALOG = "[data-testid=stDialog]";
const TRIES = 5; // frames in which the dialog may still take the focus away

export class Surroundings {
  /** @param {HTMLElement} root the working page */
  constructor(root) {
    this.root = root;
    /** @type {EventTarget | null} */
    this.focused = null;
    root.addEventListener("focusin", (event) => {
      this.focused = event.composedPath()[0] ?? null;
    });
    this.steady = el("style", {}, STEADY);
    document.head.append(this.steady);
    this.guard = new MutationObserver((changes) => this.unblock(changes));
    this.guard.observe(document.body, { childList: true });
  }

  stop() {
    this.guard.disconnect();
    this.steady.remove();
  }

  /**
   * Streamlit covers the page with a dialog when its connection fails. Ours says it better, and one may go on typing.
   * @param {MutationRecord[]} changes
   */
  unblock(changes) {
    const added = changes.flatMap((change) => [...change.addedNodes]).filter((node) => node instanceof HTMLElement);
    for (const dialog of added.filter((node) => node.matches(DIALOG) || node.querySelector(DIALOG))) {
      const close = dialog.querySelector("[aria-label=Close]");
      if (!(close instanceof HTMLElement)) continue;
      const { focused } = this;
      dialog.style.display = "none";
      close.click();
      if (focused instanceof HTMLElement) this.giveBack(focused, TRIES);
    }
  }

  /**
   * @param {HTMLElement} focused
   * @param {number} tries
   */
  giveBack(focused, tries) {
    const home = this.root.getRootNode();
    const now = home instanceof ShadowRoot || home instanceof Document ? home.activeElement : null;
    if (focused.isConnected && now !== focused) focused.focus({ preventScroll: true });
    if (tries) requestAnimationFrame(() => this.giveBack(focused, tries - 1));
  }
}
