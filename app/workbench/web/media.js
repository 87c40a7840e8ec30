// The left side: images with zoom and pan, clips with steps, a film strip, and an honest place for what is missing.

import { el, fill, key } from "./dom.js";

export const mediaUrl = (id, size) => `/media/${encodeURIComponent(id)}/${size}`;
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const ahead = new Map(); // images of the next item, kept so that the browser keeps them decoded
const FRAME = 1 / 24;

export function prefetch(ids) {
  for (const id of [...ahead.keys()]) if (!ids.includes(id) && ahead.size > 24) ahead.delete(id);
  for (const id of ids) {
    if (ahead.has(id)) continue;
    const image = new Image();
    ahead.set(id, image);
    image.src = mediaUrl(id, "display");
    image.decode().catch(() => {});
  }
}

export class MediaPane {
  constructor() {
    this.root = el("section", { class: "media", "aria-label": "Media of this item" });
    this.frames = [];
    this.active = 0;
  }

  show(assets, note) {
    this.stopAll();
    this.assets = assets;
    this.active = 0;
    this.together = assets.length <= 2;
    this.frames = assets.map((asset, index) => new Frame(asset, index, assets.length, this));
    if (!assets.length) {
      fill(this.root, el("p", { class: "absent" }, note || "This item has no image."));
      return;
    }
    this.stage = el("div", { class: this.together ? `stage together n${assets.length}` : "stage" });
    if (this.together) for (const frame of this.frames) this.stage.append(frame.root);
    fill(this.root, this.stage);
    if (!this.together) {
      this.strip = el("div", { class: "strip", role: "tablist", "aria-label": "Images of this item" });
      this.thumbs = assets.map((asset, index) =>
        el("button", { type: "button", role: "tab", class: "thumb", "aria-label": `Image ${index + 1}: ${asset.title}`, on: { click: () => this.go(index) } },
          asset.missing ? el("span", { class: "noimg" }, "missing") : el("img", { src: mediaUrl(asset.id, "thumb"), alt: "" }),
          el("span", { class: "num" }, index + 1)),
      );
      this.strip.append(...this.thumbs);
      this.root.append(this.strip);
    }
    this.go(0);
  }

  go(index) {
    if (index < 0 || index >= this.frames.length) return;
    this.frames[this.active].rest();
    this.active = index;
    if (!this.together) {
      fill(this.stage, this.frames[index].root);
      this.thumbs.forEach((thumb, at) => thumb.setAttribute("aria-selected", String(at === index)));
      this.thumbs[index].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.frames.forEach((frame, at) => frame.root.classList.toggle("active", at === index && this.frames.length > 1));
    this.frames[index].wake();
  }

  get frame() {
    return this.frames[this.active];
  }

  get zoomed() {
    return Boolean(this.frame && this.frame.zoomed);
  }

  // Keys of the media side; true when one was used.
  key(event) {
    const frame = this.frame;
    if (!frame) return false;
    const name = event.key;
    if (name === "z" || name === "Z") {
      frame.toggle();
      return true;
    }
    if (frame.zoomed) {
      const step = 80;
      if (name === "Escape") frame.unzoom();
      else if (name === "ArrowLeft") frame.pan(step, 0);
      else if (name === "ArrowRight") frame.pan(-step, 0);
      else if (name === "ArrowUp") frame.pan(0, step);
      else if (name === "ArrowDown") frame.pan(0, -step);
      else if (name === "+" || name === "=") frame.scaleBy(1.25);
      else if (name === "-") frame.scaleBy(0.8);
      else return false;
      return true;
    }
    if (name === "ArrowLeft" && this.frames.length > 1) return this.go(this.active - 1), true;
    if (name === "ArrowRight" && this.frames.length > 1) return this.go(this.active + 1), true;
    const clip = frame.video ? frame : this.frames.find((other) => other.video);
    if (clip && (name === "," || name === ".")) {
      clip.step(name === "." ? FRAME : -FRAME);
      return true;
    }
    if (clip && name === " ") {
      clip.playPause();
      return true;
    }
    return false;
  }

  stopAll() {
    for (const frame of this.frames) frame.stop();
  }
}

class Frame {
  constructor(asset, index, count, pane) {
    this.asset = asset;
    this.pane = pane;
    this.index = index;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.zoomed = false;
    this.root = el("figure", { class: `frame ${asset.kind}` });
    const label = count > 1 ? `${index + 1} · ${asset.title}` : "";
    if (asset.missing) {
      this.root.classList.add("missing");
      this.root.append(el("div", { class: "absent", role: "img", "aria-label": "Missing" },
        el("strong", {}, asset.kind === "clip" ? "Clip missing" : "Image missing"),
        el("span", {}, `The ${asset.kind === "clip" ? "clip" : "image"} of this item has not been brought in yet.`)));
    } else if (asset.kind === "clip") this.makeClip();
    else this.makeImage();
    if (label) this.root.append(el("figcaption", {}, label));
  }

