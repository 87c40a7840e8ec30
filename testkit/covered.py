"""Pictures with something in them that no one may see, and a look whether any of it is left."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from testkit.pictures import encoded

SIZE = (200, 100)
AREA = (50, 20, 90, 60)
"""Left, top, right and bottom of the secret, in pixels."""
SECRET = (255, 0, 255)


def picture(shade: int = 120) -> Image.Image:
    """Grey and brown around a square in a colour that nothing else has."""
    image = Image.new("RGB", SIZE, (shade, shade, shade))
    image.paste((120, 90, 40), (120, 0, 200, 100))
    image.paste(SECRET, AREA)
    return image


def file(shade: int = 120, format: str = "PNG") -> bytes:
    return encoded(picture(shade), format, **({"quality": 95} if format == "JPEG" else {}))


def shows(data: bytes | Path) -> bool:
    """Whether a picture shows any of the secret, scaled and packed as it may be."""
    with Image.open(io.BytesIO(data) if isinstance(data, bytes) else data) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    return bool(((red > 150) & (blue > 150) & (green < 100)).any())


def face(side: int = 120, *, turned: int = 0) -> Image.Image:
    """A drawn face of that width in the middle of 640 x 480 pixels, tilted by so many degrees: enough of one for the
    frontal cascade, which looks for eyes darker than cheeks."""
    size, middle = (640, 480), (320, 240)
    drawn = Image.new("RGBA", size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(drawn)

    def round_(x: float, y: float, w: float, h: float, colour: tuple[int, int, int]) -> None:
        left, top = middle[0] + (x - w) * side, middle[1] + (y - h) * side
        pen.ellipse((left, top, left + 2 * w * side, top + 2 * h * side), fill=(*colour, 255))

    round_(0, -0.025, 0.5, 0.725, (60, 40, 30))
    round_(0, 0.05, 0.45, 0.6, (225, 180, 150))
    for eye in (-0.2, 0.2):
        round_(eye, -0.235, 0.14, 0.03, (60, 40, 30))
        round_(eye, -0.12, 0.13, 0.07, (120, 85, 70))
        round_(eye, -0.12, 0.07, 0.05, (30, 20, 20))
    round_(0, 0.1, 0.06, 0.16, (235, 195, 165))
    round_(0, 0.18, 0.1, 0.04, (170, 120, 100))
    round_(0, 0.365, 0.2, 0.055, (140, 60, 60))
    drawn = drawn.rotate(turned, center=middle, resample=Image.Resampling.BICUBIC)
    made = Image.new("RGB", size, (90, 110, 120))
    made.paste(drawn, (0, 0), drawn)
    return made.filter(ImageFilter.GaussianBlur(side / 80))


CLIP_SIZE, CLIP_RATE, CLIP_FRAMES = (320, 240), 10, 60
FACE_SIDE = 64
"""Width of the face in a clip, as ``face`` counts it."""
FACE_FRAMES = range(20, 40)
"""The frames of a clip in which it is: from 2.0 to 3.9 s."""


def face_at(number: int) -> tuple[int, int, int, int]:
    """Where it is in a frame, in pixels: it moves six to the right and one down from each to the next."""
    left, top = 40 + 6 * (number - FACE_FRAMES.start), 50 + (number - FACE_FRAMES.start)
    return left, top, left + 70, top + 104


def clip_frame(number: int, *, secret: bool = True) -> Image.Image:
    """A frame of the clip; ``secret``: with the face, where it has one."""
    image = _wall().copy()
    image.paste((30 + 3 * number, 60, 90), (280, 200, 320, 240))
    if secret and number in FACE_FRAMES:
        left, top, right, bottom = face_at(number)
        x, y, wide, high = 320, 238, right - left, bottom - top
        image.paste(_small_face().crop((x - wide // 2, y - high // 2, x + wide // 2, y + high // 2)), (left, top))
    return image


@cache
def _wall() -> Image.Image:
    shades = Image.linear_gradient("L").resize(CLIP_SIZE)
    return Image.merge("RGB", [shades.point(lambda at, least=least: least + at // 6) for least in (80, 100, 110)])


@cache
def _small_face() -> Image.Image:
    return face(FACE_SIDE)


def clip(path: Path) -> Path:
    """Six seconds in which a face moves over a still picture for two."""
    from media import clips

    return clips.write((clip_frame(at) for at in range(CLIP_FRAMES)), out=path, frames_per_second=CLIP_RATE)
