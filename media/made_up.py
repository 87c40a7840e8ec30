"""Draw pictures and clips as placeholders for media that a benchmark does not have yet."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from domain.errors import NotAvailableError
from domain.installation import install_hint

SIZE = (960, 640)
CLIP_SIZE = (480, 320)
RATE = 15
"""Frames a second."""
FRAMES = 45
COLOURS = ((35, 92, 120), (126, 66, 51), (64, 104, 52), (92, 60, 118), (120, 92, 30), (40, 60, 90))


def picture(words: str, number: int) -> bytes:
    """Return a PNG with these words drawn in it. Each number has its own colors and shapes."""
    out = io.BytesIO()
    _drawn(SIZE, words, number, shift=0.0).save(out, "PNG")
    return out.getvalue()


def clip(path: Path, words: str, number: int) -> None:
    """Write a WebM of three seconds in which a shape moves from left to right.

    Raises
    ------
    NotAvailableError
        The extra ``video`` is not installed.
    """
    try:
        import av
    except ImportError:
        raise NotAvailableError(f"Clips need PyAV, which is not installed. {install_hint('video')}") from None
    with av.open(str(path), "w", format="webm") as container:
        stream: Any = container.add_stream("libvpx", rate=RATE)
        stream.width, stream.height = CLIP_SIZE
        stream.pix_fmt, stream.bit_rate = "yuv420p", 600_000
        stream.codec_context.time_base = Fraction(1, 1000)
        stream.options = {"deadline": "realtime", "cpu-used": "8", "threads": "1"}
        for at in range(FRAMES):
            drawn = _drawn(CLIP_SIZE, f"{words}\nframe {at + 1}", number, shift=at / (FRAMES - 1))
            frame: Any = av.VideoFrame.from_image(drawn)  # type: ignore[no-untyped-call]
            frame.pts, frame.time_base = round(1000 * at / RATE), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _drawn(size: tuple[int, int], words: str, number: int, *, shift: float) -> Image.Image:
    """Draw a floor, a wall, three shapes and the words. One shape is shifted to the right by ``shift`` (0 to 1)."""
    width, height = size
    dark = COLOURS[number % len(COLOURS)]
    light = tuple((255 + channel) // 2 for channel in dark)
    image = Image.new("RGB", size, light)
    pen = ImageDraw.Draw(image)
    floor = height * (0.52 + 0.06 * (number * 5 % 6))
    pen.rectangle((0, floor, width, height), fill=dark)
    for place in range(3):
        side = height * (0.14 + 0.07 * ((number // 2 + place) % 3))
        left = width * (0.08 + 0.3 * place + (0.2 * shift if place == number % 3 else 0))
        box = (left, floor - side, left + side, floor)
        colour = COLOURS[(number + place + 1) % len(COLOURS)]
        if (number + place) % 2:
            pen.ellipse(box, fill=colour)
        else:
            pen.rectangle(box, fill=colour)
    font = ImageFont.load_default(size=round(height / 13))
    pen.multiline_text((width * 0.04, height * 0.13), words, fill=(0, 0, 0), font=font)
    pen.text((width * 0.04, height * 0.86), "made up", fill=(255, 255, 255), font=font)
    return image
