"""Clips: cut them exactly out of source videos, read their facts, and extract single frames.

A rater never gets a source video, because the part after the clip would reveal the answer. So a clip is a file of its
own, decoded and encoded again, without any frame later than its end. "The frame at t" is the last frame whose timestamp
is not after t. Times are seconds from the beginning of the video, as players count them.

Needs the extra ``video`` (PyAV), which is imported when a function of this module is called.

The module is long because cutting and reading use the same decoder and the same rule for the frame at a moment.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from domain.errors import InvalidMediaError, NotAvailableError
from domain.installation import install_hint
from media import file_type, orientation, timeline
from media.facts import MediaFacts, displayed_size
from media.limits import LIMITS, Limits
from media.timeline import Timeline

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.frame import VideoFrame
    from av.video.stream import VideoStream

CODECS = ("vp8", "vp9", "av1")
"""Codecs that browsers play in WebM."""
CLIP_SIDE = 1280
"""Longer side of a cut clip, in pixels. Larger sources are scaled down."""

_NOTES_ORIENTATION = frozenset({"h264", "hevc"})
"""Codecs that may store the orientation of a picture, often only with keyframes."""
_SAME_MOMENT = Fraction(1, 1_000_000)
"""Timestamps this close are equal, because seconds arrive as floats and containers count in fractions."""
PAST_THE_END = Fraction(1, 10)
"""How far an end may lie after the last frame, in seconds. Containers do not always know that frame's duration."""
_SHORTEST = Fraction(1, 30)
"""Shortest time that the last frame of a clip stays on screen, in seconds."""
_MOST_STRETCHED = Fraction(8)
"""Largest ratio between the sides of a pixel."""
_MILLISECONDS = Fraction(1, 1000)
_ONLY = {
    "format_whitelist": "mov,matroska,avi,mpegts,mpeg,flv,ogg,asf,mxf,gif",
    "protocol_whitelist": "file",
}
"""The formats that may be opened. Playlists are excluded, because they make other files or addresses be read."""
_TIMELINES_KEPT = 64
"""Number of videos whose timelines are cached, at 25 bytes a frame."""


@dataclass(frozen=True)
class Probe:
    """The facts, codec and first frame of a clip."""

    facts: MediaFacts
    codec: str
    poster: Image.Image
    """The first frame, upright, in RGB."""


@dataclass(frozen=True)
class CutClip:
    """A cut clip, with the times in the source that it shows."""

    path: Path
    times: tuple[float, ...]
    """Timestamp in the source of each frame, rising. The last one is not after the requested end."""


@dataclass(frozen=True)
class Frame:
    """A single frame that was written as an image."""

    path: Path
    time: float
    """The frame's timestamp in the source, in seconds."""


def available() -> bool:
    """Tell whether the extra ``video`` is installed."""
    try:
        _av()
    except NotAvailableError:
        return False
    return True


def probe(path: Path, *, name: str | None = None, limits: Limits = LIMITS) -> Probe:
    """Return the facts of a WebM clip that the store needs. Only its first frame is decoded.

    Raises
    ------
    InvalidMediaError
        Browsers do not play the clip in this form, or it is over a limit.
    """
    called = name or str(path)
    with opened(path, name=called) as (container, stream):
        codec = stream.codec_context.codec.canonical_name
        if codec not in CODECS:
            raise InvalidMediaError(
                f"{called} uses the codec {codec}, which browsers do not play in WebM. Encode the clip as VP9."
            )
        must_fit(stream, name=called, limits=limits)
        first = next(_decoded(container, stream), None)
        if first is None:
            raise InvalidMediaError(f"Touchstone cannot decode any frame of {called}. Encode the clip again.")
        must_fit(stream, first, name=called, limits=limits)  # the container may state another size
        turned, poster = turned_by(first, name=called), upright(first, stream, name=called)
    if turned != orientation.UPRIGHT:
        raise InvalidMediaError(
            f"{called} is stored rotated or mirrored, and not all browsers correct the orientation. Encode the clip "
            "upright (ffmpeg -i OLD NEW.webm)."
        )
    times = timeline_of(path, name=called)
    if times.duration > limits.clip_seconds:
        raise InvalidMediaError(
            f"{called} lasts {float(times.duration):,.0f} s; the limit for clips is {limits.clip_seconds:,.0f} s. "
            "Cut the clip into pieces."
        )
    return Probe(MediaFacts(poster.width, poster.height, turned, times.times, times.seconds), codec, poster)


