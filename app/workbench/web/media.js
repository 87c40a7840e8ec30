// The left side: images with zoom and pan, clips with exact steps, several side by side, marks over them, and an honest
// place for what is missing.

import { el, fill, key } from "./dom.js";
import { columns, fit, frameAt, middleOf, place, zoomed } from "./geometry.js";
import { given, layer, paint } from "./marks.js";

export const mediaUrl = (id, size) => `/media/${encodeURIComponent(id)}/${size}`;
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const ahead = new Map(); // images of the next item, kept so that the browser keeps them decoded
const DISPLAY_SIDE = 1600; // the store's own copies are at most so long
const LARGEST = 12;
const GAP = 8;
const SPEEDS = [0.25, 0.5, 1, 1.5, 2];
const GRID_UP_TO = 2; // so many stand side by side unless somebody wants it otherwise
const layouts = new Map(); // what somebody chose, by number of images

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
    this.assets = [];
    this.active = 0;
    this.editor = null; // what is being drawn on now
    this.drawers = new Set(); // all that is drawn on these images
    this.shown = [];
    this.view = { scale: 1, x: 0.5, y: 0.5 };
    this.watcher = new ResizeObserver(() => this.arrange());
    this.watcher.observe(this.root);
  }

  // `marked` lists what the item itself has drawn on its images: [{role, value}].
  show(assets, note, marked = []) {
    this.stopAll();
    this.assets = assets;
    this.active = 0;
    this.forget();
    this.shown = marked;
    this.view = { scale: 1, x: 0.5, y: 0.5 };
    const counts = new Map();
    this.frames = assets.map((asset, index) => {
      counts.set(asset.role, (counts.get(asset.role) || 0) + 1);
      return new Frame(asset, index, counts.get(asset.role), assets.length, this);
    });
    if (!assets.length) {
      fill(this.root, el("p", { class: "absent" }, note || "This item has no image."));
      return;
    }
    const clip = assets.length <= 2 * GRID_UP_TO && assets.some((asset) => asset.kind === "clip"); // its stills stay beside it
    this.together = layouts.get(assets.length) ?? (clip || assets.length <= GRID_UP_TO);
    this.build();
    this.go(0);
  }

  build() {
    const { assets } = this;
    this.stage = el("div", { class: this.together ? `stage together n${assets.length}` : "stage" });
    fill(this.root, this.stage);
    if (this.together) this.stage.append(...this.frames.map((frame) => frame.root));
    else {
      this.strip = el("div", { class: "strip", role: "tablist", "aria-label": "Images of this item" });
      this.thumbs = assets.map((asset, index) =>
        el(
          "button",
          {
            type: "button",
            role: "tab",
            class: "thumb",
            "aria-label": `Image ${index + 1}: ${asset.title}`,
            on: { click: () => this.go(index) },
          },
          asset.missing
            ? el("span", { class: "noimg" }, "missing")
            : el("img", { src: mediaUrl(asset.id, "thumb"), alt: "" }),
          el("span", { class: "num" }, index + 1),
        ),
      );
      this.strip.append(...this.thumbs);
      this.root.append(this.strip);
    }
    if (assets.length > 1) {
      this.switch = el(
        "button",
        { type: "button", class: "small layout", tabindex: "-1", on: { click: () => this.relayout() } },
        key("I"),
        this.together ? " one at a time" : " side by side",
      );
      this.stage.append(this.switch);
    }
    this.arrange();
  }

  // All side by side, or one with a film strip; kept for items with as many.
  relayout() {
    this.together = !this.together;
    layouts.set(this.assets.length, this.together);
    const playing = this.frames.filter((frame) => frame.video && !frame.video.paused);
    this.build();
    this.go(this.active);
    for (const frame of playing) if (frame.root.isConnected) frame.video.play().catch(() => {});
  }

  arrange() {
    if (!this.frames.length || !this.stage) return;
    if (this.together) {
      const box = this.stage.getBoundingClientRect();
      const many = box.width ? columns(this.frames.length, box.width, box.height, this.frames[0].ratio, GAP) : 1;
      this.stage.style.gridTemplateColumns = `repeat(${many}, minmax(0, 1fr))`;
      this.stage.style.gridTemplateRows = `repeat(${Math.ceil(this.frames.length / many)}, minmax(0, 1fr))`;
    }
    for (const frame of this.frames) frame.apply();
  }

  go(index) {
    if (index < 0 || index >= this.frames.length) return;
    if (index !== this.active) this.frames[this.active].rest();
    this.active = index;
    if (!this.together) {
      fill(this.stage, this.frames[index].root, this.switch);
      this.thumbs.forEach((thumb, at) => thumb.setAttribute("aria-selected", String(at === index)));
      this.thumbs[index].scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.frames.forEach((frame, at) => frame.root.classList.toggle("active", at === index && this.frames.length > 1));
    this.frames[index].wake();
    this.arrange();
  }

  get frame() {
    return this.frames[this.active];
  }

  get zoomed() {
    return this.view.scale > 1;
  }

  get firstRole() {
    return (this.assets.find((asset) => asset.kind === "image") || {}).role;
  }

  // ---- zoom and pan: one view for all images, so that they are looked at in the same place

  // With (px, py) of that frame staying where it is; without them the middle does.
  zoomTo(scale, frame = this.frame, px, py) {
    if (!frame || !frame.zoomable) return;
    const next = Math.min(LARGEST, Math.max(1, scale));
    const { width, height } = frame.size;
    this.view = next === 1 ? { scale: 1, x: 0.5, y: 0.5 } : zoomed(width, height, frame.ratio, this.view, next, px, py);
    if (next > 1) for (const other of this.visible()) other.sharpen();
    this.repaint();
  }

  pan(dx, dy, frame = this.frame) {
    const { rect } = frame;
    const { width, height } = frame.size;
    const { x, y } = place(width, height, frame.ratio, {
      scale: this.view.scale,
      x: rect.x - dx / rect.width,
      y: rect.y - dy / rect.height,
    });
    this.view = { ...this.view, x, y };
    this.repaint();
  }

  toggle(frame = this.frame, px, py) {
    this.zoomTo(this.zoomed ? 1 : frame.full, frame, px, py);
  }

  visible() {
    return this.together ? this.frames : [this.frame];
  }

  repaint() {
    for (const frame of this.frames) frame.apply();
  }

  // ---- marks

  // A form that is drawn anew brings its own editors.
  forget() {
    this.drawers.clear();
    this.edit(null);
  }

  edit(editor) {
    this.editor = editor;
    this.root.classList.toggle("editing", Boolean(editor));
    if (editor && this.frame && !editor.covers(this.frame)) {
      const first = this.frames.find((frame) => editor.covers(frame));
      if (first) this.go(first.index);
    }
    this.repaint();
  }

  // The image on which an editor draws now.
  editable(editor) {
    if (this.frame && editor.covers(this.frame)) return this.frame;
    return this.frames.find((frame) => editor.covers(frame));
  }

  showImage(editor, number) {
    const frame = this.frames.find((candidate) => editor.covers(candidate) && candidate.number === number);
    if (frame && frame.index !== this.active) this.go(frame.index);
  }

  // Keys for what is being drawn; they come before all others.
  editKey(event, target) {
    return Boolean(this.editor && this.editor.key(event, target));
  }

  // Keys of the media side; true when one was used.
  key(event) {
    const frame = this.frame;
    if (!frame) return false;
    const name = event.key;
    if (name === "z" || name === "Z") {
      this.toggle();
      return true;
    }
    if ((name === "i" || name === "I") && this.frames.length > 1) return (this.relayout(), true);
    if (this.zoomed) {
      const step = 80;
      if (name === "Escape") this.zoomTo(1);
      else if (name === "ArrowLeft") this.pan(step, 0);
      else if (name === "ArrowRight") this.pan(-step, 0);
      else if (name === "ArrowUp") this.pan(0, step);
      else if (name === "ArrowDown") this.pan(0, -step);
      else if (name === "+" || name === "=") this.zoomTo(this.view.scale * 1.25);
      else if (name === "-") this.zoomTo(this.view.scale * 0.8);
      else if (!["[", "]"].includes(name)) return this.clipKey(name);
      else return (this.go(this.active + (name === "]" ? 1 : -1)), true);
      return true;
    }
    if ((name === "ArrowLeft" || name === "[") && this.frames.length > 1) return (this.go(this.active - 1), true);
    if ((name === "ArrowRight" || name === "]") && this.frames.length > 1) return (this.go(this.active + 1), true);
    return this.clipKey(name);
  }

  clipKey(name) {
    const clip = this.frame.video
      ? this.frame
      : this.frames.find((other) => other.video && (this.together || other === this.frame));
    if (!clip) return false;
    if (name === "," || name === ".") clip.step(name === "." ? 1 : -1);
    else if (name === " ") clip.playPause();
    else if (name === "<" || name === ">") clip.faster(name === ">" ? 1 : -1);
    else if (name === "o" || name === "O") clip.toggleLoop();
    else if (name === "Home" || name === "End") clip.seek(name === "Home" ? 0 : Infinity);
    else return false;
    return true;
  }

  stopAll() {
    for (const frame of this.frames) frame.stop();
  }
}

