"""A clip ends where it must: no frame later than its end is in the file."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image

from domain.errors import InvalidMediaError, NotFoundError
from media import clips
from media.limits import Limits
from media.store import MediaStore
from testkit.pictures import encoded, frames, number_of, numbered, photo, quarters, video
from tests.paths import ROOT

pytestmark = pytest.mark.thorough

STEADY = [n / 25 for n in range(150)]
"""Six seconds at 25 frames per second."""
UNEVEN = [round(sum((0.02, 0.05, 0.31, 0.033)[k % 4] for k in range(n)), 3) for n in range(60)]
"""A phone that hesitates: four distances in turn."""


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return video(tmp_path_factory.mktemp("videos") / "steady.webm", STEADY)


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return video(tmp_path_factory.mktemp("videos") / "uneven.webm", UNEVEN)


@pytest.fixture(scope="module")
def h264(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return video(tmp_path_factory.mktemp("videos") / "source.mp4", STEADY, codec="libx264", keyframes=250)


def on_screen(times: list[float], moment: float) -> int:
    """The last frame that is not later than ``moment``."""
    return max(number for number, time in enumerate(times) if time <= moment)


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 1), (0.5, 2.0), (0.51, 2.03), (1.0, 1.04), (2.0, 5.96), (3.999, 4.001), (4.9, 6.0), (0.0, 0.01)],
)
@pytest.mark.parametrize("source", ["steady", "h264"])
def test_it_shows_what_was_on_screen_from_start_to_end(
    source: str, start: float, end: float, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cut = clips.cut(request.getfixturevalue(source), out=tmp_path / "clip.webm", start=start, end=end)
    expected = list(range(on_screen(STEADY, start), on_screen(STEADY, end) + 1))
    assert [number for _, number in frames(cut.path)] == expected
    assert cut.times == pytest.approx([STEADY[number] for number in expected], abs=1e-3)
    assert cut.times[-1] <= end


@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (0.07, 0.37), (0.6, 2.9), (1.234, 4.321), (3.0, 3.2)])
def test_it_holds_where_the_frame_rate_varies(uneven: Path, tmp_path: Path, start: float, end: float) -> None:
    cut = clips.cut(uneven, out=tmp_path / "clip.webm", start=start, end=end)
    got = list(frames(cut.path))
    assert [number for _, number in got] == list(range(on_screen(UNEVEN, start), on_screen(UNEVEN, end) + 1))
    assert [time for time, _ in got] == pytest.approx([max(UNEVEN[n] - start, 0) for _, n in got], abs=2e-3)


def test_an_end_half_a_second_before_the_action(steady: Path, tmp_path: Path) -> None:
    action_starts = 4.0
    cut = clips.cut(steady, out=tmp_path / "clip.webm", start=1.0, end=action_starts - 0.5)
    assert max(number for _, number in frames(cut.path)) == 87  # 87 / 25 = 3.48; the next would be at 3.52
    assert all(time <= 3.5 for time in cut.times)


def test_the_same_cut_is_the_same_file(steady: Path, tmp_path: Path) -> None:
    digests = {
        hashlib.sha256(clips.cut(steady, out=tmp_path / name, start=1, end=2).path.read_bytes()).hexdigest()
        for name in ("a.webm", "b.webm")
    }
    assert len(digests) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.webm", "b.webm"]


def test_large_sources_are_scaled_to_even_sides(tmp_path: Path) -> None:
    source = clips.write((photo(1600, 902, seed=k) for k in range(5)), out=tmp_path / "big.webm", frames_per_second=10)
    cut = clips.cut(source, out=tmp_path / "clip.webm", start=0, end=0.4, side=321)
    probe = clips.probe(cut.path)
    assert (probe.facts.width, probe.facts.height) == (320, 180)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (2, 2, "has no length"),
        (3, 1, "has no length"),
        (-1, 1, "has no length"),
        (1, 60, r"lasts \d\.\d\d s, so Touchstone cannot cut the video at 60\.00 s"),
    ],
)
def test_a_cut_that_cannot_be(steady: Path, tmp_path: Path, start: float, end: float, words: str) -> None:
    with pytest.raises(InvalidMediaError, match=words):
        clips.cut(steady, out=tmp_path / "clip.webm", start=start, end=end)
    assert list(tmp_path.iterdir()) == []


# ---- frames ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [0, 1, 29, 30, 77, 149])
def test_a_frame_by_its_number(steady: Path, tmp_path: Path, index: int) -> None:
    found = clips.frame(steady, index=index, out=tmp_path / "frame.png")
    with Image.open(found.path) as image:
        assert number_of(image) == index
    assert found.time == pytest.approx(STEADY[index], abs=1e-3)


@pytest.mark.parametrize("time", [0, 0.039, 0.04, 1.5, 3.1415, 5.96, 6.0])
def test_a_frame_by_its_moment(h264: Path, tmp_path: Path, time: float) -> None:
    found = clips.frame(h264, time=time, out=tmp_path / "frame.png")
    with Image.open(found.path) as image:
        assert number_of(image) == on_screen(STEADY, time)
    assert found.time <= time


def test_a_frame_that_is_not_there(steady: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidMediaError, match=r"has 150 frames \(numbered from 0\), so frame 150 does not exist"):
        clips.frame(steady, index=150, out=tmp_path / "frame.png")
    with pytest.raises(InvalidMediaError, match=r"lasts \d\.\d\d s"):
        clips.frame(steady, time=7, out=tmp_path / "frame.png")
    with pytest.raises(TypeError):
        clips.frame(steady, out=tmp_path / "frame.png")


# By the standard of MP4 files: the matrix of the track's header, row by row, as 16.16 and 2.30 fixed-point numbers.
CLOCKWISE = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 240 << 16, 0, 1 << 30)


def test_a_phone_held_upright_gives_upright_frames(tmp_path: Path) -> None:
    """A camera that notes "turn me clockwise": what is stored at the upper left is shown at the upper right."""
    path = tmp_path / "phone.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for _ in range(5):
            container.mux(stream.encode(av.VideoFrame.from_image(quarters(320, 240))))
        container.mux(stream.encode())
    content = bytearray(path.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40
    content[matrix : matrix + 36] = CLOCKWISE
    path.write_bytes(bytes(content))
    with Image.open(clips.frame(path, index=2, out=tmp_path / "frame.png").path) as image:
        assert image.size == (240, 320)
        red, green, blue = image.getpixel((180, 80))  # type: ignore[misc]
        assert red > 150 > max(green, blue)
    cut = clips.cut(path, out=tmp_path / "cut.webm", start=0, end=0.4)
    assert clips.probe(cut.path).poster.size == (240, 320)


# ---- in the store ---------------------------------------------------------------------------------------------------


def test_a_clip_is_kept_with_a_poster(steady: Path, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    stored = store.add(steady, name="steady.webm")
    assert (stored.kind, stored.mime, stored.width, stored.height) == ("clip", "video/webm", 320, 240)
    assert stored.duration == pytest.approx(6.0, abs=0.05)
    assert stored.sharpness is None
    with Image.open(store.path(stored.sha256, "display")) as poster:
        assert poster.size == (320, 240)
        assert number_of(poster) == 0
    assert store.path(stored.sha256, "original").read_bytes() == steady.read_bytes()


def test_clips_over_the_limits_are_refused(steady: Path, tmp_path: Path) -> None:
    for limits, words in [
        (Limits(clip_seconds=2), "lasts 6 s; the limit for clips is 2 s"),
        (Limits(clip_pixels=1000), "320 x 240 pixels"),
        (Limits(clip_bytes=0), "larger than 0 MiB"),
    ]:
        with pytest.raises(InvalidMediaError, match=words):
            MediaStore(tmp_path / "media", limits=limits).add(steady, name="steady.webm")


def test_videos_that_are_none(steady: Path, h264: Path, tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    for content, name, words in [
        (h264.read_bytes(), "source.webm", "an MP4 video"),
        (steady.read_bytes()[:200], "cut.webm", "cut.webm"),
        (b"\x1aE\xdf\xa3" + b"webm" + bytes(500), "broken.webm", "cannot decode broken.webm"),
    ]:
        with pytest.raises(InvalidMediaError, match=words):
            store.add(content, name=name)
    with pytest.raises(InvalidMediaError, match=r"gone\.mp4 does not exist"):
        clips.cut(tmp_path / "gone.mp4", out=tmp_path / "x.webm", start=0, end=1)


def test_without_the_extra_it_says_what_to_install(steady: Path, tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['av'] = None\n"
        "from pathlib import Path; from media import clips; from media.store import MediaStore\n"
        "from domain.errors import NotAvailableError\n"
        "assert not clips.available()\n"
        "try: MediaStore(Path(sys.argv[1])).add(Path(sys.argv[2]), name='a.webm')\n"
        "except NotAvailableError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "media"), str(steady)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install 'av>=18.1'" in done.stdout


# ---- when each frame comes on screen --------------------------------------------------------------------------------


def with_hidden_frames(clip: Path, out: Path) -> Path:
    """The same VP8 clip with a copy of every tenth frame before it that is marked as never shown (RFC 6386, 9.1)."""
    with av.open(str(clip)) as source, av.open(str(out), "w") as target:
        read = source.streams.video[0]
        written = target.add_stream_from_template(read)
        for number, packet in enumerate(source.demux(read)):
            if packet.pts is None:
                continue
            if number % 10 == 5:
                body = bytes(packet)
                hidden = av.Packet(bytes([body[0] & ~0x10]) + body[1:])
                hidden.pts = hidden.dts = packet.pts - 1
                hidden.time_base, hidden.stream = packet.time_base, written
                target.mux(hidden)
            packet.stream = written
            target.mux(packet)
    return out


@pytest.mark.parametrize("codec", ["libvpx", "libvpx-vp9"])
def test_the_moments_of_all_frames_are_known_without_decoding(codec: str, tmp_path: Path) -> None:
    clip = video(tmp_path / "clip.webm", UNEVEN, codec=codec)
    timing = clips.timing(clip)
    assert timing.times == pytest.approx(UNEVEN, abs=1e-3)
    assert timing.duration >= timing.times[-1]


def test_frames_that_are_never_shown_are_not_counted(tmp_path: Path) -> None:
    clip = with_hidden_frames(video(tmp_path / "plain.webm", STEADY), tmp_path / "clip.webm")
    shown = [time for time, _ in frames(clip)]
    with av.open(str(clip)) as container:
        packets = sum(1 for packet in container.demux(video=0) if packet.size)
    assert packets > len(shown), "this clip has hidden frames"
    assert clips.timing(clip).times == pytest.approx(shown, abs=1e-3)


def test_the_store_notes_the_moments_and_looks_again_where_they_are_not_noted(tmp_path: Path) -> None:
    store = MediaStore(tmp_path / "media")
    stored = store.add(video(tmp_path / "clip.webm", UNEVEN))
    noted = store.frames(stored.sha256)
    before = noted.read_bytes()
    assert json.loads(before)["times"] == pytest.approx(UNEVEN, abs=1e-3)
    noted.unlink()  # as in a store that was filled before
    assert store.frames(stored.sha256).read_bytes() == before
    assert list((store.root / "incoming").iterdir()) == []
    with pytest.raises(NotFoundError, match="no frames"):
        store.frames(store.add(encoded(photo(40, 30))).sha256)


# ---- what is decoded for it -----------------------------------------------------------------------------------------


def _one_file(folder: Path, kind: str) -> tuple[Path, int]:
    """300 numbered frames in a container and code of this kind, and how many frames lie between two keyframes."""
    name, codec, gap, options = {
        "b-frames": ("a.mp4", "libx264", 50, {"bf": "3", "preset": "veryfast"}),
        "open groups": ("a.mp4", "libx264", 50, {"bf": "3", "x264-params": "open-gop=1", "preset": "veryfast"}),
        "transport stream": ("a.ts", "libx264", 50, {"bf": "2", "preset": "veryfast"}),
        "h265": ("a.mkv", "libx265", 50, {"x265-params": "log-level=none", "preset": "ultrafast"}),
        "vp9": ("a.webm", "libvpx-vp9", 50, {"deadline": "realtime", "cpu-used": "8"}),
        "vp8": ("a.webm", "libvpx", 50, {"auto-alt-ref": "1", "lag-in-frames": "10", "cpu-used": "8"}),
        "old": ("a.avi", "mpeg4", 50, {}),
    }[kind]
    path = folder / name
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.bit_rate = 2_000_000
        stream.options = {"g": str(gap), "keyint_min": str(gap), "threads": "1", **options}
        for number in range(300):
            container.mux(stream.encode(av.VideoFrame.from_image(numbered(number))))
        container.mux(stream.encode())
    return path, gap


@pytest.mark.parametrize("kind", ["b-frames", "open groups", "transport stream", "h265", "vp9", "vp8", "old"])
def test_a_frame_costs_its_group_of_pictures_and_is_the_right_one(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, gap = _one_file(tmp_path, kind)
    counted = [number for _, number in frames(path)]  # by decoding all of it, without our code
    assert counted[:3] == [0, 1, 2]
    n_decoded = 0
    decode = clips._decoded

    def counting(*given: Any) -> Iterator[Any]:
        nonlocal n_decoded
        for each in decode(*given):
            n_decoded += 1
            yield each

    monkeypatch.setattr(clips, "_decoded", counting)
    for index in (0, 1, 49, 50, 51, 100, 249, 298, len(counted) - 1):
        n_decoded = 0
        found = clips.frame(path, index=index, out=tmp_path / "frame.png")
        with Image.open(found.path) as image:
            assert number_of(image) == counted[index], index
        assert clips.moment_of(path, index=index) == found.time
        if kind != "old":  # AVI names no timestamps, so that its frames are counted
            assert n_decoded <= 2 * gap + 8, index  # of a group that needs the one before it, both
    n_decoded = 0
    cut = clips.cut(path, out=tmp_path / "cut.webm", start=8.02, end=10.02)
    assert [number for _, number in frames(cut.path)] == list(range(200, 251))
    assert n_decoded <= 51 + 2 * gap + 8


def test_a_film_that_breaks_off_has_the_frames_before_the_break(tmp_path: Path) -> None:
    whole = video(tmp_path / "whole.webm", STEADY)
    torn = tmp_path / "torn.webm"
    torn.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    there = []
    with suppress(av.FFmpegError):
        for _, number in frames(torn):
            there.append(number)
    assert 60 < len(there) < 150
    found = clips.frame(torn, index=len(there) - 2, out=tmp_path / "frame.png")
    with Image.open(found.path) as image:
        assert number_of(image) == len(there) - 2
    with pytest.raises(InvalidMediaError):
        clips.frame(torn, index=149, out=tmp_path / "frame.png")


def test_a_film_that_was_replaced_is_looked_at_anew(tmp_path: Path) -> None:
    path = video(tmp_path / "film.webm", STEADY[:100])
    assert clips.moment_of(path, index=99) == pytest.approx(STEADY[99], abs=1e-3)
    video(path, UNEVEN)
    assert clips.moment_of(path, index=41) == pytest.approx(UNEVEN[41], abs=1e-3)
    with pytest.raises(InvalidMediaError, match="has 60 frames"):
        clips.moment_of(path, index=99)


@pytest.mark.parametrize(
    ("times", "rate", "start", "end", "n", "lasts"),
    [
        ([0, 1, 2, 3, 4], 1, None, None, 5, 5.0),
        ([0, 0.1, 0.2, 0.3], 10, None, None, 4, 0.4),
        ([0, 1, 2, 3, 4], 1, 0, 3.5, 4, 3.5),
        ([0, 1, 2, 3, 4], 1, 1.5, 3.5, 3, 2.0),
        ([0, 0.1, 0.2, 0.3], 10, 0, 0.25, 3, 0.3),
        (STEADY[:50], 25, None, None, 50, 2.0),
    ],
)
def test_the_last_picture_stays_as_long_as_in_the_video(
    tmp_path: Path, times: list[float], rate: int, start: float | None, end: float | None, n: int, lasts: float
) -> None:
    source = video(tmp_path / "slides.mp4", times, codec="libx264", rate=rate)
    out = tmp_path / "clip.webm"
    cut = (
        clips.convert(source, out=out)
        if start is None or end is None
        else clips.cut(source, out=out, start=start, end=end)
    )
    timing = clips.timing(cut.path)
    assert (len(timing.times), timing.duration) == (n, pytest.approx(lasts, abs=0.002))
    with av.open(str(cut.path)) as container:
        assert (container.duration or 0) / 1e6 == pytest.approx(lasts, abs=0.002)  # what players show


def test_a_webm_clip_that_starts_late_is_stored_from_zero(tmp_path: Path) -> None:
    source = video(tmp_path / "late.webm", [2 + n / 10 for n in range(10)], rate=10)
    stored = clips.as_stored(source, out=tmp_path / "out" / "clip.webm")
    assert [round(time, 3) for time, _ in frames(stored)] == [n / 10 for n in range(10)]
    assert [number for _, number in frames(stored)] == list(range(10))
    early = video(tmp_path / "early.webm", [n / 10 for n in range(10)], rate=10)
    assert clips.as_stored(early, out=tmp_path / "unused.webm") == early