def is_playable(path: Path, *, name: str | None = None) -> bool:
    """Tell whether a file is a clip that the store keeps unchanged; any other video needs conversion."""
    with path.open("rb") as file:
        if file_type.sniff(file.read(file_type.HEAD_BYTES)) != file_type.WEBM:
            return False
    called = name or str(path)
    with opened(path, name=called) as (container, stream):
        first = next(_decoded(container, stream), None)
        is_upright = first is None or turned_by(first, name=called) == orientation.UPRIGHT
        return is_upright and stream.codec_context.codec.canonical_name in CODECS


def cut(
    video: Path, *, out: Path, start: float, end: float, side: int = CLIP_SIDE, last_frame: Path | None = None
) -> CutClip:
    """Cut ``start`` to ``end`` (seconds) out of ``video`` into a WebM file (VP8, without sound).

    The first frame is the frame on screen at ``start``, or the video's first frame if pictures begin later. The last
    frame is the frame on screen at ``end``. Frames keep their distances in time, also with a variable frame rate. The
    same video gives the same bytes. ``last_frame`` is a path for an unscaled image of the last frame, as ``frame``
    writes it.

    Raises
    ------
    InvalidMediaError
        The video cannot be read, or does not reach from ``start`` to ``end``.
    """
    if not 0 <= start < end:
        raise InvalidMediaError(
            f"{video}: a clip from {start:g} s to {end:g} s has no length. Check the start and the end."
        )
    first, last = _moment(start), _moment(end)
    times: list[Fraction] = []
    newest: VideoFrame | None = None
    known = timeline_of(video, name=str(video))
    _must_reach(known, last, name=str(video))
    turned = orientation_of(video, name=str(video))
    with opened(video, name=str(video)) as (container, stream):

        def shown() -> Iterator[tuple[Image.Image, Fraction]]:
            nonlocal newest
            for newest in _between(container, stream, first, last):
                times.append(_time(newest, container))
                at = times[-1] - first if len(times) > 1 else Fraction(0)
                yield _fitted(upright(newest, stream, name=str(video), turned=turned), side), at

        _write(shown(), out=out, name=str(video), lasts=_last_lasts(known, last))
        if last_frame is not None and newest is not None:
            upright(newest, stream, name=str(video), turned=turned).save(last_frame)
    return CutClip(out, tuple(float(time) for time in times))


def convert(video: Path, *, out: Path, side: int = CLIP_SIDE) -> CutClip:
    """Convert the whole ``video`` to a WebM file that browsers play, with every frame that can be decoded.

    The header does not limit its length. Raises as ``cut`` does, and if the video breaks off.
    """
    times = timeline_of(video, name=str(video))
    must_be_whole(times, name=str(video))
    return cut(video, out=out, start=0, end=float(times.end), side=side)


def as_stored(video: Path, *, out: Path, name: str | None = None) -> Path:
    """Return the video in its stored form: the file itself if it is such a clip, or a converted file at ``out``.

    A clip whose clock starts late is written with times from zero, because players count from its clock.
    """
    if (why := file_type.problem(video, "clip")) is not None:
        raise InvalidMediaError(why)
    if not is_playable(video, name=name):
        return convert(video, out=out).path
    called = name or str(video)
    if timeline_of(video, name=called).origin <= PAST_THE_END:
        return video
    out.parent.mkdir(parents=True, exist_ok=True)
    write_anew(video, out=out, name=called)
    return out


def frame(video: Path, *, out: Path, index: int | None = None, time: float | None = None) -> Frame:
    """Write one frame as an image: the ``index``-th frame, counted from 0, or the frame at ``time``.

    Only its group of pictures is decoded.

    Raises
    ------
    InvalidMediaError
        The video cannot be read, or has no such frame.
    """
    if (index is None) == (time is None):
        raise TypeError("frame() needs an index or a time, but not both")
    with opened(video, name=str(video)) as (container, stream):
        if index is not None:
            decoded = _nth(container, stream, index, video=video)
        else:
            assert time is not None
            decoded = _at(container, stream, _moment(time), video=video)
        turned = orientation_of(video, name=str(video))
        picture, moment = upright(decoded, stream, name=str(video), turned=turned), _time(decoded, container)
    out.parent.mkdir(parents=True, exist_ok=True)
    picture.save(out)
    return Frame(out, float(moment))


