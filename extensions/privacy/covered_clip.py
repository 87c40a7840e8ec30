"""Paint over rectangles of a clip, for the times at which they are there and along their movement.

Each frame is painted before it is encoded, as ``covered_image`` paints a picture. So no pixel inside a rectangle
reaches the result. Between two positions of a box, everything on the way is covered. A box is covered for a little
longer than its span, and it keeps moving where no position is known. At the end, every frame of the result is compared
with its original.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from domain.errors import InvalidMediaError
from extensions.privacy import covered_image
from extensions.privacy.boxes import Box
from media import clips, frames, timeline
from media.limits import LIMITS, Limits

if TYPE_CHECKING:
    from av.container import InputContainer

VERSION = 1
"""Increased whenever the same boxes give other bytes."""
PAD = 0.2
"""Seconds by which a box is covered before it begins and after it ends."""
REACH = 1.0
"""The longest time in seconds around a moment from which positions of a box count; at most the gap between two."""

_MS = Fraction(1, 1000)
_BITS = 0.2
"""The highest bit rate, in bits per pixel at thirty frames a second."""
_LEAST_BITS = 2_500_000
_NEAR = 12.0
"""The allowed difference, of 255, between the mean of a covered area and its color after encoding."""
_FAR = 64
"""The allowed difference of one pixel that is ``_RIM`` pixels inside the area. The codec mixes pixels at the edge."""
_RIM = 16
_AGAIN = "Convert the clip (ffmpeg -i OLD -c:v libvpx NEW.webm). Then import its items with the new file."


def place(box: Box, time: float) -> dict[str, float] | None:
    """Return the part of the picture to cover for a box at a moment, without its margin; None for no part."""
    assert box.begin is not None
    assert box.end is not None
    if not box.begin - PAD <= time <= box.end + PAD:
        return None
    gaps = [other[0] - one[0] for one, other in zip(box.path, box.path[1:], strict=False)]
    reach = min(max(gaps, default=0.0), REACH)
    inner = [at[0] for at in box.path if time - reach < at[0] < time + reach]
    places = [box.at(moment) for moment in (time - reach, *inner, time + reach)] + _moved_on(box, time, reach)
    left, top = max(min(at[0] for at in places), 0.0), max(min(at[1] for at in places), 0.0)
    right, bottom = min(max(at[0] + at[2] for at in places), 1.0), min(max(at[1] + at[3] for at in places), 1.0)
    return {"x": left, "y": top, "w": max(right - left, 0.0), "h": max(bottom - top, 0.0)}


def _moved_on(box: Box, time: float, reach: float) -> list[tuple[float, float, float, float]]:
    """Return where the box would be before its first or after its last position, if it kept its movement."""
    if len(box.path) < 2:
        return []
    for edge, next_ in ((box.path[0], box.path[1]), (box.path[-1], box.path[-2])):
        outside = edge[0] - time if next_[0] > edge[0] else time - edge[0]
        if outside > 0:
            share = min(outside, reach) / abs(next_[0] - edge[0])
            x, y = (edge[at] + share * (edge[at] - next_[at]) for at in (1, 2))
            return [(x, y, edge[3], edge[4])]
    return []


def areas(size: tuple[int, int], boxes: Sequence[Box], time: float, *, margin: float) -> list[covered_image.Edges]:
    """Return the pixels to paint in the frame that is shown at ``time``."""
    places = [at for box in boxes if (at := place(box, time)) is not None]
    edges = [covered_image.edges(size, at, margin=margin) for at in places]
    return [edge for edge in edges if edge[0] < edge[2] and edge[1] < edge[3]]


def write(
    original: Path, boxes: Sequence[Box], *, margin: float, out: Path, name: str, limits: Limits = LIMITS
) -> None:
    """Write the upright clip with these boxes painted over, as WebM (VP8).

    The result has the same frames at the same times and the same sound, and no metadata. The same clip and boxes give
    the same bytes.

    Raises
    ------
    InvalidMediaError
        The clip cannot be read to its end, or the result is not covered as required. No file is left then.
    """
    timing = clips.timing(original, name=name)
    with frames.opened(original, name=name, limits=limits) as film:
        if film.broken:
            raise InvalidMediaError(f"{name} breaks off: {film.broken}. {_AGAIN}")
    try:
        n = _encode(original, boxes, margin, out, name, limits, timing)
        if n != len(timing.times):
            raise InvalidMediaError(
                f"{name} has {len(timing.times):,} frames, but Touchstone can decode only {n:,}. {_AGAIN}"
            )
        _verify(original, boxes, margin, out, name)
    except BaseException:
        out.unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class _ClipFrame:
    """An upright RGB frame."""

    ms: int
    picture: Image.Image

    @property
    def time(self) -> float:
        return self.ms / 1000


@contextmanager
def _frames(path: Path, name: str) -> Iterator[tuple[InputContainer, Iterator[_ClipFrame]]]:
    with clips.opened(path, name=name) as (container, stream):
        origin = timeline.origin(container)

        def shown() -> Iterator[_ClipFrame]:
            for frame in container.decode(stream):
                if frame.is_corrupt or frame.pts is None:
                    raise InvalidMediaError(f"{name} is damaged, so Touchstone cannot cover the whole clip. {_AGAIN}")
                at = frame.pts * (frame.time_base or _MS) - origin
                yield _ClipFrame(max(round(at / _MS), 0), clips.upright(frame, stream, name=name))

        yield container, shown()


def _encode(
    original: Path,
    boxes: Sequence[Box],
    margin: float,
    out: Path,
    name: str,
    limits: Limits,
    timing: clips.Timing,
) -> int:
    """Write the clip and return its number of frames."""
    import av

    end = max(round(timing.duration * 1000), 0)
    with (
        _frames(original, name) as (_, shown),
        _sound(original, name) as heard,
        av.open(str(out), "w", format="webm", options={"fflags": "+bitexact"}) as target,
    ):
        stream: Any = None
        sound = heard.into(target)
        lasts: dict[int, int] = {}
        was_covered = False
        n = 0

        def mux(packets: Sequence[Any]) -> None:
            for packet in packets:
                packet.duration = lasts.pop(packet.pts, 0)
                sound.until(packet.pts)
                target.mux(packet)

        for frame, after in _pairs(shown):
            if stream is None:
                stream = _stream(target, frame.picture, limits, timing.duration)
                sound.begin()
            if frame.picture.size != (stream.width, stream.height):
                raise InvalidMediaError(
                    f"The frame size of {name} changes during the clip, so Touchstone cannot cover the clip. {_AGAIN}"
                )
            here = areas(frame.picture.size, boxes, frame.time, margin=margin)
            made = covered_image.covered(frame.picture, here) if here else frame.picture
            encoded: Any = av.VideoFrame.from_image(made)  # type: ignore[no-untyped-call]
            encoded.pts, encoded.time_base = frame.ms, _MS
            if here and not was_covered:  # nothing of what was shown before is taken over
                encoded.pict_type = av.video.frame.PictureType.I
            was_covered = bool(here)
            lasts[frame.ms] = max((after.ms if after is not None else end) - frame.ms, 0)
            mux(stream.encode(encoded))
            n += 1
        if stream is None:
            raise InvalidMediaError(f"Touchstone cannot decode any frame of {name}. {_AGAIN}")
        mux(stream.encode())
        sound.until(None)
    return n


def _pairs(shown: Iterator[_ClipFrame]) -> Iterator[tuple[_ClipFrame, _ClipFrame | None]]:
    """Yield each frame with the next one."""
    before: _ClipFrame | None = None
    for frame in shown:
        if before is not None:
            yield before, frame
        before = frame
    if before is not None:
        yield before, None


def _stream(target: Any, picture: Image.Image, limits: Limits, seconds: float) -> Any:
    stream = target.add_stream("libvpx", rate=30)
    stream.width, stream.height, stream.pix_fmt = picture.width, picture.height, "yuv420p"
    stream.codec_context.time_base = _MS
    most = int(limits.clip_bytes * 8 * 0.8 / max(seconds, 1.0))
    stream.bit_rate = min(max(_LEAST_BITS, round(_BITS * 30 * picture.width * picture.height)), most)
    stream.options = {"deadline": "good", "cpu-used": "4", "crf": "8", "threads": "1", "flags": "+bitexact"}
    return stream


class _Sound:
    """Copies the sound of a clip packet by packet, in step with the frames."""

    def __init__(self, container: InputContainer) -> None:
        self._streams = [stream for stream in container.streams if stream.type == "audio"]
        self._origin = timeline.origin(container)
        self._packets = container.demux(self._streams) if self._streams else iter(())
        self._next: Any = None
        self._target: Any = None
        self._to: dict[int, Any] = {}

    def into(self, target: Any) -> _Sound:
        """Set the file to write into."""
        self._target = target
        return self

    def begin(self) -> None:
        """Add the sound's streams after the video."""
        self._to = {stream.index: self._target.add_stream_from_template(stream) for stream in self._streams}
        for stream in self._to.values():
            stream.metadata.clear()
        self._next = next(self._packets, None)

    def until(self, ms: int | None) -> None:
        """Write the sound up to a moment in milliseconds, or all of the rest."""
        while self._next is not None:
            packet = self._next
            if packet.dts is not None:
                base = packet.time_base
                if ms is not None and packet.dts * base - self._origin > ms * _MS:
                    return
                back = round(self._origin / base)
                packet.pts, packet.dts = packet.pts - back, packet.dts - back
                packet.stream = self._to[packet.stream.index]
                self._target.mux(packet)
            self._next = next(self._packets, None)


