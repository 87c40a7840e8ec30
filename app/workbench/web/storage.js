// What waits in this browser. A store that is full or forbidden costs the buffer, not the work: the server still gets
// every draft.

/**
 * What was written under a name; null if there is nothing that can be read.
 * @param {string} name
 * @returns {any} its shape is known to who wrote it
 */
export function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // As above.
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // As above.
  }
}

/**
 * The names that begin so.
 * @param {string} mark
 */
export function namesOf(mark) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(mark));
  } catch {
    return [];
  }
}