class Frame {
  // `number` counts the images of its role from 1.
  constructor(asset, index, number, count, pane) {
    this.asset = asset;
    this.pane = pane;
    this.index = index;
    this.number = number;
    this.root = el("figure", { class: `frame ${asset.kind}` });
    const label = count > 1 ? `${index + 1} · ${asset.title}` : "";
    if (asset.missing) {
      this.root.classList.add("missing");
      this.root.append(
        el(
          "div",
          { class: "absent", role: "img", "aria-label": "Missing" },
          el("strong", {}, asset.kind === "clip" ? "Clip missing" : "Image missing"),
          el("span", {}, `The ${asset.kind === "clip" ? "clip" : "image"} of this item has not been brought in yet.`),
        ),
      );
    } else if (asset.kind === "clip") this.makeClip();
    else this.makeImage();
    if (label) this.root.append(el("figcaption", {}, label));
  }

  makeImage() {
    const { asset } = this;
    this.image = el("img", { class: "view", alt: `${asset.title} of this item`, draggable: "false" });
    const shownAlready = ahead.get(asset.id);
    this.image.classList.add("waiting");
    this.image.addEventListener("load", () => {
      this.image.classList.remove("waiting");
      this.apply();
    });
    this.image.addEventListener("error", () => {
      this.root.classList.add("missing");
      this.image.replaceWith(
        el(
          "div",
          { class: "absent" },
          el("strong", {}, "Image not loaded"),
          el("span", {}, "The server did not give this image. It is tried again when the item is opened again."),
        ),
      );
    });
    this.image.src = mediaUrl(asset.id, "display");
    if (shownAlready && shownAlready.complete) this.image.classList.remove("waiting");
    this.marks = layer();
    this.box = el("div", { class: "viewport" }, this.image, this.marks);
    this.badge = el(
      "div",
      { class: "zoombar", hidden: true },
      el("span", { class: "factor" }),
      key("+"),
      key("−"),
      " zoom  ",
      key("Z"),
      " back",
    );
    this.root.append(this.box, this.badge);
    this.listen();
  }

