// What Streamlit does around the working page, and how the page keeps it from disturbing someone at work.

import { el } from "../dom.js";

// Streamlit fades what waits for a rerun; a page that someone works on stays as it is.
const STEADY =
  "[data-testid=stElementContainer][data-stale=true] { opacity: 1 !important; transition: none !important; }";
const DIALOG = "[data-testid=stDialog]";

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
    this.refuse = (/** @type {FocusEvent} */ event) => this.refuseDialog(event);
    window.addEventListener("focusin", this.refuse, true);
  }

  stop() {
    this.guard.disconnect();
    window.removeEventListener("focusin", this.refuse, true);
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
      dialog.style.display = "none";
      close.click();
    }
  }

  /**
   * The dialog takes the focus before anyone hears that it is there. It goes back at once: a key pressed even a few
   * milliseconds later would be lost, or come to stand elsewhere in the text.
   * @param {FocusEvent} event
   */
  refuseDialog(event) {
    const { focused } = this;
    if (!(event.target instanceof Element && event.target.closest(DIALOG))) return;
    if (!(focused instanceof HTMLElement && focused.isConnected)) return;
    event.stopImmediatePropagation(); // what holds the focus inside the dialog must not hear of it
    focused.focus({ preventScroll: true });
  }
}
