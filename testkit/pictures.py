"""Images and clips for the tests of the media room, made from nothing."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def photo(width: int = 640, height: int = 480, seed: int = 0) -> Image.Image:
    """Smooth colours with some edges in them, different for every seed."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(0, 256, (6, 8, 3), dtype=np.uint8))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def moving_view(n_frames: int, size: tuple[int, int] = (640, 480)) -> list[Image.Image]:
    """Return frames of a view that wanders over a picture of the demo, so that no two of them are alike."""
    from examples import scenes

    picture = scenes.scenes()[0].picture().convert("RGB")
    return [
        picture.crop((9 * k, 7 * k, 9 * k + 800, 7 * k + 600)).resize(size, Image.Resampling.BICUBIC)
        for k in range(n_frames)
    ]


def encoded(image: Image.Image, format: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def quarters(width: int = 80, height: int = 60) -> Image.Image:
    """Red at the upper left, green upper right, blue lower left, white lower right."""
    image = Image.new("RGB", (width, height), "white")
    image.paste((220, 30, 30), (0, 0, width // 2, height // 2))
    image.paste((30, 160, 30), (width // 2, 0, width, height // 2))
    image.paste((30, 30, 220), (0, height // 2, width // 2, height))
    return image


def png_that_claims(width: int, height: int, *, rows: int = 1) -> bytes:
    """A PNG whose header promises so many pixels; a few kilobytes of zeros stand for its rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    row = b"\0" * (width + 1)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(row * rows, 9))
        + chunk(b"IEND", b"")
    )


def png_with_a_text_bomb() -> bytes:
    """A small PNG with a compressed comment that unpacks to 200 MiB."""
    good = encoded(Image.new("RGB", (8, 8), "red"))
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"a" * 1024 * 1024) for _ in range(200)) + packer.flush()
    data = b"Comment\0\0" + packed
    text = struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    after_header = 8 + 25
    return good[:after_header] + text + good[after_header:]


# ---- clips whose every frame says which one it is ------------------------------------------------------------------

BITS, SQUARE = 10, 16


@cache
def _backdrop(size: tuple[int, int]) -> Image.Image:
    return photo(*size, seed=1)


def numbered(number: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """A frame with its number written as black and white squares along the upper edge."""
    image = _backdrop(size).copy()
    for bit in range(BITS):
        colour = (255, 255, 255) if number >> bit & 1 else (0, 0, 0)
        image.paste(colour, (bit * SQUARE, 0, (bit + 1) * SQUARE, SQUARE))
    return image


def number_of(frame: Image.Image) -> int:
    """Which frame this was."""
    grey = frame.convert("L")
    return sum(1 << bit for bit in range(BITS) if grey.getpixel((bit * SQUARE + SQUARE // 2, SQUARE // 2)) > 127)


_videos: dict[object, bytes] = {}
"""What has been encoded: many tests ask for the same video."""


def video(path: Path, times: Sequence[float], *, codec: str = "libvpx", keyframes: int = 30, rate: Any = 30) -> Path:
    """A video whose n-th frame carries the number n and the n-th of these timestamps."""
    import av

    asked = path.suffix, tuple(times), codec, keyframes, rate
    if asked in _videos:
        path.write_bytes(_videos[asked])
        return path
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        stream.bit_rate = 2_000_000
        stream.options = {"g": str(keyframes), "threads": "1"}
        if codec == "libvpx":
            stream.options |= {"deadline": "realtime", "cpu-used": "8"}
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_image(numbered(number))
            frame.pts, frame.time_base = round(time * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    _videos[asked] = path.read_bytes()
    return path


def frames(path: Path) -> Iterator[tuple[float, int]]:
    """(timestamp, number) of every frame of a file."""
    import av

    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            yield float(frame.time or 0), number_of(frame.to_image())