  makeClip() {
    this.video = el("video", {
      class: "view",
      src: mediaUrl(this.asset.id, "original"),
      poster: mediaUrl(this.asset.id, "display"),
      muted: true,
      loop: true,
      playsinline: true,
      preload: "auto",
      "aria-label": `${this.asset.title} of this item`,
    });
    this.video.muted = true;
    this.speed = 1;
    this.at = 0;
    this.times = null; // until the server has said when each frame comes on screen
    this.time = el("span", { class: "time" }, "0:00.00");
    this.count = el("span", { class: "frames" });
    this.pace = el(
      "button",
      {
        type: "button",
        class: "small pace",
        tabindex: "-1",
        title: "Speed",
        on: { click: () => this.faster(this.speed === 2 ? -4 : 1) },
      },
      "1×",
    );
    this.round = el(
      "button",
      {
        type: "button",
        class: "small round on",
        tabindex: "-1",
        "aria-pressed": "true",
        on: { click: () => this.toggleLoop() },
      },
      key("O"),
      " loop",
    );
    this.bar = el("input", {
      type: "range",
      min: "0",
      max: "1000",
      value: "0",
      class: "scrub",
      "aria-label": "Position in the clip",
      tabindex: "-1",
    });
    this.known = fetch(mediaUrl(this.asset.id, "frames"))
      .then((reply) => (reply.ok ? reply.json() : null))
      .then((answer) => {
        if (answer && answer.times.length) {
          this.times = answer.times;
          this.duration = answer.duration;
          this.at = frameAt(this.times, this.video.currentTime);
        } else this.count.textContent = "frames not known";
        this.write();
      })
      .catch(() => {});
    for (const event of ["timeupdate", "loadedmetadata", "seeked"]) {
      this.video.addEventListener(event, () => {
        if (this.times && this.aim === undefined) this.at = frameAt(this.times, this.video.currentTime);
        this.write();
      });
    }
    this.looping = true;
    this.video.addEventListener("play", () => {
      this.aim = undefined;
      this.video.loop = this.looping;
    });
    this.watchFrames();
    this.bar.addEventListener("input", () => {
      this.dragging = true;
      this.video.pause();
      this.aim = undefined;
      this.video.currentTime = (Number(this.bar.value) / 1000) * (this.video.duration || 0);
    });
    this.bar.addEventListener("change", () => {
      this.dragging = false;
      this.bar.blur();
    });
    this.video.addEventListener("click", () => this.playPause());
    this.video.addEventListener("error", () => {
      this.root.classList.add("missing");
      this.video.replaceWith(
        el(
          "div",
          { class: "absent" },
          el("strong", {}, "Clip not loaded"),
          el("span", {}, "The server did not give this clip, or this browser cannot play it."),
        ),
      );
    });
    this.play = el("span", { class: "state" });
    this.video.addEventListener("play", () => fill(this.play, key("Space"), " pause"));
    this.video.addEventListener("pause", () => fill(this.play, key("Space"), " play"));
    fill(this.play, key("Space"), " play");
    this.box = el("div", { class: "viewport" }, this.video);
    this.root.append(
      this.box,
      el(
        "div",
        { class: "clipbar" },
        this.bar,
        this.count,
        this.time,
        el("span", { class: "hint" }, key(","), key("."), " frame"),
        this.play,
        el("span", { class: "hint" }, key("<"), key(">")),
        this.pace,
        this.round,
      ),
    );
    if (!still()) this.video.play().catch(() => {});
  }

