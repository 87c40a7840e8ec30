"""Read from the packets of a video, once, when each frame comes on screen and when the video ends.

Headers decide nothing. If packets do not have the times of frames, all frames are decoded. Times are counted from the
start of the first picture or sound, as players count, because a video need not begin at zero.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from domain.errors import InvalidMediaError

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.stream import Stream
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream
    from numpy.typing import NDArray

BROKEN_FROM = Fraction(1, 2)
"""Seconds between the end of a file and the end in its header from which the file counts as incomplete."""
MOST_FRAMES = 20_000_000
KEY, BAD = 1, 2
"""Flags of a packet: decoding can begin at it, and it is damaged."""
MILLISECOND = Fraction(1, 1000)
_SKIPS_FRAMES = frozenset({"h264", "hevc"})


@dataclass(frozen=True)
class Timeline:
    """The times of a video's frames."""

    base: Fraction
    """Seconds of one tick of the video's clock."""
    origin: Fraction
    """Start of the video on its own clock, in seconds."""
    pts: NDArray[np.int64]
    """Ticks of each packet with a visible frame, in the order of the file."""
    flags: NDArray[np.int8]
    """``KEY`` and ``BAD`` of each of these packets."""
    place: NDArray[np.int64]
    """The packets in the order in which their frames are shown."""
    shown: NDArray[np.int64]
    """Ticks at which each frame comes on screen, rising."""
    end: Fraction
    """Time when the last frame leaves the screen, in seconds from the beginning."""
    duration: Fraction
    """Time when both picture and sound have ended."""
    broken: str | None
    """Reason for missing frames at the end, as a clause; None if no frames are known to be missing."""
    by_packets: bool
    """True if packets have the time of each frame; otherwise all frames were decoded."""

    def __len__(self) -> int:
        return len(self.shown)

    def time(self, index: int) -> Fraction:
        """Return the exact time at which a frame comes on screen, in seconds from the beginning."""
        return int(self.shown[index]) * self.base - self.origin

    @property
    def times(self) -> tuple[float, ...]:
        """Return the time at which each frame comes on screen, to the microsecond."""
        return tuple(round(float(max(self.time(index), Fraction(0))), 6) for index in range(len(self)))

    @property
    def seconds(self) -> float:
        """Return the duration to the microsecond, never before the last frame."""
        last = self.times[-1] if len(self) else 0.0
        return round(max(float(self.duration), last), 6)


def read_timeline(container: InputContainer, stream: VideoStream, *, name: str) -> Timeline:
    """Read when the frames of ``stream`` are shown. ``name`` is the video's name in messages.

    Raises
    ------
    InvalidMediaError
        Neither packets nor frames have the times of frames, or there are too many frames.
    """
    timeline = _of_packets(container, stream, name)
    return timeline if timeline.by_packets else _of_frames(timeline, container, stream, name)


def picture_streams(container: InputContainer) -> list[VideoStream]:
    """Return the streams with moving pictures, without cover images."""
    from av.stream import Disposition

    return [stream for stream in container.streams.video if not stream.disposition & Disposition.attached_pic]


def origin(container: InputContainer) -> Fraction:
    """Return the exact start of the video on its own clock: its first picture or sound."""
    streams: list[Stream] = [*picture_streams(container), *container.streams.audio]
    begins = [
        stream.start_time * stream.time_base for stream in streams if stream.start_time is not None and stream.time_base
    ]
    return max(min(begins, default=Fraction(0)), Fraction(0))


def rewind(container: InputContainer, stream: VideoStream) -> None:
    """Seek to the first packet of the file, or to the first picture if pictures begin after the sound.

    The index of such a Matroska file has no entry for the beginning.
    """
    try:
        container.seek(0)
    except _error():
        container.seek(stream.start_time or 0, stream=stream)


def hidden_in_vp8(packet: Packet[Any]) -> bool:
    """Tell whether a packet of VP8 holds an invisible frame, by its first byte (RFC 6386, 9.1)."""
    return not bytes(memoryview(packet)[:1])[0] & 0x10


def all_frames(container: InputContainer, stream: VideoStream, broke: Callable[[], None]) -> Iterator[VideoFrame]:
    """Yield every frame from the first on, up to the first damaged frame. Then call ``broke``."""
    error = _error()
    rewind(container, stream)
    context = stream.codec_context
    if context.codec.canonical_name in _SKIPS_FRAMES:
        context.skip_frame = "DEFAULT"
    packets = sound_packets(container, stream)
    while True:
        packet = next(packets, None)
        cut = packet is not None and packet.is_corrupt
        try:
            frames = context.decode(None if cut else packet)
        except error:
            broke()
            return
        for frame in frames:
            if frame.is_corrupt:
                broke()
                return
            yield frame
        if packet is None or cut:
            return


