"""Pictures with something in them that no one may see, and a look whether any of it is left."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from domain.privacy import HAND, Box
from testkit.pictures import encoded

SIZE = (200, 100)
AREA = (50, 20, 90, 60)
"""Left, top, right and bottom of the secret, in pixels."""
BOX = Box("face", 0.25, 0.2, 0.2, 0.4, HAND, cover=True)
"""The same as shares: 50 / 200, 20 / 100, 40 / 200, 40 / 100."""
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
