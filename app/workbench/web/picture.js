// A chart of the page as a picture, as it stands: the SVG that Vega drew, on the colour of the page.

import { el } from "./dom.js";
import sheet from "./picture.css" with { type: "css" };

/** @import { Mounted } from "./types" */

/** Pixels of a PNG for each of the page: sharp in print, too. */
const SCALE = 2;

/** @param {Mounted<{ chart: string, title: string, file: string }>} mounted */
export default function mount({ data, parentElement }) {
  parentElement.adoptedStyleSheets = [sheet];
  const old = parentElement.querySelector(".pictures");
  const button = (/** @type {"svg" | "png"} */ kind) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": `${data.title} As ${kind.toUpperCase()}`,
        on: { click: () => save(data.chart, data.file, kind) },
      },
      kind.toUpperCase(),
    );
  const row = el("div", { class: "pictures" }, button("svg"), button("png"));
  if (old) old.replaceWith(row);
  else parentElement.append(row);
}

/**
 * @param {string} chart
 * @param {string} file
 * @param {"svg" | "png"} kind
 */
async function save(chart, file, kind) {
  const drawn = document.querySelector(`.st-key-${CSS.escape(chart)} svg.marks`);
  if (!(drawn instanceof SVGSVGElement)) return;
  const svg = whole(drawn);
  download(kind === "svg" ? svg : await painted(svg, drawn.viewBox.baseVal), `${file}.${kind}`);
}

/**
 * The drawing by itself, on paper of the page's colour.
 * @param {SVGSVGElement} drawn
 */
function whole(drawn) {
  const copy = /** @type {SVGSVGElement} */ (drawn.cloneNode(true));
  const { width, height } = drawn.viewBox.baseVal;
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) {
    copy.setAttribute(name, String(value));
  }
  copy.removeAttribute("style");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  const page = document.querySelector(".stApp");
  paper.setAttribute("fill", page ? getComputedStyle(page).backgroundColor : "white");
  copy.prepend(paper);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

/**
 * @param {Blob} svg
 * @param {{ width: number, height: number }} size
 * @returns {Promise<Blob>}
 */
async function painted(svg, { width, height }) {
  const address = URL.createObjectURL(svg);
  const image = new Image();
  image.src = address;
  await image.decode();
  URL.revokeObjectURL(address);
  const canvas = el("canvas", { width: Math.ceil(width * SCALE), height: Math.ceil(height * SCALE) });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The picture is too large."))), "image/png");
  });
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
