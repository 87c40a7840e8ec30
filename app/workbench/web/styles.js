// Style sheets that stand in files of their own.

/**
 * A sheet that fills when its file has come; `ready` resolves then.
 * @param {URL} address
 */
export function sheetFrom(address) {
  const sheet = new CSSStyleSheet();
  const ready = fetch(address)
    .then((reply) => reply.text())
    .then((text) => sheet.replace(text));
  return { sheet, ready };
}
