"""Frames of a video: their times and pictures, and the frame on screen at a time, with as little decoding as possible.

"The frame at t" is the last frame whose time is not after t. Times are exact fractions of the container's own clock,
from the beginning of the video as players count. All packets are read first, which gives the time of each frame without
decoding. Then each group of pictures with requested frames is decoded once, from its keyframe to the last requested
frame. Frames after damage within their group are never returned.

Needs the extra ``video`` (PyAV), which is imported when a function of this module is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from domain.errors import InvalidMediaError
from media import clips, timeline
from media.limits import LIMITS, Limits

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream
    from numpy.typing import NDArray

SAME_MOMENT = Fraction(1, 1_000_000_000)
"""A time this little before a frame's time counts as that frame's time, because floats are not exact."""
SCENE = 0.3
"""Share of a picture that must change for a new scene, by FFmpeg's measure (0 to 1)."""

_SEEK_FROM = 12
"""Number of packets between two requested groups that are decoded instead of skipped by a seek.

A seek empties the decoder.
"""
_SKIPS = frozenset({"h264", "hevc"})
"""Codecs whose decoders can skip a frame that no other frame needs."""


@dataclass(frozen=True)
class DecodedFrame:
    """One requested frame."""

    index: int
    """Its number in display order, from 0."""
    time: Fraction
    """The exact time when it comes on screen, in seconds from the beginning."""
    picture: Image.Image | None
    """The picture, upright, in RGB. None if the frame cannot be decoded."""


