"""Open untrusted images, and make the copies that a page shows.

Every rater sees the copies, so they are the same for all. They are upright as the camera noted, in sRGB, and white
where the original is transparent. An animation gives its first picture. All other content of the file is removed, such
as place, camera and comments.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

from domain.errors import InvalidMediaError
from media import orientation
from media.facts import MediaFacts
from media.limits import Limits
from media.sharpness import sharpness

DISPLAY_SIDE = 1600
THUMB_SIDE = 320

_DECODERS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/gif": "GIF",
    "image/avif": "AVIF",
    "image/bmp": "BMP",
}
"""Pillow's decoder for each type. A file is opened only by the decoder for its first bytes."""
COPIES = {".jpg": "image/jpeg", ".webp": "image/webp"}
"""Suffixes of the copies, with their types."""
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, OverflowError, IndexError, KeyError, RuntimeError)
"""Errors that Pillow's decoders raise on truncated or damaged files."""


@dataclass(frozen=True)
class ImageCopies:
    """The copies of one image, with its facts and measures."""

    ending: str
    """The suffix of the copies, which gives their type: a key of ``COPIES``."""
    display: bytes
    thumb: bytes
    facts: MediaFacts
    """The facts of the original."""
    sharpness: float


def derive(path: Path, *, mime: str, name: str, limits: Limits) -> ImageCopies:
    """Decode the image at ``path`` once and make its copies. ``name`` is its name in messages."""
    with _decoded(path, mime=mime, name=name, limits=limits) as (image, (width, height)):
        turned = orientation.of_image(image)
        if orientation.on_its_side(turned):
            width, height = height, width
        # The image is reduced before it is flattened, because a full conversion of a huge image needs several copies of
        # it.
        image = orientation.upright(image, turned)
        shown = flat(_within(_eight_bits(image), DISPLAY_SIDE))
    shown.info = {}
    return of_picture(shown, MediaFacts(width, height, turned), photograph=mime == "image/jpeg")


def of_picture(picture: Image.Image, facts: MediaFacts, *, photograph: bool = False) -> ImageCopies:
    """Make the copies of a picture in memory (RGB, upright).

    A photograph stays JPEG, which takes an eighteenth of the time of WebP. Drawings, charts and screenshots become
    WebP: as JPEG they need three times the space, and their edges blur.
    """
    shown = _within(picture, DISPLAY_SIDE)
    small = _within(shown, THUMB_SIDE, gap=2.0)  # takes two fifths of the time, and a thumbnail hides the difference
    written = _jpeg if photograph else _webp
    return ImageCopies(
        ending=".jpg" if photograph else ".webp",
        display=written(shown, quality=84),
        thumb=written(small, quality=78),
        facts=facts,
        sharpness=sharpness(shown),
    )


def can_be_read(path: Path) -> bool:
    """Tell whether a copy with a suffix of ``COPIES`` can be decoded to its end."""
    try:
        with Image.open(path, formats=[_DECODERS[COPIES[path.suffix]]]) as image:
            image.load()
    except _BROKEN:
        return False
    return True


def upright(path: Path, *, mime: str, turned: int, name: str, limits: Limits) -> Image.Image:
    """Return all pixels of the image at ``path``, upright, in RGB. ``turned`` is its known orientation."""
    with _decoded(path, mime=mime, name=name, limits=limits, whole=True) as (image, _):
        return flat(_eight_bits(orientation.upright(image, turned)))


def orientation_before(path: Path, *, mime: str, name: str, limits: Limits) -> int:
    """Return the orientation that earlier versions used for a file that they stored without noting it."""
    with _decoded(path, mime=mime, name=name, limits=limits) as (image, _):
        return orientation.of_stored_image(image)


def as_shown(path: Path, *, mime: str, turned: int, name: str, limits: Limits) -> bool:
    """Tell whether the file already equals the output of ``upright``, without other content (place, camera)."""
    if mime not in ("image/png", "image/jpeg") or turned != orientation.UPRIGHT:
        return False
    with _translated(name, limits), Image.open(path, formats=[_DECODERS[mime]]) as image:
        carries = {"exif", "icc_profile", "transparency", "xmp", "comment"} & set(image.info)
        return image.mode == "RGB" and not carries and not image.getexif() and getattr(image, "n_frames", 1) == 1