def sound_packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """Yield the packets of a stream from the container's current position, up to the first unreadable one."""
    try:
        for packet in container.demux(stream):
            if packet.size:
                yield packet
    except _error():
        return


# ---- inside ---------------------------------------------------------------------------------------------------------


def _of_packets(container: InputContainer, stream: VideoStream, name: str) -> Timeline:
    pts, flags = array("q"), array("b")
    is_vp8 = stream.codec_context.codec.canonical_name == "vp8"
    base, begin = stream.time_base or MILLISECOND, origin(container)
    broken: str | None = None
    by_packets, reordered = True, False
    last_seen = last_shown = of_last = 0
    end_of_all = end_of_sound = Fraction(0)
    rewind(container, stream)
    try:
        for packet in container.demux():
            if not packet.size or packet.is_discard:
                continue
            lasts = packet.duration or 0
            if packet.pts is not None and packet.time_base:
                until = (packet.pts + lasts) * packet.time_base
                end_of_all = max(end_of_all, until)
                if packet.stream.type == "audio":
                    end_of_sound = max(end_of_sound, until)
            if packet.stream_index != stream.index or (is_vp8 and hidden_in_vp8(packet)):
                continue
            if packet.pts is None:
                by_packets = False
                break
            if pts and packet.pts < last_shown:
                reordered = True
            last_seen = lasts
            if not pts or packet.pts > last_shown:
                last_shown, of_last = packet.pts, lasts
            pts.append(packet.pts)
            flags.append((KEY if packet.is_keyframe else 0) | (BAD if packet.is_corrupt else 0))
            if len(pts) > MOST_FRAMES:
                raise InvalidMediaError(f"{name} has more than {MOST_FRAMES:,} frames. Cut the video into pieces.")
    except _error():
        broken = "Touchstone cannot read the rest of the file"
    if len(flags) and flags[-1] & BAD and not any(flag & BAD for flag in flags[:-1]):
        broken = broken or "the last frame is incomplete"  # a cut packet at the end of the file holds no frame
        pts.pop()
        flags.pop()
    ticks = np.frombuffer(pts, dtype=np.int64)
    place = np.argsort(ticks, kind="stable")
    shown = ticks[place]
    by_packets = by_packets and not (len(shown) and (np.diff(shown) == 0).any())
    # If frames are stored in another order, durations follow that order, so the last duration gives the end.
    lasts = (last_seen if reordered else of_last) if len(shown) else 0
    timeline = Timeline(
        base, begin, ticks, np.frombuffer(flags, dtype=np.int8), place, shown, Fraction(0), Fraction(0), broken,
        by_packets,
    )  # fmt: skip
    end = _after_last(timeline) if broken else _last(timeline) + lasts * base
    fraction = Fraction(container.duration or 0, 1_000_000)
    if by_packets and fraction > end_of_all + BROKEN_FROM:  # on the clock of the file, which need not begin at zero
        broken = broken or f"the header gives a duration of {float(fraction):.2f} s"
    return replace(timeline, end=end, duration=max(end, end_of_sound - begin), broken=broken)


def _last(timeline: Timeline) -> Fraction:
    return timeline.time(len(timeline) - 1) if len(timeline) else Fraction(0)


def _after_last(timeline: Timeline) -> Fraction:
    """Return an estimated end: as long after the last frame as that frame came after the one before it."""
    n = len(timeline)
    return _last(timeline) + (_last(timeline) - timeline.time(n - 2) if n > 1 else 0)


def _of_frames(found: Timeline, container: InputContainer, stream: VideoStream, name: str) -> Timeline:
    """Return the times by decoding all frames up to the first damaged one, for packets without times."""
    shown = array("q")
    broken = [found.broken] if found.broken else []
    for frame in all_frames(container, stream, lambda: broken.append("Touchstone cannot decode the rest of the file")):
        if frame.pts is None or (shown and frame.pts <= shown[-1]):
            raise InvalidMediaError(
                f"The frames of {name} have no timestamps. Encode the video again as MP4 or Matroska."
            )
        shown.append(frame.pts)
        if len(shown) > MOST_FRAMES:
            raise InvalidMediaError(f"{name} has more than {MOST_FRAMES:,} frames. Cut the video into pieces.")
    counted = replace(found, shown=np.frombuffer(shown, dtype=np.int64), broken=broken[0] if broken else None)
    end = _after_last(counted)
    return replace(counted, end=end, duration=max(end, found.duration))


def _error() -> Any:
    from av.error import FFmpegError

    return FFmpegError