@contextmanager
def _sound(original: Path, name: str) -> Iterator[_Sound]:
    with clips.opened(original, name=name) as (container, _):
        yield _Sound(container)


# ---- looking through what was written -------------------------------------------------------------------------------


def _verify(original: Path, boxes: Sequence[Box], margin: float, made: Path, name: str) -> None:
    """Raise ``InvalidMediaError`` unless every area of every frame has the color of its surroundings."""
    with _frames(original, name) as (_, before), _frames(made, name) as (_, after):
        for was, now in zip_longest(before, after):
            if was is None or now is None or was.ms != now.ms or was.picture.size != now.picture.size:
                raise InvalidMediaError(
                    f"The original and the covered copy of {name} have different frames. Nothing was changed. {_AGAIN}"
                )
            here = areas(was.picture.size, boxes, was.time, margin=margin)
            if here and not _filled(was.picture, now.picture, here):
                raise InvalidMediaError(
                    f"The copy of {name} has an uncovered box at {was.time:.2f} s. Nothing was changed. {_AGAIN}"
                )


def _filled(was: Image.Image, now: Image.Image, here: Sequence[covered_image.Edges]) -> bool:
    import cv2  # not in a process that only serves pages

    off = cv2.absdiff(np.asarray(now), np.asarray(covered_image.covered(was, here)))
    for left, top, right, bottom in here:
        if off[top:bottom, left:right].mean() > _NEAR:
            return False
        inner = off[top + _RIM : bottom - _RIM, left + _RIM : right - _RIM]
        if inner.size and inner.max() > _FAR:
            return False
    return True
