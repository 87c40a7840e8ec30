import { EditorState, StateEffect, StateField, Compartment } from "@codemirror/state";
import { EditorView, Decoration, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightSpecialChars } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, undo, redo, undoDepth, indentLess, indentMore } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting, HighlightStyle, indentUnit } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { setDiagnostics, lintGutter } from "@codemirror/lint";
import { searchKeymap, search } from "@codemirror/search";

const mark = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(mark)) continue;
      const { from, to } = effect.value;
      const lines = [];
      for (let n = from; n <= Math.min(to, transaction.state.doc.lines); n++)
        lines.push(Decoration.line({ class: "cm-row" }).range(transaction.state.doc.line(n).from));
      next = Decoration.set(lines);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "cm-key" },
  { tag: tags.comment, class: "cm-note" },
  { tag: [tags.string, tags.special(tags.string)], class: "cm-text" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], class: "cm-sign" },
]);

/** A YAML editor: its text, its marks, and what it says when the text or the cursor changes. */
export class YamlEditor {
  constructor({ parent, root, text, label, changed, moved }) {
    this.quiet = false;
    this.view = new EditorView({
      parent,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), lintGutter(), history(), drawSelection(), highlightSpecialChars(), highlightActiveLine(),
          EditorView.lineWrapping, yaml(), indentUnit.of("  "), syntaxHighlighting(colors), marked, search({ top: true }),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap,
            { key: "Mod-]", run: indentMore }, { key: "Mod-[", run: indentLess }]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed();
            else if (update.selectionSet && update.view.hasFocus) moved(this.line);
          }),
        ],
      }),
    });
  }
  get text() { return this.view.state.doc.toString(); }
  get line() { return this.view.state.doc.lineAt(this.view.state.selection.main.head).number; }
  get canUndo() { return undoDepth(this.view.state) > 0; }
  undo() { return undo(this.view); }
  redo() { return redo(this.view); }
  focus() { this.view.focus(); }
  /** Take another text by changing only what differs, as one step of undo. */
  set(text) {
    const now = this.text;
    if (now === text) return;
    let from = 0;
    while (from < now.length && from < text.length && now[from] === text[from]) from++;
    let end = 0;
    while (end < now.length - from && end < text.length - from && now[now.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.view.dispatch({
      changes: { from, to: now.length - end, insert: text.slice(from, text.length - end) },
      annotations: [], userEvent: "input.row",
    });
  }
  /** @param marks findings: line, message, severity */
  findings(marks) {
    const doc = this.view.state.doc;
    this.view.dispatch(setDiagnostics(this.view.state, marks.map(({ line, message, severity }) => {
      const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
      const from = at.from + (at.text.length - at.text.trimStart().length);
      return { from: Math.min(from, at.to), to: at.to, severity, message };
    })));
  }
  /** Mark the lines of a row; scroll there unless the person is typing here. */
  mark(from, to) {
    const doc = this.view.state.doc;
    const effects = [mark.of({ from: Math.max(from, 1), to })];
    if (from >= 1 && from <= doc.lines && !this.view.hasFocus) effects.push(EditorView.scrollIntoView(doc.line(from).from, { y: "center" }));
    this.view.dispatch({ effects });
  }
  go(line) {
    const doc = this.view.state.doc;
    const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
    this.view.focus();
  }
  destroy() { this.view.destroy(); }
}