def moment_of(video: Path, *, index: int) -> float:
    """Return the time at which the ``index``-th frame, counted from 0, comes on screen, in seconds.

    Raises as ``frame`` does.
    """
    return float(_nth_moment(index, video=video))


def frames_at(video: Path, times: Sequence[float], *, name: str | None = None) -> Iterator[Image.Image]:
    """Yield the frames on screen at these times, upright, in RGB. The times must rise.

    Times between two keyframes are decoded together, with one seek for each group of pictures.

    Raises
    ------
    InvalidMediaError
        The video cannot be read, or does not reach that far.
    """
    called = name or str(video)
    moments = [_moment(time) for time in times]
    if moments != sorted(moments):
        raise ValueError("the times must be in ascending order")
    known = timeline_of(video, name=called)
    turned = orientation_of(video, name=called)
    with opened(video, name=called) as (container, stream):
        for group in _groups(known, moments):
            _must_reach(known, group[-1], name=called)
            for decoded in _each(container, stream, group, name=called):
                yield upright(decoded, stream, name=called, turned=turned)


@dataclass(frozen=True)
class Timing:
    """The time when each frame of a clip comes on screen, in seconds as players count, and the end of the clip."""

    times: tuple[float, ...]
    duration: float


def timing(path: Path, *, name: str | None = None) -> Timing:
    """Return the times of all visible frames, rising, and the end. Nothing is decoded if the packets have the times."""
    times = timeline_of(path, name=name or str(path))
    return Timing(times.times, times.seconds)


def write(pictures: Iterable[Image.Image], *, out: Path, frames_per_second: float) -> Path:
    """Encode pictures of one size as a WebM clip (VP8)."""
    pace = Fraction(frames_per_second).limit_denominator(1000)
    _write(((picture, number / pace) for number, picture in enumerate(pictures)), out=out, name=str(out))
    return out


def write_anew(clip: Path, *, out: Path, name: str) -> None:
    """Rewrite a clip as a standard WebM, with its packets unchanged and times from zero. Every frame stays the same.

    Raises
    ------
    InvalidMediaError
        The clip cannot be read, or has content that WebM does not allow.
    NotAvailableError
        The extra ``video`` is not installed.
    """
    library = _av()
    with (
        opened(clip, name=name) as (source, _),
        library.open(str(out), "w", format="webm", options={"fflags": "+bitexact"}) as target,
    ):
        kept = [stream for stream in source.streams if stream.type in ("video", "audio")]
        to = {stream.index: target.add_stream_from_template(stream, opaque=True) for stream in kept}
        begins = timeline.origin(source)
        for packet in source.demux(kept):
            if packet.dts is not None:
                late = round(begins / packet.time_base)
                packet.pts, packet.dts = (packet.dts if packet.pts is None else packet.pts) - late, packet.dts - late
                packet.stream = to[packet.stream.index]
                target.mux(packet)


# ---- inside ---------------------------------------------------------------------------------------------------------


def _av() -> Any:
    try:
        import av
    except ImportError as missing:
        raise NotAvailableError(f"Clips need PyAV, which is not installed. {install_hint('video')}") from missing
    return av


@contextmanager
def opened(path: Path, *, name: str) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Yield the video and its picture stream. FFmpeg's errors about damaged files become sentences."""
    library = _av()
    try:
        with library.open(f"file:{path}", metadata_errors="replace", container_options=_ONLY) as container:
            streams = timeline.picture_streams(container)
            if not streams:
                raise InvalidMediaError(f"{name} contains no pictures. Check that you chose the right file.")
            stream = streams[0]
            stream.thread_type = "AUTO"
            yield container, stream
    except FileNotFoundError as error:
        raise InvalidMediaError(f"{name} does not exist. Check the path.") from error
    except library.error.FFmpegError as error:
        raise InvalidMediaError(
            f"Touchstone cannot decode {name}. The file is damaged or incomplete. Copy or download the file again."
        ) from error


