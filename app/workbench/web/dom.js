// Small building blocks. Text from data only ever becomes a text node.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === "data") for (const [key, item] of Object.entries(value)) node.dataset[key] = item;
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

export function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

export const key = (name) => el("kbd", { "aria-hidden": "true" }, name);

export function clock(iso) {
  const date = iso ? new Date(iso) : new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

// A value of an item's field, as a person reads it.
export function shown(value) {
  if (value === null || value === undefined || value === "") return el("span", { class: "quiet" }, "none");
  if (Array.isArray(value)) {
    if (value.every((entry) => typeof entry !== "object")) {
      return el(
        "ol",
        { class: "entries" },
        value.map((entry) => el("li", {}, entry)),
      );
    }
    return el("pre", {}, JSON.stringify(value, null, 1));
  }
  if (typeof value === "object") return el("pre", {}, JSON.stringify(value, null, 1));
  if (value === true) return "yes";
  if (value === false) return "no";
  return String(value);
}

// A chosen value as its schema labels it.
export function labelled(field, value) {
  const option = field.kind === "choice" && field.options.find((candidate) => same(candidate.value, value));
  return option ? option.label : value;
}

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const unique = () =>
  crypto.randomUUID
    ? crypto.randomUUID()
    : Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