  // What is on screen while it plays: the browser names the moment of each frame that it paints.
  watchFrames() {
    if (!this.video.requestVideoFrameCallback) return;
    const painted = (_, { mediaTime }) => {
      if (this.stopped) return;
      if (this.times && this.aim === undefined) {
        this.at = frameAt(this.times, mediaTime + 0.0005);
        this.write();
      }
      this.video.requestVideoFrameCallback(painted);
    };
    this.video.requestVideoFrameCallback(painted);
  }

  write() {
    const total = this.duration || this.video.duration || 0;
    const now = this.times ? this.times[this.at] : this.video.currentTime;
    this.time.textContent = `${seconds(now)} / ${seconds(total)}`;
    if (this.times) {
      this.count.textContent = `frame ${this.at + 1} of ${this.times.length}`;
      this.root.dataset.frame = String(this.at);
    }
    if (total && !this.dragging) this.bar.value = String(Math.round((1000 * now) / total));
  }

  listen() {
    const { box } = this;
    let from = null;
    let stroke = null;
    const inside = (event) => {
      const rect = box.getBoundingClientRect();
      const zoom = rect.width / (box.clientWidth || 1) || 1;
      return [(event.clientX - rect.left) / zoom, (event.clientY - rect.top) / zoom];
    };
    box.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where somebody types or draws
    box.addEventListener("pointerdown", (event) => {
      if (event.button > 1) return;
      const { editor } = this.pane;
      from = { x: event.clientX, y: event.clientY, moved: false };
      stroke = null;
      if (editor && editor.covers(this) && event.button === 0 && !event.shiftKey) {
        if (this.pane.active !== this.index) this.pane.go(this.index);
        stroke = editor.press(this, ...inside(event));
      } else if (event.button === 1) event.preventDefault();
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (!from) return;
      const dx = event.clientX - from.x;
      const dy = event.clientY - from.y;
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      from.moved = true;
      if (stroke) stroke.move(...inside(event));
      else if (this.pane.zoomed) {
        this.pane.pan(dx, dy, this);
        Object.assign(from, { x: event.clientX, y: event.clientY });
      }
    });
    box.addEventListener("pointerup", (event) => {
      const clicked = from && !from.moved;
      from = null;
      if (stroke) {
        stroke.up();
        stroke = null;
        return;
      }
      if (!clicked || event.button !== 0) return;
      if (this.pane.active !== this.index) this.pane.go(this.index);
      this.pane.toggle(this, ...inside(event));
    });
    box.addEventListener("pointercancel", () => (from = stroke = null));
    box.addEventListener(
      "wheel",
      (event) => {
        if (!this.pane.zoomed && event.deltaY >= 0) return;
        event.preventDefault();
        this.pane.zoomTo(this.pane.view.scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15), this, ...inside(event));
      },
      { passive: false },
    );
  }

  // ---- where the image lies

  get zoomable() {
    return Boolean(this.image && this.image.isConnected);
  }

  get ratio() {
    const { width, height } = this.asset;
    if (width && height) return width / height;
    const view = this.image || this.video;
    const [wide, high] = view ? [view.naturalWidth || view.videoWidth, view.naturalHeight || view.videoHeight] : [];
    return wide && high ? wide / high : 4 / 3;
  }

  get size() {
    return { width: (this.box && this.box.clientWidth) || 1, height: (this.box && this.box.clientHeight) || 1 };
  }

  get view() {
    return this.pane.view;
  }

  get rect() {
    const { width, height } = this.size;
    return place(width, height, this.ratio, this.pane.view);
  }

  // The point of the image in the middle of what is seen.
  get middle() {
    return { x: this.rect.x, y: this.rect.y };
  }

  // The size at which one pixel of the original is one pixel of the screen, relative to the fitted size.
  get full() {
    const { width, height } = this.size;
    const wide = this.asset.width || this.image.naturalWidth;
    return Math.min(
      LARGEST,
      Math.max(1.5, wide / fit(width, height, this.ratio).width / (window.devicePixelRatio || 1)),
    );
  }

  // The original in place of the copy, where it has more to show. One that is stored on its side stays away.
  sharpen() {
    if (!this.image || this.original || Math.max(this.asset.width || 0, this.asset.height || 0) <= DISPLAY_SIDE) return;
    this.original = new Image();
    this.original.src = mediaUrl(this.asset.id, "original");
    this.original
      .decode()
      .then(() => {
        const ratio = this.original.naturalWidth / this.original.naturalHeight;
        if (Math.abs(ratio / this.ratio - 1) < 0.02) this.image.src = this.original.src;
      })
      .catch(() => {});
  }

  apply() {
    if (!this.image || !this.root.isConnected) return;
    const { width, height } = this.size;
    const { rect } = this;
    const { scale } = this.pane.view;
    const enlarged = scale > 1;
    this.root.classList.toggle("zoomed", enlarged);
    this.badge.hidden = !enlarged || this.pane.frame !== this;
    this.image.style.transform = enlarged
      ? `translate(${rect.left + rect.width / 2 - width / 2}px, ${rect.top + rect.height / 2 - height / 2}px) scale(${scale})`
      : "";
    const original = this.asset.width || this.image.naturalWidth || rect.width;
    this.badge.querySelector(".factor").textContent =
      `${Math.round((100 * rect.width * (window.devicePixelRatio || 1)) / original)} %  `;
    this.paintMarks(rect, { width, height });
  }

  paintMarks(rect, size) {
    const entries = this.pane.shown
      .filter(({ role }) => (role || this.pane.firstRole) === this.asset.role)
      .flatMap(({ value, options, tone, prefix }) =>
        given(value, options)
          .filter((entry) => (entry.image ?? 1) === this.number)
          .map((entry) => (tone ? { ...entry, tone, text: `${prefix} ${entry.text}`.trim() } : entry)),
      );
    const { editor, drawers } = this.pane;
    const asked = (drawer) => drawer.root.getClientRects().length > 0; // what the form hides is not drawn either
    for (const drawer of drawers)
      if (drawer !== editor && asked(drawer) && drawer.covers(this)) entries.push(...drawer.entriesOf(this));
    if (editor && editor.covers(this)) entries.push(...editor.entriesOf(this));
    paint(this.marks, entries, rect, size);
  }

  // ---- clips

  // Exactly one frame on or back: half way into the frame, so that rounding never shows a neighbour.
  step(by) {
    this.video.pause();
    if (this.times) return this.seek(this.at + by);
    const total = this.video.duration || 0; // the frames are not known: a small step in time, and the bar says so
    this.video.currentTime = Math.min(Math.max(0, this.video.currentTime + by / 25), Math.max(0, total - 0.001));
    return undefined;
  }

  seek(index) {
    this.video.pause();
    if (!this.times) {
      this.video.currentTime = index ? Math.max(0, (this.video.duration || 0) - 0.001) : 0;
      return;
    }
    this.at = Math.min(Math.max(0, index), this.times.length - 1);
    this.aim = this.at;
    this.video.loop = false; // or a moment in the last frame might be taken for the end, and lead to the first
    this.video.currentTime = middleOf(this.times, this.duration, this.at);
    this.write();
  }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(Math.max(0, at), SPEEDS.length - 1)];
    this.video.playbackRate = this.speed;
    this.pace.textContent = `${this.speed}×`;
  }

  toggleLoop() {
    this.looping = !this.looping;
    if (!this.video.paused) this.video.loop = this.looping;
    this.round.classList.toggle("on", this.looping);
    this.round.setAttribute("aria-pressed", String(this.looping));
  }

  playPause() {
    if (this.video.paused) this.video.play().catch(() => {});
    else {
      this.video.pause();
      if (this.times) this.seek(this.at);
    }
  }

  rest() {
    if (!this.pane.together && this.pane.zoomed && !this.pane.editor) this.pane.view = { scale: 1, x: 0.5, y: 0.5 };
    if (this.video && !this.pane.together) this.video.pause();
  }

  wake() {
    if (this.video && !this.pane.together && !still()) this.video.play().catch(() => {});
  }

  stop() {
    this.stopped = true;
    if (!this.video) return;
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
  }
}

function seconds(value) {
  const total = Number.isFinite(value) ? value : 0;
  const minutes = Math.floor(total / 60);
  return `${minutes}:${(total - 60 * minutes).toFixed(2).padStart(5, "0")}`;
}
