// What the pool shows: its dimensions, its images, and the foot with the pages.

import { el, key } from "../dom.js";
import { mediaUrl } from "../media/sources.js";
import { t } from "../words.js";

/** @import { Asset, Child, PoolPart } from "../types" */
/** @import { Pool } from "./pool.js" */

/**
 * A dimension, and how much it still needs.
 * @param {Pool} pool
 * @param {PoolPart["dimensions"][number]} row
 * @param {number} index
 */
export function tabOf(pool, row, index) {
  const { dimension, dimensions } = pool.pool;
  const selected = String(row.id === dimension);
  return el(
    "button",
    {
      type: "button",
      role: "tab",
      class: "dim",
      "aria-selected": selected,
      on: { click: () => pool.turnTo(row.id) },
    },
    dimensions.length > 1 && index < 9 ? key(String(index + 1)) : null,
    el("span", {}, row.title),
    row.left === null
      ? null
      : el("span", { class: "left" }, row.left ? t("{left} to write", { left: row.left }) : row.none),
  );
}

/**
 * @param {Pool} pool
 * @param {Asset} asset
 * @param {number} index
 */
export function cellOf(pool, asset, index) {
  const image = asset.group.length ? groupOf(asset.group) : pictureOf(asset);
  const click = (/** @type {MouseEvent} */ event) => {
    pool.move(index);
    if (pool.many && !asset.group.length && (event.ctrlKey || event.shiftKey || event.metaKey)) pool.select();
    else pool.take();
  };
  return el(
    "div",
    {
      class: "cell",
      role: "option",
      id: `pool-${asset.id}`,
      "aria-label": `${nameOf(asset)} ${index + 1}`,
      "aria-selected": "false",
      on: { click },
    },
    image,
    asset.group.length
      ? el("span", { class: "badge" }, asset.group.map((each) => each.title).join(", "))
      : asset.kind === "clip"
        ? el("span", { class: "badge" }, t("clip"))
        : null,
    el("span", { class: "order" }),
  );
}

/** @param {Asset} asset */
function nameOf(asset) {
  if (asset.group.length)
    return t("Group of {length}, {value},", {
      length: asset.group.length,
      value: asset.group.map((each) => each.title).join(", "),
    });
  return asset.kind === "clip" ? t("Clip") : t("Image");
}

/**
 * The images and clips that one item is written about, next to each other.
 * @param {Asset[]} group
 */
const groupOf = (group) =>
  el("div", { class: `together n${Math.min(group.length, 4)}` }, group.slice(0, 4).map(pictureOf));

/**
 * What a pool for these places of an item holds.
 * @param {Pool} pool
 * @param {number} n
 */
function nounOf({ slots, assets }, n) {
  const grouped = assets.filter((asset) => asset.group.length).length;
  if (grouped && grouped === assets.length) return n === 1 ? "group" : "groups";
  const kinds = ["image", "clip"].filter((kind) => slots.some((slot) => slot.kind === kind));
  return (kinds.length ? kinds : ["image"])
    .map((kind) => (n === 1 ? kind : `${kind}s`))
    .join(n === 1 ? ` ${t("or")} ` : ` ${t("and")} `);
}

/**
 * An image, or a clip that plays while the pointer is over it.
 * @param {Asset} asset
 */
function pictureOf(asset) {
  if (asset.missing) return el("span", { class: "noimg" }, t("missing"));
  if (asset.kind !== "clip")
    return el("img", { src: mediaUrl(asset.id, "thumb"), alt: "", loading: "lazy", draggable: "false" });
  const video = el("video", {
    src: mediaUrl(asset.id, "original"),
    poster: mediaUrl(asset.id, "thumb"),
    loop: true,
    playsinline: true,
    preload: "none",
  });
  video.muted = true;
  video.addEventListener("mouseenter", () => playing(video, true));
  video.addEventListener("mouseleave", () => playing(video, false));
  return video;
}

/**
 * Play a clip of the pool, or stop it.
 * @param {HTMLVideoElement} video
 * @param {boolean} on
 */
export function playing(video, on) {
  if (on)
    video.play().catch(() => {}); // the next move stops it before it began
  else video.pause();
}

/** @param {PoolPart} pool */
export function nothingFree({ dimensions }) {
  const words =
    dimensions.length > 1
      ? t("All images for this dimension are taken. Choose another dimension above, or ask your lead to add more.")
      : t("All images are taken. Ask your lead to add more.");
  return el("div", { class: "poolempty" }, el("strong", {}, t("No free images here")), el("p", {}, words));
}

/**
 * @param {Pool} pool
 * @returns {Child}
 */
export function footOf(pool) {
  const { total } = pool.pool;
  const before = pool.trail.length > 1;
  const more = pool.next() !== null;
  return [
    el("span", {}, t("{total} free {value}", { total, value: nounOf(pool, total) })),
    el(
      "span",
      { class: "quiet" },
      key("← ↑ → ↓"),
      ` ${t("move")}  `,
      pool.many ? [key("Space"), ` ${t("select")}  `] : null,
      key("Enter"),
      pool.many ? ` ${t("write about the selection")}` : ` ${t("write about it")}`,
    ),
    el(
      "span",
      { class: "pages" },
      turn("PgUp", ` ${t("before")}`, before, () => pool.back()),
      turn("PgDn", ` ${t("more")}`, more, () => pool.forth()),
    ),
  ];
}

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} there whether there is such a page
 * @param {() => void} click
 */
const turn = (name, label, there, click) =>
  el("button", { type: "button", class: "small", disabled: !there, on: { click } }, key(name), label);