class Film:
    """An open video, with the times of all its frames. ``opened`` creates it."""

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        name: str,
        limits: Limits,
        turned: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._turned = turned
        self._container, self._stream, self._name, self._limits = container, stream, name, limits
        self.codec = str(stream.codec_context.codec.canonical_name)
        clips.must_fit(stream, name=name, limits=limits)
        self._times = timeline.read_timeline(container, stream, name=name)
        self.broken = self._times.broken
        """Why frames are missing at its end, as a clause; None: nothing is known to be."""
        self._base, self._origin, self._end = self._times.base, self._times.origin, self._times.end
        self._pts, self._flags = self._times.pts, self._times.flags
        self._place, self._shown = self._times.place, self._times.shown
        if not len(self._shown):
            raise InvalidMediaError(f"Touchstone cannot read any frame of {name}. Copy or download the file again.")

    def __len__(self) -> int:
        return len(self._shown)

    def time(self, index: int) -> Fraction:
        """Return the time when a frame comes on screen."""
        return self._times.time(index)

    @property
    def by_packets(self) -> bool:
        """Tell whether the packets have the time of each frame; otherwise all frames are decoded."""
        return self._times.by_packets

    @property
    def end(self) -> Fraction:
        """Return the time when the last frame leaves the screen, as far as it is known."""
        return self._end

    @property
    def steady(self) -> bool:
        """Tell whether all frames have the same distance in time, within one tick of the clock."""
        gaps = np.diff(self._shown)
        return not len(gaps) or int(gaps.max() - gaps.min()) <= 1

    # ---- which frames --------------------------------------------------------------------------------------------

    def at(self, time: Fraction) -> int:
        """Return the number of the frame on screen at ``time``.

        Raises
        ------
        InvalidMediaError
            The video does not reach that far.
        """
        if time < 0 or time > self._end + clips.PAST_THE_END:
            off = f" ({self.broken})" if self.broken else ""
            raise InvalidMediaError(
                f"{self._name} has frames from 0 to {float(self._end):.3f} s{off}, but no frame at {float(time):.3f} "
                "s. Check that you chose the right video and that times are in seconds."
            )
        ticks = (time + self._origin + SAME_MOMENT) / self._base
        index = int(np.searchsorted(self._shown, ticks.numerator // ticks.denominator, side="right")) - 1
        if index < 0:
            raise InvalidMediaError(
                f"The first frame of {self._name} is at {float(self.time(0)):.3f} s, so there is no frame at "
                f"{float(time):.3f} s. Choose a later time."
            )
        return index

    def every(self, n: int) -> list[int]:
        """Return the frame numbers 0, n, 2n, ..."""
        return list(range(0, len(self), n))

    def each_seconds(self, seconds: Fraction) -> list[int]:
        """Return the frames on screen at 0, ``seconds``, twice ``seconds``, ..., without duplicates."""
        step, origin = seconds / self._base, self._origin / self._base
        indices = []
        stop = (self._end + self._origin) / self._base
        for index in range(len(self)):
            begins = self._shown[index].item() - origin
            ends = (self._shown[index + 1].item() if index + 1 < len(self) else stop) - origin
            first = -(-begins // step) * step  # the first of these times at or after its beginning
            if first < ends:
                indices.append(index)
        return indices

    def scenes(self, change: float = SCENE) -> list[int]:
        """Return the first frame, and each frame that starts a new scene by FFmpeg's measure.

        All frames are decoded.
        """
        starts = {0}
        index_of = {}
        graph: Any = None
        sink: Any = None
        shape: tuple[int, int, str] | None = None
        for number, frame in enumerate(self._all_frames()):
            if graph is None or (frame.width, frame.height, frame.format.name) != shape:
                graph, sink = self._scene_graph(frame, change)
                shape = (frame.width, frame.height, frame.format.name)
            index = self._index_of(number, frame)
            index_of[frame.pts] = index
            graph.push(frame)
            for passed in _pulled(sink):
                if (of := index_of.get(passed.pts)) is not None:
                    starts.add(of)
            index_of = {frame.pts: index}
        return sorted(starts)

    # ---- their pictures -------------------------------------------------------------------------------------------

    def read(self, wanted: Sequence[int]) -> Iterator[DecodedFrame]:
        """Yield the frames with these numbers, each once.

        They are almost in order: a frame across two groups may come later.
        """
        numbers = sorted(set(wanted))
        if self.by_packets:
            yield from self._by_groups(numbers)
        else:
            yield from self._by_counting(numbers)

    def _by_counting(self, numbers: Sequence[int]) -> Iterator[DecodedFrame]:
        left = iter(numbers)
        next_one = next(left, None)
        for number, frame in enumerate(self._all_frames()):
            if next_one is None:
                return
            if number == next_one:
                yield DecodedFrame(number, self.time(number), self._picture(frame))
                next_one = next(left, None)
        while next_one is not None:
            yield DecodedFrame(next_one, self.time(next_one), None)
            next_one = next(left, None)

    def _by_groups(self, numbers: Sequence[int]) -> Iterator[DecodedFrame]:
        for run in self._runs(numbers):
            missing = dict(run.wanted)
            for frame in self._decoded(run.key, run.last, run.wanted):
                if frame.pts is not None and (index := missing.pop(frame.pts, None)) is not None:
                    yield DecodedFrame(index, self.time(index), self._picture(frame))
            for pts, index in missing.items():
                late = self._alone(pts)
                yield DecodedFrame(index, self.time(index), self._picture(late) if late is not None else None)

    def _runs(self, numbers: Sequence[int]) -> Iterator[_Run]:
        """Yield the runs of packets to decode at once, from a keyframe to the last requested frame, in packet order."""
        keys = np.flatnonzero(self._flags & timeline.KEY)
        places = np.sort(self._place[np.asarray(numbers, dtype=np.int64)])
        run: _Run | None = None
        for place in places:
            pts = int(self._pts[place])
            key = self._key_before(keys, int(place), pts)
            if run is None or key > run.last + _SEEK_FROM:
                if run is not None:
                    yield run
                run = _Run(key, int(place), {})
            elif key < run.key:  # a frame shown before its group's keyframe, which the run lacks
                yield run
                run = _Run(key, int(place), {})
            run.last = int(place)
            run.wanted[pts] = int(np.searchsorted(self._shown, pts))
        if run is not None:
            yield run

    def _key_before(self, keys: NDArray[np.int64], place: int, pts: int) -> int:
        """Return the position of the last keyframe from which the packet at ``place`` can be decoded."""
        at = int(np.searchsorted(keys, place, side="right")) - 1
        while at >= 0 and self._pts[keys[at]] > pts:
            at -= 1
        return int(keys[at]) if at >= 0 else 0

    def _alone(self, pts: int) -> VideoFrame | None:
        """Return a frame that its own group did not give, because some keyframes need earlier groups.

        None: it is damaged.
        """
        place = int(np.flatnonzero(self._pts == pts)[0])
        if self._flags[place] & timeline.BAD:
            return None
        keys = np.flatnonzero(self._flags & timeline.KEY)
        at = int(np.searchsorted(keys, place, side="right")) - 1
        back = 1
        while at >= 0:
            at = max(at - back, 0)
            for frame in self._decoded(int(keys[at]), place, {pts: 0}):
                if frame.pts == pts:
                    return frame
            if at == 0:
                break
            back *= 4
        return None

    def _decoded(self, key: int, last: int, wanted: dict[int, int]) -> Iterator[VideoFrame]:
        """Yield frames from the packets ``key`` to ``last``, but none after damage in its group of pictures."""
        context = self._stream.codec_context
        skips = self.codec in _SKIPS
        sound = True
        for packet in (*self._packets_from(key, last), None):
            if packet is not None and packet.is_keyframe and packet.pts is not None:
                if not sound:  # a new group, after the damage
                    context.flush_buffers()
                sound = True
            if not sound:
                continue
            if packet is not None and packet.is_corrupt:
                sound = False
                packet = None
            if skips:
                needed = packet is None or packet.pts in wanted
                context.skip_frame = "DEFAULT" if needed else "NONREF"
            try:
                frames = context.decode(packet)
            except self._error():
                sound = False
                continue
            for frame in frames:
                if frame.is_corrupt:
                    sound = False
                    break
                yield frame

    def _packets_from(self, key: int, last: int) -> Iterator[Packet[VideoStream]]:
        """Yield the packets from position ``key`` to ``last``.

        Earlier packets, after a seek that led too early, are skipped.
        """
        begin, end = int(self._pts[key]), int(self._pts[last])
        if not self._flags[key] & timeline.KEY:  # an edit list hides the keyframe that the first frames need
            timeline.rewind(self._container, self._stream)
            for packet in timeline.sound_packets(self._container, self._stream):
                yield packet
                if packet.pts == end:
                    return
            return
        back = Fraction(0)
        while True:
            to = max(begin - int(back / self._base), 0) if back else begin
            self._container.seek(to, stream=self._stream, backward=True)
            there = False
            for packet in timeline.sound_packets(self._container, self._stream):
                there = there or (packet.pts == begin)
                if not there:
                    if packet.is_keyframe and packet.pts is not None and packet.pts > begin:
                        break
                    continue
                yield packet
                if packet.pts == end:
                    return
            if there or back > 2 * (self._end + self._origin) + 2:
                return
            back = max(4 * back, Fraction(1))

    # ---- inside ---------------------------------------------------------------------------------------------------

    def _all_frames(self) -> Iterator[VideoFrame]:
        """Yield every frame from the first on, up to the first damaged frame."""
        return timeline.all_frames(self._container, self._stream, self._broke)

    def _broke(self) -> None:
        self.broken = self.broken or "Touchstone cannot decode the rest of the file"

    def _index_of(self, number: int, frame: VideoFrame) -> int:
        if not self.by_packets or frame.pts is None:
            return number
        return int(np.searchsorted(self._shown, frame.pts))

    def _scene_graph(self, frame: VideoFrame, change: float) -> tuple[Any, Any]:
        from av.filter import Graph

        graph = Graph()
        source = graph.add_buffer(
            width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base or self._base
        )
        picked = graph.add("select", f"gt(scene,{change:g})")
        sink = graph.add("buffersink")
        source.link_to(picked)
        picked.link_to(sink)
        graph.configure()
        return graph, sink

    def _picture(self, frame: VideoFrame) -> Image.Image:
        clips.must_fit(self._stream, frame, name=self._name, limits=self._limits)
        return clips.upright(frame, self._stream, name=self._name, turned=self._turned())

    def _error(self) -> type[Exception]:
        from av.error import FFmpegError

        return FFmpegError


@dataclass
class _Run:
    key: int
    last: int
    wanted: dict[int, int]
    """The timestamp of each requested frame, with its number."""


@contextmanager
def opened(video: Path, *, name: str | None = None, limits: Limits = LIMITS) -> Iterator[Film]:
    """Open a video and read the times of all its frames.

    Raises
    ------
    InvalidMediaError
        The video cannot be read, has no frame, or is larger than ``limits`` allow.
    NotAvailableError
        The extra ``video`` is not installed.
    """
    called = name or str(video)
    with clips.opened(video, name=called) as (container, stream):
        yield Film(container, stream, called, limits, partial(clips.orientation_of, video, name=called))


def _pulled(sink: Any) -> Iterator[VideoFrame]:
    from av.error import BlockingIOError as Waits
    from av.error import EOFError as Ended

    while True:
        try:
            yield sink.pull()
        except (Waits, Ended):
            return