def timeline_of(video: Path, *, name: str) -> Timeline:
    """Return when the frames of a video are shown; raises as ``opened`` and ``timeline.read_timeline`` do.

    Reading all of a long video takes a while, and many items share one: the last ones are kept.
    """
    try:
        state = video.stat()
    except FileNotFoundError as error:
        raise InvalidMediaError(f"{name} does not exist. Check the path.") from error
    return _timeline(video, state.st_size, state.st_mtime_ns, name)


@lru_cache(maxsize=_TIMELINES_KEPT)
def _timeline(video: Path, size: int, changed: int, name: str) -> Timeline:
    """Return ``timeline.read_timeline`` of a video in this state."""
    with opened(video, name=name) as (container, stream):
        return timeline.read_timeline(container, stream, name=name)


def must_be_whole(times: Timeline, *, name: str) -> None:
    """Raise ``InvalidMediaError`` for a video without frames, or one that breaks off."""
    if not len(times):
        raise InvalidMediaError(f"Touchstone cannot decode any frame of {name}. Encode the video again.")
    if times.broken:
        raise InvalidMediaError(
            f"{name} ends early, at {float(times.end):.2f} s: {times.broken}. Copy or download the file again. If "
            "the file is complete, the header of the file is wrong. In this case, encode the file again (ffmpeg -i "
            "OLD NEW.mp4)."
        )


def _moment(seconds: float) -> Fraction:
    return Fraction(repr(float(seconds)))


def _time(frame: VideoFrame, container: InputContainer) -> Fraction:
    base = frame.time_base or _MILLISECONDS
    return Fraction(frame.pts or 0) * base - timeline.origin(container)


def must_fit(stream: VideoStream, frame: VideoFrame | None = None, *, name: str, limits: Limits) -> None:
    """Refuse a video (``InvalidMediaError``) whose frames, or this one, are too large at the size of their display."""
    shown = stream if frame is None else frame
    width, height = displayed_size(shown.width, shown.height, _pixel(stream, name=name))
    if width * height > limits.clip_pixels:
        raise InvalidMediaError(
            f"{name} is {width} x {height} pixels; the limit for clips is {limits.clip_pixels:,} pixels per frame. "
            "Scale the clip down before you add the clip."
        )


def _pixel(stream: VideoStream, *, name: str) -> Fraction:
    """Return the ratio of a stored pixel's width to its height, from the file or its frames. 1 if neither has one."""
    pixel = Fraction(stream.sample_aspect_ratio or 1)
    if not 1 / _MOST_STRETCHED <= pixel <= _MOST_STRETCHED:
        raise InvalidMediaError(
            f"The pixels of {name} are not square ({pixel.numerator}:{pixel.denominator}), so Touchstone "
            "cannot show the video. Encode the video again with square pixels (ffmpeg -i OLD -vf "
            "setsar=1 NEW.mp4)."
        )
    return pixel


def _must_reach(times: Timeline, end: Fraction, *, name: str) -> None:
    if end > times.duration + PAST_THE_END:
        off = f" ({times.broken})" if times.broken else ""
        raise InvalidMediaError(
            f"{name} lasts {float(times.duration):.2f} s{off}, so Touchstone cannot cut the video at {float(end):.2f}"
            " s. Check that you chose the right video and that times are in seconds."
        )


