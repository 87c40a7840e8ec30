"""Clips on the sheet: each one plays, with frames of every detected box and frames from its begin to its end."""

from __future__ import annotations

import html
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain.csv_text import cell
from extensions.privacy.boxes import Box

if TYPE_CHECKING:
    from extensions.privacy.detection import MediaFindings
    from media.store import MediaStore

SIDE = 480
"""Length of the longer side of a frame on the sheet, in pixels."""
EVENLY = 12
"""Number of evenly spaced frames of a clip on the sheet, in addition to those of boxes."""
OF_BOX = (0.0, 0.5, 1.0)
"""The points between the first and the last position of a box at which the sheet shows it."""
WORDS = (
    "<p>Play each clip to its end, because the search checked only some frames. To add a box, pause the clip where "
    "the box begins, press <em>Draw</em>, then drag over the area. The new line covers the area until the end of "
    "the clip. To set an earlier end or add movement, edit the line in clips.csv.</p>"
)
SCRIPT = """
for (const clip of document.querySelectorAll(".clip")) {
  const [video, over] = [clip.querySelector("video"), clip.querySelector(".over")];
  const button = clip.parentElement.querySelector("button");
  const draws = (on) => {
    if (on) video.pause();
    over.hidden = !on;
    video.controls = !on;
    button.textContent = on ? "Do not draw" : "Draw";
  };
  button.addEventListener("click", () => draws(over.hidden));
  let begun = null;
  over.addEventListener("pointerdown", (event) => {
    begun = at(event, over);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener("pointerup", (event) => {
    if (!begun) return;
    const to = at(event, over);
    const [x, y] = [Math.min(begun[0], to[0]), Math.min(begun[1], to[1])];
    const [w, h] = [Math.abs(begun[0] - to[0]), Math.abs(begun[1] - to[1])];
    begun = null;
    if (w < 0.002 || h < 0.002) return;
    const kind = document.querySelector("input[name=kind]:checked").value;
    const span = `${video.currentTime.toFixed(3)},${clip.dataset.end}`;
    const box = [x, y, w, h].map((each) => each.toFixed(6)).join(" ");
    lines.value += `${clip.dataset.begin},${kind},${span},${box},hand,yes\\n`;
    draws(false);
  });
}
"""


def figures(out: Path, media: MediaStore, clips: Sequence[MediaFindings]) -> Iterator[str]:
    """Write clips and frames into the folder, and yield the part of the page of each clip."""
    folder = out / "clips"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number, seen in enumerate(sorted(clips, key=lambda each: not each.boxes), 1):
        path, _ = media.bare(seen.file)
        shutil.copyfile(path, folder / f"{number:05}.webm")
        frames = "".join(
            f'<figure><img src="clips/{name}" alt="" loading="lazy">'
            f"<figcaption>{html.escape(words)}</figcaption></figure>"
            for name, words in _frames(folder, number, media, seen)
        )
        begin = html.escape(f"{csv_cell(seen.name)},{seen.file}", quote=True)
        caption = "; ".join(_words(at, box) for at, box in enumerate(seen.boxes, 1)) or "nothing found"
        yield (
            f"<figure><figcaption>{html.escape(seen.name)}: {html.escape(caption)}</figcaption>"
            f'<div class="clip" data-begin="{begin}" data-end="{seen.seconds or 0:.3f}">'
            f'<video src="clips/{number:05}.webm" controls preload="none" '
            f'aria-label="{html.escape(seen.name)}"></video>'
            f'<div class="over" hidden></div></div><button type="button">Draw</button>'
            f'<div class="frames">{frames}</div></figure>'
        )


def csv_cell(text: str) -> str:
    """Return a text as a cell of the table."""
    marked = str(cell(text))
    quoted = any(mark in marked for mark in ',"\r\n')
    return '"' + marked.replace('"', '""') + '"' if quoted else marked


def _words(at: int, box: Box) -> str:
    return f"{at} {box.kind} ({box.by}), {box.begin or 0:.2f} to {box.end or 0:.2f} s"


def _frames(folder: Path, number: int, media: MediaStore, seen: MediaFindings) -> Iterator[tuple[str, str]]:
    """Write frames with their boxes, and yield the name and the caption of each."""
    from PIL import Image

    from media import drawn, frames

    with frames.opened(media.path(seen.file), name=seen.name, limits=media.limits) as film:
        seconds = film.end
        moments = {seconds * at / EVENLY for at in range(EVENLY)}
        for box in seen.boxes:
            begin, end = (box.path[0][0], box.path[-1][0]) if box.path else (box.begin or 0.0, box.end or 0.0)
            moments |= {Fraction(begin + share * (end - begin)) for share in OF_BOX}
        wanted = {film.at(min(max(moment, film.time(0)), seconds)) for moment in moments}
        for frame in sorted(film.read([*wanted]), key=lambda found: found.index):
            if frame.picture is None:
                continue
            time = float(frame.time)
            picture = frame.picture
            picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
            there: list[dict[str, Any]] = [
                {**dict(zip("xywh", box.at(time), strict=True)), "label": str(at)}
                for at, box in enumerate(seen.boxes, 1)
                if (box.begin or 0.0) <= time <= (box.end or 0.0)
            ]
            name = f"{number:05}-{frame.index:06}.jpg"
            drawn.draw(picture, boxes=there).save(folder / name, "JPEG", quality=85)
            yield name, f"{time:.2f} s" + (": " + ", ".join(box["label"] for box in there) if there else "")
