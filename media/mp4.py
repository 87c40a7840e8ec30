"""Write clips as MP4, for programs that do not accept WebM: the same frames at the same times.

MP4 allows VP9 and AV1, so their packets are copied unchanged. MP4 does not allow VP8: its frames are encoded again as
VP9, by the same libvpx that makes our clips. Sound in Opus is copied unchanged too. Other sound, such as Vorbis, is
encoded again as Opus.

Needs the extra ``video`` (PyAV), which is imported when a function of this module is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domain.errors import InvalidMediaError
from media import clips, timeline

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer
    from av.video.stream import VideoStream

_TAKEN_OVER = ("vp9", "av1")
_OPTIONS = {"deadline": "realtime", "cpu-used": "6", "crf": "18", "threads": "1", "flags": "+bitexact"}
_BASE = Fraction(1, 1000)
_OPUS_RATE = 48_000


def write(clip: Path, *, out: Path, name: str) -> None:
    """Write the clip at ``clip`` as MP4. The same clip gives the same bytes.

    Raises
    ------
    InvalidMediaError
        The clip cannot be read to its end.
    NotAvailableError
        The extra ``video`` is not installed.
    """
    times = clips.timeline_of(clip, name=name)
    with clips.opened(clip, name=name) as (source, stream):
        codec = stream.codec_context.codec.canonical_name
        import av

        with av.open(str(out), "w", format="mp4", options={"fflags": "+bitexact", "movflags": "+faststart"}) as target:
            made = _Mp4Writer(source, stream, target, times)
            n = made.taken_over() if codec in _TAKEN_OVER else made.encoded(name)
            made.finish_sound()
    if n != len(times):
        raise InvalidMediaError(
            f"{name} has {len(times):,} frames, but Touchstone can decode only {n:,} of these frames. Convert the "
            "clip to a new file."
        )


_SAYS_NOTHING = {"major_brand", "minor_version", "compatible_brands", "handler_name", "language", "vendor_id"}


def metadata_names(path: Path) -> str:
    """Return the names of an MP4's metadata. Empty if it has none. Raises as ``clips.opened`` does."""
    with clips.opened(path, name=path.name) as (container, _):
        of_streams = [stream.metadata for stream in container.streams]
        tags = {name for tags in (container.metadata, *of_streams) for name in tags} - _SAYS_NOTHING
        if odd := [stream.type for stream in container.streams if stream.type not in ("video", "audio")]:
            tags.add(f"a stream of {odd[0]}")
    return ", ".join(sorted(tags)[:4])


class _Mp4Writer:
    """An MP4 that is being written: pictures, and sound packet by packet. Both begin at zero."""

    def __init__(
        self, source: InputContainer, stream: VideoStream, target: OutputContainer, times: timeline.Timeline
    ) -> None:
        self._source, self._stream, self._target, self._times = source, stream, target, times
        self._to: dict[int, Any] = {}
        self._anew: dict[int, tuple[Any, Any]] = {}
        """Sound that is encoded again: its decoder, and its stream in the MP4."""
        self._at = {self._ms(n): n for n in range(len(times))}

    def taken_over(self) -> int:
        """Copy all packets unchanged, and return the number of frames."""
        self._add_all(self._target.add_stream_from_template(self._stream, opaque=True))
        n = 0
        for packet in self._source.demux(self._streams):
            if packet.size:
                n += packet.stream_index == self._stream.index
                self._pass_on(packet)
        return n

    def finish_sound(self) -> None:
        """Write the end of sound that is encoded again."""
        for decoder, sound in self._anew.values():
            for frame in decoder.decode(None):
                self._target.mux(sound.encode(frame))
            self._target.mux(sound.encode(None))

    def encoded(self, name: str) -> int:
        """Encode all frames as VP9, and return their number."""
        import av

        stream: Any = None
        n = 0
        for frame in self._decoded():
            picture: Any = av.VideoFrame.from_image(clips.upright(frame, self._stream, name=name))  # type: ignore[no-untyped-call]
            if stream is None:
                stream = self._vp9(picture)
                self._add_all(stream)
            if (picture.width, picture.height) != (stream.width, stream.height):
                raise InvalidMediaError(f"The frames of {name} differ in size. Convert the clip to a new file.")
            picture.pts, picture.time_base = self._ms(n), _BASE
            self._mux(stream.encode(picture))
            n += 1
        if stream is not None:
            self._mux(stream.encode())
        return n

    def _decoded(self) -> Iterator[Any]:
        """Yield all frames. Sound is passed on in between, as soon as the first frame has opened the MP4."""
        early: list[Any] = []
        context = self._stream.codec_context
        for packet in self._source.demux(self._streams):
            if not packet.size:  # the end of a stream; such a packet does not say of which one
                continue
            if packet.stream_index == self._stream.index:
                yield from context.decode(packet)
            else:
                early.append(packet)
            while self._to and early:
                self._pass_on(early.pop(0))
        yield from context.decode(None)
        for packet in early if self._to else ():
            self._pass_on(packet)

    @property
    def _streams(self) -> list[Any]:
        return [self._stream, *self._source.streams.audio]

    def _add_all(self, pictures: Any) -> None:
        self._to[self._stream.index] = pictures
        for audio in self._source.streams.audio:
            if audio.codec_context.codec.canonical_name == "opus":
                self._to[audio.index] = self._target.add_stream_from_template(audio)
                continue
            made: Any = self._target.add_stream("libopus", rate=_OPUS_RATE, layout=audio.codec_context.layout.name)
            made.options = {"flags": "+bitexact"}
            self._to[audio.index] = made
            self._anew[audio.index] = audio.codec_context, made
        for made in self._to.values():
            made.metadata.clear()

    def _pass_on(self, packet: Any) -> None:
        back = round(self._times.origin / packet.time_base)
        packet.pts, packet.dts = packet.pts - back, packet.dts - back
        if packet.stream_index in self._anew:
            decoder, sound = self._anew[packet.stream_index]
            for frame in decoder.decode(packet):
                self._target.mux(sound.encode(frame))
            return
        packet.stream = self._to[packet.stream_index]
        self._target.mux(packet)

    def _mux(self, packets: Any) -> None:
        """Write packets with durations: each frame lasts until the next one, and the last until the end of the clip."""
        for packet in packets:
            n = self._at.get(round(packet.pts * packet.time_base / _BASE), len(self._times) - 1)
            until = self._ms(n + 1) if n + 1 < len(self._times) else round(self._times.end / _BASE)
            packet.duration = round(max(until - self._ms(n), 1) * _BASE / packet.time_base)
            self._target.mux(packet)

    def _ms(self, n: int) -> int:
        return round(self._times.time(min(n, len(self._times) - 1)) / _BASE)

    def _vp9(self, frame: Any) -> Any:
        stream: Any = self._target.add_stream("libvpx-vp9", rate=30)
        stream.width, stream.height, stream.pix_fmt = frame.width, frame.height, "yuv420p"
        stream.codec_context.time_base = _BASE
        stream.bit_rate = 2_500_000
        stream.options = dict(_OPTIONS)
        return stream
