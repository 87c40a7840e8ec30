"""The sheet for people who decide in a table: a folder with a page of all pictures and their numbered boxes.

The page needs no server. Dragging over a picture writes a row for the table.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extensions.privacy import clip_sheet

if TYPE_CHECKING:
    from extensions.privacy.detection import MediaFindings
    from media.store import MediaStore

SIDE = 1000
"""Length of the longer side of a picture on the sheet, in pixels."""
MISSES = (
    "The search misses faces that are turned away, tilted, small, dark or partly hidden. People must look at every "
    "picture."
)

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }
body { margin: 1rem auto; max-width: 1040px; padding: 0 1rem }
figure { margin: 0 0 2rem } img { max-width: 100%; height: auto; display: block; cursor: crosshair }
.picture { position: relative; display: inline-block }
.dragged { position: absolute; box-sizing: border-box; border: 3px dashed #e60000; pointer-events: none }
figcaption { overflow-wrap: anywhere } .none { opacity: .75 }
.clip { position: relative } .clip video { width: 100%; display: block }
.over { position: absolute; inset: 0; cursor: crosshair; touch-action: none } .over[hidden] { display: none }
.frames { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 } .frames figure { margin: 0; width: 240px }
.frames img { cursor: auto }
#lines { width: 100%; box-sizing: border-box; height: 6rem; font: 13px monospace }
.tools { position: sticky; bottom: 0; background: Canvas; padding: .5rem 0; border-top: 1px solid }
"""
_SCRIPT = """
let from = null;
const lines = document.getElementById("lines");
const at = (event, image) => {
  const seen = image.getBoundingClientRect();
  const share = (value) => Math.min(1, Math.max(0, value));
  return [share((event.clientX - seen.left) / seen.width), share((event.clientY - seen.top) / seen.height)];
};
for (const image of document.querySelectorAll("img[data-begin]")) {
  image.draggable = false;
  image.addEventListener("pointerdown", (event) => {
    from = at(event, image);
    image.setPointerCapture(event.pointerId);
  });
  image.addEventListener("pointerup", (event) => {
    if (!from) return;
    const to = at(event, image);
    const [x, y] = [Math.min(from[0], to[0]), Math.min(from[1], to[1])];
    const [w, h] = [Math.abs(from[0] - to[0]), Math.abs(from[1] - to[1])];
    from = null;
    if (w < 0.002 || h < 0.002) return;
    const kind = document.querySelector("input[name=kind]:checked").value;
    const shown = document.createElement("div");
    shown.className = "dragged";
    const percent = (value) => `${100 * value}%`;
    Object.assign(shown.style, { left: percent(x), top: percent(y), width: percent(w), height: percent(h) });
    image.after(shown);
    const box = [x, y, w, h].map((each) => each.toFixed(6)).join(",");
    lines.value += `${image.dataset.begin},${kind},${box},hand,yes\\n`;
  });
}
"""


def write_sheet(
    out: Path, media: MediaStore, seen: Iterator[MediaFindings], *, title: str, clips: Sequence[MediaFindings] = ()
) -> int:
    """Write pictures, clips and the page into a folder that only its owner may read; return the number of pictures."""
    folder = out / "pictures"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    parts: list[str] = []
    n = 0
    for n, findings in enumerate(seen, 1):
        name = f"{n:05}.jpg"
        _drawn(media, findings).save(folder / name, "JPEG", quality=85)
        parts.append(_figure(f"pictures/{name}", findings))
    if clips:
        parts += ["<h2>Clips</h2>", clip_sheet.WORDS, *clip_sheet.figures(out, media, clips)]
    kinds = "".join(
        f'<label><input type="radio" name="kind" value="{kind}"{" checked" if kind == "face" else ""}> {kind}</label> '
        for kind in ("face", "plate", "other")
    )
    more = clip_sheet.SCRIPT if clips else ""
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}'
        f"</style><body><h1>{html.escape(title)}</h1><p>{MISSES}</p><p>Drag over a missed face to add a line for the "
        "table below. The pictures and clips in this folder are not covered. Show the folder to nobody else, and "
        f'delete the folder when you are done.</p>{"".join(parts)}<div class="tools">{kinds}<label '
        'for="lines">Lines for boxes.csv (pictures) and clips.csv</label><textarea id="lines" '
        f'spellcheck="false"></textarea></div><script>{_SCRIPT}{more}</script></body></html>\n'
    )
    (out / "index.html").write_text(page, encoding="utf-8")
    return n


def _drawn(media: MediaStore, seen: MediaFindings) -> Any:
    from PIL import Image

    from extensions.privacy.detection import upright
    from media import drawn

    picture = upright(media, seen.file, seen.name)
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    boxes = [{**box.as_json(), "label": str(at)} for at, box in enumerate(seen.boxes, 1)]
    return drawn.draw(picture, boxes=boxes)


def _figure(path: str, seen: MediaFindings) -> str:
    begin = html.escape(f"{clip_sheet.csv_cell(seen.name)},{seen.file}", quote=True)
    labels = [f"{at} {box.kind} ({box.by})" for at, box in enumerate(seen.boxes, 1)]
    caption = ", ".join(labels) if labels else "nothing found"
    return (
        f'<figure{"" if labels else " class=none"}><div class="picture">'
        f'<img src="{path}" alt="" loading="lazy" data-begin="{begin}"></div>'
        f"<figcaption>{html.escape(seen.name)}: {html.escape(caption)}</figcaption></figure>"
    )


def settings_beside(table: Path) -> dict[str, Any] | None:
    """Return the detection settings from the file next to the table; None if there is no such file."""
    path = table.with_name("looked.json")
    if not path.is_file():
        return None
    settings = json.loads(path.read_text(encoding="utf-8"))
    return settings if isinstance(settings, dict) else None


def summary(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and the number of the others."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
