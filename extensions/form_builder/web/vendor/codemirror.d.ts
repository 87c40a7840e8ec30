// The one class that the vendored file exports.

export interface Mark {
  line: number;
  message: string;
  severity: "error" | "warning";
}

export class YamlEditor {
  constructor(options: {
    parent: HTMLElement;
    root: Document | ShadowRoot;
    text: string;
    label: string;
    /** Called after each change of the text. */
    changed: () => void;
    /** Called when the person moves the cursor. */
    moved: (line: number) => void;
  });
  readonly text: string;
  readonly line: number;
  readonly canUndo: boolean;
  undo(): boolean;
  redo(): boolean;
  focus(): void;
  /** Take another text as one step of undo. */
  set(text: string): void;
  findings(marks: Mark[]): void;
  /** Mark these lines as the open row. */
  mark(from: number, to: number): void;
  go(line: number): void;
  destroy(): void;
}