def _decoded(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Yield the frames from the container's current position. All decoding uses this function."""
    return container.decode(stream)


def _decoded_from(container: InputContainer, stream: VideoStream, moment: Fraction) -> Iterator[VideoFrame]:
    """Yield frames in order, from a keyframe shortly before the frame on screen at ``moment``.

    The container's index may lead to a keyframe that is too late, or whose first pictures need an earlier keyframe.
    Then the search goes back further and further.
    """
    base = stream.time_base or _MILLISECONDS
    back = Fraction(0)
    while moment > back:
        try:
            container.seek(int((moment - back + timeline.origin(container)) / base), stream=stream, backward=True)
        except _av().error.FFmpegError:
            break
        frames = _decoded(container, stream)
        first = next(frames, None)
        if first is not None and _time(first, container) <= moment + _SAME_MOMENT:
            yield first
            yield from frames
            return
        back = max(2 * back, Fraction(1))
    timeline.rewind(container, stream)
    yield from _decoded(container, stream)


def _between(container: InputContainer, stream: VideoStream, start: Fraction, end: Fraction) -> Iterator[VideoFrame]:
    """Yield the frame on screen at ``start``, and all later frames up to ``end``."""
    waiting: VideoFrame | None = None
    for decoded in _decoded_from(container, stream, start):
        time = _time(decoded, container)
        if time > end + _SAME_MOMENT:
            break
        if time <= start + _SAME_MOMENT:
            waiting = decoded
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        yield decoded
    if waiting is not None:
        yield waiting


def _at(container: InputContainer, stream: VideoStream, moment: Fraction, *, video: Path) -> VideoFrame:
    name = str(video)
    _must_reach(timeline_of(video, name=name), moment, name=name)
    latest: VideoFrame | None = None
    for decoded in _decoded_from(container, stream, moment):
        if latest is not None and _time(decoded, container) > moment + _SAME_MOMENT:
            break
        latest = decoded
    if latest is None:
        raise InvalidMediaError(f"{name} has no frame at {float(moment):.2f} s. Check that you chose the right video.")
    return latest


def _groups(times: Timeline, moments: Sequence[Fraction]) -> list[list[Fraction]]:
    """Group the times: times between the same two keyframes are together."""
    keys = sorted(
        int(pts) * times.base - times.origin
        for pts, flags in zip(times.pts, times.flags, strict=True)
        if flags & timeline.KEY
    )
    fractions: dict[int, list[Fraction]] = {}
    for moment in moments:
        fractions.setdefault(bisect_right(keys, moment + _SAME_MOMENT), []).append(moment)
    return list(fractions.values())


def _each(
    container: InputContainer, stream: VideoStream, moments: Sequence[Fraction], *, name: str
) -> Iterator[VideoFrame]:
    """Yield the frame on screen at each of these rising times, with one pass of decoding."""
    frames = _decoded_from(container, stream, moments[0])
    shown: VideoFrame | None = next(frames, None)
    following = next(frames, None)
    for moment in moments:
        while following is not None and _time(following, container) <= moment + _SAME_MOMENT:
            shown, following = following, next(frames, None)
        if shown is None:
            raise InvalidMediaError(
                f"{name} has no frame at {float(moment):.2f} s. Check that you chose the right video."
            )
        yield shown


def _nth_moment(index: int, *, video: Path) -> Fraction:
    """Return when the ``index``-th frame comes on screen."""
    times = timeline_of(video, name=str(video))
    if not 0 <= index < len(times):
        raise _no_frame(str(video), len(times), index)
    return times.time(index)


def _nth(container: InputContainer, stream: VideoStream, index: int, *, video: Path) -> VideoFrame:
    moment = _nth_moment(index, video=video)
    for decoded in _decoded_from(container, stream, moment):
        if (time := _time(decoded, container)) >= moment:
            if time == moment:
                return decoded
            break
    return _counted(container, stream, index, name=str(video))


def _counted(container: InputContainer, stream: VideoStream, index: int, *, name: str) -> VideoFrame:
    """Return the ``index``-th frame by decoding all frames before it."""
    timeline.rewind(container, stream)
    n_frames = 0
    for number, decoded in enumerate(_decoded(container, stream)):
        if number == index:
            return decoded
        n_frames = number + 1
    raise _no_frame(name, n_frames, index)


def _no_frame(name: str, n_frames: int, index: int) -> InvalidMediaError:
    return InvalidMediaError(
        f"{name} has {n_frames:,} frames (numbered from 0), so frame {index:,} does not exist. Check that you chose "
        "the right video."
    )


def turned_by(frame: VideoFrame, *, name: str) -> int:
    """Return the orientation of a frame, by the display matrix that it has: the container's goes before the codec's."""
    from av.sidedata.sidedata import Type

    notes: Any = frame.side_data  # the container's note comes first
    matrix = next((note for note in notes if note.type == Type.DISPLAYMATRIX), None)
    return orientation.of_matrix(struct.unpack("=9i", bytes(matrix)), name=name) if matrix else orientation.UPRIGHT


def orientation_of(video: Path, *, name: str) -> int | None:
    """Return the orientation of a video whose codec may note it, by the first frame: later frames need not repeat it.

    None: each frame has the orientation, or the first frame cannot be decoded. Raises as ``opened`` does.
    """
    state = video.stat()
    return _orientation(video, state.st_size, state.st_mtime_ns, name)


@lru_cache(maxsize=_TIMELINES_KEPT)
def _orientation(video: Path, size: int, changed: int, name: str) -> int | None:
    with opened(video, name=name) as (container, stream):
        if stream.codec_context.codec.canonical_name not in _NOTES_ORIENTATION:
            return None
        first = next(timeline.all_frames(container, stream, lambda: None), None)
        return None if first is None else turned_by(first, name=name)


def upright(frame: VideoFrame, stream: VideoStream, *, name: str, turned: int | None = None) -> Image.Image:
    """Return a frame as it is displayed: in RGB, with square pixels, turned and mirrored.

    ``turned`` is the orientation of its video. None: use the frame's own display matrix.
    """
    picture: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
    size = displayed_size(picture.width, picture.height, _pixel(stream, name=name))
    if size != picture.size:
        picture = picture.resize(size, Image.Resampling.BICUBIC)
    return orientation.upright(picture, turned_by(frame, name=name) if turned is None else turned)


def _fitted(picture: Image.Image, side: int) -> Image.Image:
    """Return a picture at most ``side`` long, with the even width and height that the codec needs."""
    scale = min(1.0, side / max(picture.size))
    width, height = (max(2, round(length * scale) // 2 * 2) for length in picture.size)
    return picture if (width, height) == picture.size else picture.resize((width, height), Image.Resampling.BICUBIC)


def _last_lasts(known: Timeline, end: Fraction) -> Fraction:
    """Return how long the frame on screen at ``end`` stays on screen in a clip that ends then.

    The time is the same as in the video. Slow frames, such as slides, do not stay beyond ``end``.
    """
    at = max(bisect_right(known.shown.tolist(), (end + _SAME_MOMENT + known.origin) // known.base) - 1, 0)
    lasts = (known.time(at + 1) if at + 1 < len(known) else known.end) - known.time(at)
    if lasts <= 0 and at:  # such as MPEG-TS, whose packets do not say how long they last
        lasts = known.time(at) - known.time(at - 1)
    if 0 < lasts <= PAST_THE_END:
        return lasts
    return max(min(lasts, end - known.time(at)), _SHORTEST)


def _write(
    pictures: Iterable[tuple[Image.Image, Fraction]], *, out: Path, name: str, lasts: Fraction = _SHORTEST
) -> None:
    """Encode (picture, seconds from the beginning) as WebM. The file appears under its name when it is complete.

    ``lasts`` is how long the last picture stays on screen. Matroska stores it as the default duration of a frame.
    """
    library = _av()
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(out.name + ".partial")
    try:
        with library.open(str(partial), "w", format="webm", options={"fflags": "+bitexact"}) as container:
            stream: Any = None
            for picture, at in pictures:
                if stream is None:
                    stream = _stream(container, picture, lasts)
                encoded = library.VideoFrame.from_image(picture)
                encoded.pts, encoded.time_base = round(at / _MILLISECONDS), _MILLISECONDS
                container.mux(stream.encode(encoded))
            if stream is None:
                raise InvalidMediaError(f"{name} has no frame in this time range. Check the start and the end.")
            container.mux(stream.encode())
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)


def _stream(container: Any, picture: Image.Image, lasts: Fraction) -> Any:
    stream = container.add_stream("libvpx", rate=1 / lasts.limit_denominator(1_000_000))
    stream.width, stream.height, stream.pix_fmt = picture.width, picture.height, "yuv420p"
    stream.codec_context.time_base = _MILLISECONDS
    stream.bit_rate = 2_500_000
    stream.options = {"deadline": "good", "cpu-used": "4", "crf": "14", "threads": "1", "flags": "+bitexact"}
    return stream
