"""Sheets with thumbnails of all frames of a folder, each with its time."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from extensions.frames import extraction

FOLDER = "montage"
ACROSS, DOWN = 6, 5
TILE, CAPTION, GAP = (256, 160), 40, 8
"""Size of a thumbnail, height of the caption, and the gap around both, in pixels."""
TEXT = 14
WHITE, BLACK, GREY, RED = (255, 255, 255), (0, 0, 0), (96, 96, 96), (178, 34, 34)


def make(out: Path) -> int:
    """Draw the sheets of a folder in the order of its manifest, and return their number.

    The same frames give the same bytes. Earlier sheets are deleted, because they show an earlier screening.

    Raises
    ------
    InvalidFileError
        The folder has no manifest of frames, or lacks a picture.
    """
    frames = (line for line in extraction.manifest(out) if line["record"] == "frame" and "file" in line)
    made = Path(tempfile.mkdtemp(prefix=f".{FOLDER}.", dir=out))
    try:
        n = 0
        for n, some in enumerate(_parts(frames, ACROSS * DOWN), 1):
            _sheet(out, some).save(made / f"{n:04d}.png", "PNG", compress_level=6)
        made.chmod(0o777 & ~_umask())
        clear(out)
        if n:
            made.replace(out / FOLDER)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return n


def clear(out: Path) -> None:
    """Delete the sheets of a folder."""
    shutil.rmtree(out / FOLDER, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _parts(frames: Iterator[dict[str, Any]], n: int) -> Iterator[list[dict[str, Any]]]:
    while some := list(islice(frames, n)):
        yield some


def _sheet(out: Path, frames: Sequence[Mapping[str, Any]]) -> Image.Image:
    width, height = TILE[0] + GAP, TILE[1] + CAPTION + GAP
    rows = -(-len(frames) // ACROSS)
    sheet = Image.new("RGB", (GAP + ACROSS * width, GAP + rows * height), WHITE)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=TEXT)
    for at, frame in enumerate(frames):
        left, top = GAP + at % ACROSS * width, GAP + at // ACROSS * height
        picture = _small(out / str(frame["file"]))
        sheet.paste(picture, (left + (TILE[0] - picture.width) // 2, top + (TILE[1] - picture.height) // 2))
        if not frame["kept"]:
            pen.rectangle((left, top, left + TILE[0] - 1, top + TILE[1] - 1), outline=RED, width=3)
        first, second = words(frame)
        pen.text((left, top + TILE[1] + 2), _fitting(first, font), fill=BLACK if frame["kept"] else RED, font=font)
        pen.text((left, top + TILE[1] + 4 + TEXT), _fitting(second, font), fill=GREY, font=font)
    return sheet


def words(frame: Mapping[str, Any]) -> tuple[str, str]:
    """Return the caption of a thumbnail: its time with the reason why it was dropped, and its video.

    >>> words({"time": 12.48, "source": "P01/a.mp4", "why": "blurred: its sharpness is 3, below 30"})
    ('12.480 s, blurred', 'P01/a.mp4')
    """
    why = str(frame["why"] or "").partition(":")[0]
    return f"{frame['time']:.3f} s" + (f", {why}" if why else ""), str(frame["source"])


def _fitting(text: str, font: Any) -> str:
    """Return the text, or its end if the text is too wide; names in one folder have the same beginning."""
    cut = text
    while font.getlength(cut) > TILE[0] and len(cut) > 1:
        cut = "…" + cut[2:]
    return cut


def _small(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        picture.draft("RGB", TILE)
        made = picture.convert("RGB")
    made.thumbnail(TILE, Image.Resampling.BICUBIC)
    return made