  makeImage() {
    const { asset } = this;
    this.image = el("img", { class: "view", alt: `${asset.title} of this item`, draggable: "false" });
    const shownAlready = ahead.get(asset.id);
    this.image.classList.add("waiting");
    this.image.addEventListener("load", () => this.image.classList.remove("waiting"));
    this.image.addEventListener("error", () => {
      this.root.classList.add("missing");
      this.image.replaceWith(el("div", { class: "absent" }, el("strong", {}, "Image not loaded"), el("span", {}, "The server did not give this image. It is tried again when the item is opened again.")));
    });
    this.image.src = mediaUrl(asset.id, "display");
    if (shownAlready && shownAlready.complete) this.image.classList.remove("waiting");
    this.box = el("div", { class: "viewport" }, this.image);
    this.badge = el("div", { class: "zoombar", hidden: true }, el("span", { class: "factor" }), key("+"), key("−"), " zoom  ", key("Z"), " back");
    this.root.append(this.box, this.badge);
    this.listen();
  }

  makeClip() {
    this.video = el("video", { class: "view", src: mediaUrl(this.asset.id, "original"), poster: mediaUrl(this.asset.id, "display"), muted: true, loop: true, playsinline: true, preload: "auto", "aria-label": `${this.asset.title} of this item` });
    this.video.muted = true;
    this.time = el("span", { class: "time" }, "0:00.0");
    this.bar = el("input", { type: "range", min: "0", max: "1000", value: "0", class: "scrub", "aria-label": "Position in the clip", tabindex: "-1" });
    const write = () => {
      const total = this.video.duration || 0;
      this.time.textContent = `${seconds(this.video.currentTime)} / ${seconds(total)}`;
      if (total && !this.dragging) this.bar.value = String(Math.round((1000 * this.video.currentTime) / total));
    };
    for (const event of ["timeupdate", "loadedmetadata", "seeked"]) this.video.addEventListener(event, write);
    this.bar.addEventListener("input", () => {
      this.dragging = true;
      this.video.pause();
      this.video.currentTime = (Number(this.bar.value) / 1000) * (this.video.duration || 0);
    });
    this.bar.addEventListener("change", () => {
      this.dragging = false;
      this.bar.blur();
    });
    this.video.addEventListener("click", () => this.playPause());
    this.video.addEventListener("error", () => {
      this.root.classList.add("missing");
      this.video.replaceWith(el("div", { class: "absent" }, el("strong", {}, "Clip not loaded"), el("span", {}, "The server did not give this clip, or this browser cannot play it.")));
    });
    this.play = el("span", { class: "state" });
    this.video.addEventListener("play", () => fill(this.play, key("Space"), " pause"));
    this.video.addEventListener("pause", () => fill(this.play, key("Space"), " play"));
    fill(this.play, key("Space"), " play");
    this.root.append(el("div", { class: "viewport" }, this.video),
      el("div", { class: "clipbar" }, this.bar, this.time, el("span", { class: "hint" }, key(","), key("."), " step"), this.play));
    if (!still()) this.video.play().catch(() => {});
  }