@contextmanager
def _decoded(
    path: Path, *, mime: str, name: str, limits: Limits, whole: bool = False
) -> Iterator[tuple[Image.Image, tuple[int, int]]]:
    """Yield the image with its pixels (the first picture of an animation), and its stored size.

    Unless ``whole``, a large image is decoded at a smaller size that is enough for pages.
    """
    with _translated(name, limits):
        image = Image.open(path, formats=[_DECODERS[mime]])
    with image:
        size = image.size
        _check_size(image, name=name, limits=limits)
        with _translated(name, limits):
            if not whole:
                image.draft("RGB", (DISPLAY_SIDE, DISPLAY_SIDE))  # JPEG only: decodes at a half, a quarter or an eighth
            image.load()
            image.getexif()  # this call raises for a broken tag
        yield image, size


@contextmanager
def _translated(name: str, limits: Limits) -> Iterator[None]:
    """Turn Pillow's errors about damaged and oversized files into sentences."""
    try:
        yield
    except Image.DecompressionBombError as bomb:
        raise InvalidMediaError(_too_many_pixels(name, "more than 170 million", limits)) from bomb
    except MemoryError as error:
        raise InvalidMediaError(
            f"{name} needs more memory than the server has free. Scale the image down before you add the image."
        ) from error
    except _BROKEN as broken:
        raise InvalidMediaError(
            f"Touchstone cannot read all of {name}. The file is damaged or incomplete. Copy or download the file again."
        ) from broken


def _check_size(image: Image.Image, *, name: str, limits: Limits) -> None:
    width, height = image.size
    if width * height > limits.image_pixels:
        raise InvalidMediaError(_too_many_pixels(name, f"{width} x {height} = {width * height:,}", limits))
    if max(width, height) > limits.image_side:
        raise InvalidMediaError(
            f"{name} is {width} x {height} pixels; the limit is {limits.image_side:,} pixels on the longer side. "
            "Scale the image down, or cut the image into pieces."
        )


def _too_many_pixels(name: str, pixels: str, limits: Limits) -> str:
    return (
        f"{name} has {pixels} pixels; the limit is {limits.image_pixels:,}. Scale the image down, and add the image "
        "again."
    )


def _within(image: Image.Image, side: int, *, gap: float = 3.0) -> Image.Image:
    """Return the image with its longer side at most ``side``. It is never enlarged, and never thinner than one pixel.

    ``gap`` is how many times larger the image still is before the careful resampling. With 3, no difference is visible.
    """
    scale = side / max(image.size)
    if scale >= 1:
        return image
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    if image.mode in ("P", "PA", "1"):
        image = image.convert("RGBA")  # palette numbers cannot be averaged
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=gap)


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return channels of more than eight bits as eight bits.

    Of sixteen bits, keep the upper byte. Scale other values from the darkest to the brightest pixel.
    """
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image, dtype=np.uint16) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        values = np.asarray(image, dtype=np.float64)
        if image.mode == "I" and values.min() >= 0 and 255 < values.max() <= 65535:
            return Image.fromarray((values / 256).astype(np.uint8))
        return Image.fromarray(_stretched(values))
    return image


def _stretched(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    span = high - low or 1.0
    stretched: NDArray[np.uint8] = np.clip(np.nan_to_num((values - low) / span) * 255, 0, 255).astype(np.uint8)
    return stretched


def flat(image: Image.Image) -> Image.Image:
    """Return the image in RGB, with its color profile applied, and white where it is transparent."""
    image = _in_srgb(image)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))


def _in_srgb(image: Image.Image) -> Image.Image:
    """Return the image in sRGB by the file's own profile. A profile that does not fit its image is ignored."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "CMYK", "L"):
        return image
    try:
        converted = ImageCms.profileToProfile(image, io.BytesIO(profile), _SRGB, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError):
        return image
    return converted if converted is not None else image


def _bare(image: Image.Image) -> Image.Image:
    """Return only the pixels, without any metadata of the file."""
    return Image.frombytes("RGB", image.size, image.tobytes()) if image.info else image


def _jpeg(image: Image.Image, *, quality: int) -> bytes:
    out = io.BytesIO()
    _bare(image).save(out, "JPEG", quality=quality)
    return out.getvalue()


def _webp(image: Image.Image, *, quality: int) -> bytes:
    out = io.BytesIO()
    _bare(image).save(out, "WEBP", quality=quality, method=2)
    return out.getvalue()
