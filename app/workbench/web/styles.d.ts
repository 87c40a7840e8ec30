// A style sheet in a file of its own, as `import sheet from "./x.css" with { type: "css" }` gives it.

declare module "*.css" {
  const sheet: CSSStyleSheet;
  export default sheet;
}
