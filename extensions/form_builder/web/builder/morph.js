// Bring drawn rows up to date without replacing what has not changed, so that focus, selection and typed text stay.

/**
 * Make `old` the same as `next`, keeping the elements that both have.
 * @param {Element} old
 * @param {Element} next
 */
export function morph(old, next) {
  attributes(old, next);
  if (old instanceof HTMLTextAreaElement && next instanceof HTMLTextAreaElement) return value(old, next);
  const known = new Map([...old.children].map((child) => [name(child), child]));
  const wanted = [...next.childNodes];
  const kept = new Set();
  let at = old.firstChild;
  for (const node of wanted) {
    const same = node instanceof Element ? known.get(name(node)) : undefined;
    if (same && node instanceof Element && same.tagName === node.tagName && !kept.has(same)) {
      kept.add(same);
      if (at === same) at = at.nextSibling;
      else if (!contains(same)) old.insertBefore(same, at);
      else moveAround(old, same, at);
      morph(same, node);
      at = same.nextSibling;
    } else if (at?.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
      if (at.nodeValue !== node.nodeValue) at.nodeValue = node.nodeValue;
      at = at.nextSibling;
    } else {
      old.insertBefore(node, at);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    if (!kept.has(gone)) gone.remove();
  }
  if (old instanceof HTMLSelectElement && next instanceof HTMLSelectElement) old.value = next.value;
  if (old instanceof HTMLInputElement && next instanceof HTMLInputElement) value(old, next);
}

/**
 * @param {Element} node
 * @returns {string} the same for what shows the same thing
 */
function name(node) {
  const id = node instanceof HTMLElement ? node.dataset.id : undefined;
  if (id) return id;
  const before = [...(node.parentNode?.children ?? [])].filter((each) => each.tagName === node.tagName);
  return `${node.tagName}.${node.className}.${before.indexOf(node)}`;
}

/** @param {Element} node */
function contains(node) {
  const root = node.getRootNode();
  const focused = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null;
  return node.contains(focused);
}

/**
 * Move everything before an element behind it, because what has the focus loses it when it is moved.
 * @param {Element} parent
 * @param {Element} stays
 * @param {ChildNode | null} from
 */
function moveAround(parent, stays, from) {
  const after = stays.nextSibling;
  let node = from;
  while (node && node !== stays) {
    const next = node.nextSibling;
    parent.insertBefore(node, after);
    node = next;
  }
}

/**
 * @param {Element} old
 * @param {Element} next
 */
function attributes(old, next) {
  for (const { name } of [...old.attributes])
    if (!next.hasAttribute(name) && name !== "data-typed") old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/**
 * What is being typed counts more than what the server knew.
 * @param {HTMLInputElement | HTMLTextAreaElement} old
 * @param {HTMLInputElement | HTMLTextAreaElement} next
 */
function value(old, next) {
  if (old.dataset.typed) return;
  if (old.value !== next.value) old.value = next.value;
  if (old instanceof HTMLInputElement && next instanceof HTMLInputElement) old.checked = next.checked;
}
