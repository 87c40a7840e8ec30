// What people do in the rows: press, type, choose, move by keys.

/** @import { Edit, Step } from "../builder_types" */
/** @import { Builder } from "./form.js" */

const PAUSE_MS = 350;
const TYPED = "typed"; // not sent yet
const SENT = "sent"; // not answered yet

/** What was sent is answered, so boxes show what the text says. @param {HTMLElement} list */
export function answered(list) {
  for (const box of list.querySelectorAll(`[data-typed=${SENT}]`)) box.removeAttribute("data-typed");
}

/** @param {Builder} builder */
export function listen(builder) {
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */
  const pauses = new Map();

  builder.root.addEventListener("click", (event) => {
    const button = closest(event.target, "button");
    if (!button) return;
    const { edits, open, line, next } = button.dataset;
    if (next !== undefined) {
      builder.openRow = next;
      builder.focusRow = next;
    }
    if (edits) builder.edit(JSON.parse(edits));
    if (open !== undefined) {
      builder.openRow = builder.openRow === open ? "" : open;
      builder.drawRows();
    }
    if (line) builder.editor.go(Number(line));
  });

  builder.list.addEventListener("change", (event) => {
    const { target } = event;
    if (target instanceof HTMLInputElement && target.type === "checkbox")
      builder.edit(JSON.parse(target.dataset.edits ?? "[]"));
    else if (target instanceof HTMLSelectElement) choose(builder, target);
    else if (isBox(target)) flush(target);
  });

  builder.list.addEventListener("input", (event) => {
    const { target } = event;
    if (!isBox(target) || (event instanceof InputEvent && event.isComposing)) return;
    target.dataset.typed = TYPED;
    const id = target.dataset.id ?? "";
    clearTimeout(pauses.get(id));
    if (isName(target)) return; // a name changes references, so it changes when it is complete
    pauses.set(
      id,
      setTimeout(() => flush(target), PAUSE_MS),
    );
  });

  builder.list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && isBox(event.target)) {
      event.preventDefault();
      flush(event.target);
    }
    const entry = closest(event.target, "[data-entry]");
    if (!entry || !event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(builder, entry, event.key === "ArrowUp" ? -1 : 1);
  });

  builder.root.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const target = event.composedPath()[0];
    const typing = isBox(target) || target instanceof HTMLTextAreaElement;
    if (typing || closest(target, ".text")) return; // boxes and the editor undo by themselves
    event.preventDefault();
    if (event.shiftKey) builder.editor.redo();
    else builder.editor.undo();
  });

  /** @param {HTMLInputElement | HTMLTextAreaElement} box */
  function flush(box) {
    const id = box.dataset.id ?? "";
    clearTimeout(pauses.get(id));
    pauses.delete(id);
    if (box.dataset.typed !== TYPED) return;
    box.dataset.typed = SENT;
    const edit = editOf(box);
    if (edit) builder.edit([edit]);
    else delete box.dataset.typed;
  }
}

/** @param {EventTarget | null | undefined} target @param {string} selector */
function closest(target, selector) {
  const found = target instanceof Element ? target.closest(selector) : null;
  return found instanceof HTMLElement ? found : null;
}

/** @param {unknown} target @returns {target is HTMLInputElement | HTMLTextAreaElement} */
function isBox(target) {
  return (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && Boolean(target.dataset.set);
}

/** @param {HTMLElement} box */
const isName = (box) => JSON.parse(box.dataset.set ?? "{}").do === "name";

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} box
 * @returns {Edit | null} null: nothing to do, as what is needed may not be empty
 */
function editOf(box) {
  /** @type {{ path: Step[], kind: string, needed: boolean, do: "set" | "name" }} */
  const { path, kind, needed, do: how } = JSON.parse(box.dataset.set ?? "{}");
  const typed = box.value;
  if (!typed.trim()) return needed ? (how === "name" ? null : { do: "set", path, value: "" }) : { do: "remove", path };
  if (kind === "numeric" || kind === "raw") {
    const number = Number(typed.replace(",", "."));
    const plain = typed.trim() === String(number) || (kind === "numeric" && Number.isFinite(number));
    return { do: how, path, value: plain ? number : typed.trim() };
  }
  return { do: how, path, value: how === "name" ? typed.trim() : typed };
}

/** @param {Builder} builder @param {HTMLSelectElement} select */
function choose(builder, select) {
  /** @type {{ path: Step[], do: "set" | "kind" }} */
  const { path, do: how } = JSON.parse(select.dataset.set ?? "{}");
  if (!select.value) builder.edit([{ do: "remove", path }]);
  else builder.edit([{ do: how, path: how === "kind" ? path.slice(0, -1) : path, value: JSON.parse(select.value) }]);
}

/** @param {Builder} builder @param {HTMLElement} entry @param {number} by */
function move(builder, entry, by) {
  /** @type {Step[]} */
  const path = JSON.parse(entry.dataset.path ?? "[]");
  const at = Number(entry.dataset.at) + by;
  if (at < 0 || at >= Number(entry.dataset.count)) return;
  if (builder.openRow === entry.dataset.entry) builder.openRow = [...path.slice(0, -1), at].join("/");
  builder.focusRow = [...path.slice(0, -1), at].join("/");
  builder.edit([{ do: "move", path, at }]);
}