  listen() {
    const { box } = this;
    let from = null;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = { x: event.clientX, y: event.clientY, moved: false };
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (!from) return;
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      if (this.zoomed) {
        this.pan(dx, dy);
        Object.assign(from, { x: event.clientX, y: event.clientY });
      }
      from.moved = true;
    });
    box.addEventListener("pointerup", (event) => {
      const clicked = from && !from.moved;
      from = null;
      if (!clicked) return;
      if (this.pane.active !== this.index) this.pane.go(this.index);
      this.toggle(event);
    });
    box.addEventListener("pointercancel", () => (from = null));
    box.addEventListener("wheel", (event) => {
      if (!this.zoomed && event.deltaY >= 0) return;
      event.preventDefault();
      if (!this.zoomed) this.zoom(event, 1);
      this.scaleBy(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
    }, { passive: false });
  }

  // The size at which one pixel of the original is one pixel of the screen, relative to the fitted size.
  get full() {
    const width = this.asset.width || this.original?.naturalWidth || this.image.naturalWidth;
    return Math.max(1.5, width / (this.image.clientWidth * 1 || 1) / (window.devicePixelRatio || 1) * 1);
  }

  toggle(event) {
    if (!this.image || !this.image.isConnected) return;
    if (this.zoomed) this.unzoom();
    else this.zoom(event);
  }

  zoom(event, scale) {
    this.zoomed = true;
    if (!this.original) {
      this.original = new Image();
      this.original.src = mediaUrl(this.asset.id, "original");
      this.original.decode().then(() => (this.image.src = this.original.src)).catch(() => {});
    }
    this.root.classList.add("zoomed");
    this.badge.hidden = false;
    const box = this.box.getBoundingClientRect();
    const px = event ? event.clientX - box.left - box.width / 2 : 0;
    const py = event ? event.clientY - box.top - box.height / 2 : 0;
    this.scale = scale || this.full;
    this.x = px - px * this.scale;
    this.y = py - py * this.scale;
    this.apply();
  }

  unzoom() {
    this.zoomed = false;
    this.scale = 1;
    this.x = this.y = 0;
    this.root.classList.remove("zoomed");
    if (this.badge) this.badge.hidden = true;
    if (this.image) this.image.style.transform = "";
  }

  scaleBy(factor, event) {
    const next = Math.min(12, Math.max(1, this.scale * factor));
    const box = this.box.getBoundingClientRect();
    const px = event ? event.clientX - box.left - box.width / 2 : 0;
    const py = event ? event.clientY - box.top - box.height / 2 : 0;
    this.x = px - ((px - this.x) * next) / this.scale;
    this.y = py - ((py - this.y) * next) / this.scale;
    this.scale = next;
    if (next === 1) this.unzoom();
    else this.apply();
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.apply();
  }

  apply() {
    const roomX = Math.max(0, (this.image.clientWidth * this.scale - this.box.clientWidth) / 2);
    const roomY = Math.max(0, (this.image.clientHeight * this.scale - this.box.clientHeight) / 2);
    this.x = Math.min(roomX, Math.max(-roomX, this.x));
    this.y = Math.min(roomY, Math.max(-roomY, this.y));
    this.image.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    const original = this.asset.width || this.image.naturalWidth;
    const percent = Math.round((100 * this.image.clientWidth * this.scale) / original);
    this.badge.querySelector(".factor").textContent = `${percent} %  `;
  }

  step(by) {
    this.video.pause();
    const total = this.video.duration || 0;
    this.video.currentTime = Math.min(Math.max(0, this.video.currentTime + by), Math.max(0, total - 0.001));
  }

  playPause() {
    if (this.video.paused) this.video.play().catch(() => {});
    else this.video.pause();
  }

  rest() {
    if (this.zoomed) this.unzoom();
    if (this.video && !this.pane.together) this.video.pause();
  }

  wake() {
    if (this.video && !this.pane.together && !still()) this.video.play().catch(() => {});
  }

  stop() {
    if (!this.video) return;
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
  }
}

function seconds(value) {
  const total = Number.isFinite(value) ? value : 0;
  const minutes = Math.floor(total / 60);
  return `${minutes}:${(total - 60 * minutes).toFixed(1).padStart(4, "0")}`;
}
