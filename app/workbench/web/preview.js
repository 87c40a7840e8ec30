// The form of a stage with a made-up item, or as someone submitted it: the same media, texts and form as on the working
// page, and nothing is sent.

import colors from "./colors.css" with { type: "css" };
import { el, fill } from "./dom.js";
import { MediaPane } from "./media/pane.js";
import { FormPane } from "./page/form_pane.js";
import { Forms } from "./page/forms.js";
import { drawnOn, itemParts } from "./page/item.js";
import { boxOf } from "./page/keyboard.js";
import sheet from "./workbench.css" with { type: "css" };

/** @import { Mounted, PreviewData, Task } from "./types" */

/** @type {WeakMap<object, Preview>} */
const previews = new WeakMap();

/** @param {Mounted<PreviewData>} mounted */
export default function mount({ data, parentElement }) {
  const preview = previews.get(parentElement) ?? new Preview(parentElement);
  previews.set(parentElement, preview);
  preview.show(data);
  return () => {
    preview.stop();
    previews.delete(parentElement);
  };
}

class Preview {
  /** @param {HTMLElement & DocumentOrShadowRoot} parent */
  constructor(parent) {
    /** @type {Task | null} */
    this.task = null;
    this.before = "";
    this.readOnly = false;
    this.media = new MediaPane();
    this.side = new FormPane({
      changed: () => this.side.say(""),
      keep: () => {},
      submit: () => this.submit(),
      csrf: () => "",
      person: () => 0,
      task: () => this.task,
    });
    this.forms = new Forms({
      media: this.media,
      change: () => this.side.say(""),
      submit: () => this.submit(),
      unseen: () => false,
      say: (words) => this.side.say(words),
      blur: () => this.side.focus(),
    });
    this.lock = el("fieldset", { class: "lock" }); // disabled, it is only read
    this.side.formHost.replaceWith(this.lock);
    this.lock.append(this.side.formHost);
    this.body = el("div", { class: "body" }, this.media.root, this.side.root);
    this.root = el("div", { class: "ts preview colors" }, this.body);
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    parent.adoptedStyleSheets = [colors, sheet];
    parent.append(this.root);
  }

  stop() {
    this.media.stopAll();
    this.root.remove();
  }

  /** @param {PreviewData} data */
  show({ static: fixed, task, said }) {
    const now = JSON.stringify([fixed, task, said]);
    if (now === this.before) return; // the page around it was drawn again
    this.before = now;
    this.task = task;
    this.readOnly = said !== undefined;
    const answers = task.draft?.values ?? {};
    this.root.dataset.stage = fixed.stage.name;
    this.media.show(task.assets, null, drawnOn(fixed, task));
    fill(this.side.about, itemParts(fixed, task, null));
    fill(this.side.formHost, this.forms.open(fixed, task, answers, []).root);
    this.lock.disabled = this.readOnly;
    this.side.noteBox.readOnly = this.readOnly;
    this.side.submitButton.hidden = this.readOnly;
    if (this.readOnly) this.media.edit(null); // what was drawn is seen, and not drawn anew
    this.media.repaint();
    this.side.open(task, answers);
    this.side.say(said ?? "A preview: nothing is saved.");
  }

  submit() {
    if (this.forms.current?.check()) this.side.say("This could be submitted. Nothing is saved here.");
  }

  /**
   * Keys go to the form as on the working page, where it has them; what is pressed elsewhere on the page is not ours.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    if (this.used(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {KeyboardEvent} event */
  used(event) {
    const { forms, media } = this;
    const target = event.composedPath()[0];
    const box = boxOf(target);
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (this.readOnly) return !box && plain && !(target instanceof HTMLButtonElement) && media.key(event);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.submit();
      return true;
    }
    if (!box && media.editKey(event, target)) return true;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab" || event.key === "Shift") return false;
    if (box) return Boolean(forms.current?.boxKey(event, box));
    if (target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ")) return false;
    return Boolean((forms.keysFirst && forms.current?.key(event)) || media.key(event) || forms.current?.key(event));
  }
}
