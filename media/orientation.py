"""The eight orientations of a stored picture, as EXIF numbers. They are read once and applied in one place.

The rule for images: EXIF decides if it has the tag, even if XMP differs. Otherwise XMP's ``tiff:Orientation`` decides.
Without both, the picture is upright. Pillow follows the same rule. For a video, the display matrix of the decoded frame
decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from PIL import Image

from domain.errors import InvalidMediaError

TAG = 0x0112
"""EXIF's tag for the orientation."""
UPRIGHT = 1
_FLIPS: Mapping[int, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_IN_XMP = re.compile(rb"tiff:Orientation\s*(?:=\s*[\"']|>)\s*([0-9]+)")
"""Matches an attribute with either quote, or an element."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_OF_MATRIX = {
    (1, 0, 0, 1): 1,
    (-1, 0, 0, 1): 2,
    (-1, 0, 0, -1): 3,
    (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5,
    (0, 1, -1, 0): 6,
    (0, -1, -1, 0): 7,
    (0, -1, 1, 0): 8,
}
"""Orientation by a, b, c and d of a display matrix: it shows the stored pixel (x, y) at (a x + c y, b x + d y)."""
_NEAR = Fraction(1, 50)
"""A matrix this close to one of the eight, relative to its scale, is that one (about a degree)."""


def of_image(image: Image.Image) -> int:
    """Return the orientation of a loaded image. Loading matters, because some formats store it after the pixels."""
    exif = image.getexif()
    orientation = exif.get(TAG)
    if orientation is None and (match := _IN_XMP.search(_xmp(image))):
        orientation = int(match[1])
    return _known(orientation)


def of_stored_image(image: Image.Image) -> int:
    """Return the orientation that earlier versions used for an image, by Pillow alone.

    Its copies have that orientation.
    """
    return _known(image.getexif().get(TAG))


def _known(said: object) -> int:
    return said if isinstance(said, int) and said in _FLIPS else UPRIGHT


def _xmp(image: Image.Image) -> bytes:
    for name in ("XML:com.adobe.xmp", "xmp"):
        packet = image.info.get(name)
        if packet:
            text = packet.encode("utf-8", "replace") if isinstance(packet, str) else bytes(packet)
            return text.replace(b"\0", b"") if text.startswith(_WIDE) else text
    return b""


def of_matrix(matrix: Sequence[int], *, name: str) -> int:
    """Return the orientation of a display matrix of nine numbers.

    Raises
    ------
    InvalidMediaError
        The matrix turns the picture by other angles than multiples of 90 degrees.
    """
    a, b, c, d = (matrix[at] for at in (0, 1, 3, 4))
    scale = max(abs(number) for number in (a, b, c, d))
    if not scale:
        return UPRIGHT
    if max(abs(b), abs(c)) <= _NEAR * scale:
        b = c = 0
    elif max(abs(a), abs(d)) <= _NEAR * scale:
        a = d = 0
    orientation = _OF_MATRIX.get(tuple((number > 0) - (number < 0) for number in (a, b, c, d)))  # type: ignore[arg-type]
    if orientation is None:
        angle = math.degrees(math.atan2(b, a))
        raise InvalidMediaError(
            f"{name} is rotated by {angle:.0f} degrees. Touchstone supports only quarter turns and "
            "mirroring. Encode the file upright (ffmpeg -i OLD NEW.mp4)."
        )
    return orientation


def on_its_side(orientation: int) -> bool:
    """Return whether width and height are exchanged when the picture is shown."""
    return orientation >= 5


def upright(picture: Image.Image, orientation: int) -> Image.Image:
    """Return the picture in its displayed orientation."""
    flip = _FLIPS.get(orientation)
    return picture if flip is None else picture.transpose(flip)
