"""Which frame is on screen at a time, and its picture: every frame of these videos says which one it is."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image

from domain.errors import InvalidMediaError
from media import frames
from media.limits import Limits
from testkit.pictures import number_of, numbered, quarters, video

pytestmark = pytest.mark.thorough

STEADY = [n / 25 for n in range(150)]
UNEVEN = [round(sum((0.02, 0.05, 0.31, 0.033)[k % 4] for k in range(n)), 3) for n in range(120)]
VIDEOS = {
    "h264.mp4": (STEADY, "libx264", 50),
    "uneven_h264.mkv": (UNEVEN, "libx264", 250),
    "uneven_vp8.webm": (UNEVEN, "libvpx", 30),
    "vp9.webm": (STEADY[:60], "libvpx-vp9", 20),
    "av1.mp4": (UNEVEN[:60], "libsvtav1", 20),
    "hevc.mp4": (UNEVEN[:60], "libx265", 20),
    "plain.avi": (STEADY, "mpeg4", 12),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, list[float]]]:
    folder = tmp_path_factory.mktemp("videos")

    def one(name: str) -> tuple[Path, list[float]]:
        times, codec, keyframes = VIDEOS[name]
        path = folder / name
        return (path if path.exists() else video(path, times, codec=codec, keyframes=keyframes)), times

    return one


def numbers(film: frames.Film, wanted: list[int]) -> dict[int, int | None]:
    return {found.index: number_of(found.picture) if found.picture else None for found in film.read(wanted)}


@pytest.mark.parametrize("name", VIDEOS)
def test_the_frame_at_a_time_is_the_last_that_is_not_later(name: str, made: Any) -> None:
    path, times = made(name)
    rng = random.Random(name)
    asked = [*times[::7], *(round(rng.uniform(0, times[-1]), 4) for _ in range(40))]
    with frames.opened(path) as film:
        assert len(film) == len(times)
        assert film.steady == (times[1] - times[0] == pytest.approx(times[2] - times[1]))
        wanted = [film.at(Fraction(repr(time))) for time in asked]
        got = numbers(film, wanted)
        for time, index in zip(asked, wanted, strict=True):
            on_screen = max(n for n, begins in enumerate(times) if begins <= time)
            assert (index, got[index]) == (on_screen, on_screen)
            assert film.time(index) <= Fraction(repr(time))
            assert float(film.time(index)) == pytest.approx(times[on_screen], abs=1e-9)
        assert numbers(film, list(range(len(film)))) == {n: n for n in range(len(film))}


@pytest.mark.parametrize("way", ["open-gop=1:keyint=30:bframes=5:b-pyramid=2", "intra-refresh=1:keyint=30"])
def test_groups_that_need_those_before_them(way: str, tmp_path: Path) -> None:
    path = tmp_path / "open.mkv"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.options = {"x264-params": f"{way}:scenecut=0"}
        for n in range(150):
            container.mux(stream.encode(av.VideoFrame.from_image(numbered(n))))
        container.mux(stream.encode())
    with frames.opened(path) as film:
        for wanted in ([88, 89, 90, 91], [119], [59, 149], list(range(150))):
            assert numbers(film, wanted) == {n: n for n in wanted}


def test_times_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "ntsc.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=Fraction(30000, 1001))
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for n in range(60):
            container.mux(stream.encode(av.VideoFrame.from_image(numbered(n))))
        container.mux(stream.encode())
    with frames.opened(path) as film:
        assert film.time(30) == Fraction(1001 * 30, 30000)
        assert film.at(Fraction(1001 * 30, 30000)) == 30
        assert film.at(Fraction(repr(1001 * 30 / 30000))) == 30  # a float of its time, which may lie below it
        assert film.at(Fraction(1001 * 30, 30000) - Fraction(1, 10**6)) == 29
        # 29 is on screen from 0.968 to 1.001 s, and 59, the last, from 1.969 to 2.002 s
        assert film.each_seconds(Fraction(1)) == [0, 29, 59]
        assert film.every(25) == [0, 25, 50]


def test_each_seconds_takes_what_is_on_screen_and_each_frame_once(made: Any) -> None:
    path, times = made("uneven_h264.mkv")
    with frames.opened(path) as film:
        for step in ("0.5", "0.03", "1/3"):
            moments = [Fraction(step) * k for k in range(int(times[-1] / float(Fraction(step))) + 1)]
            expected = {max(n for n, begins in enumerate(times) if begins <= time) for time in moments}
            assert set(film.each_seconds(Fraction(step))) >= expected
            assert len(film.each_seconds(Fraction(step))) <= len(expected) + 1  # the last stays on for a while


def test_only_groups_with_wanted_frames_are_decoded(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = made("h264.mp4")  # keyframes at 0, 50 and 100
    fed: list[int] = []
    packets = frames.Film._packets_from

    def counted(self: frames.Film, key: int, last: int) -> Any:
        for packet in packets(self, key, last):
            fed.append(packet.pts or 0)
            yield packet

    monkeypatch.setattr(frames.Film, "_packets_from", counted)
    with frames.opened(path) as film:
        assert numbers(film, [101, 103, 104, 1, 2]) == {n: n for n in (1, 2, 101, 103, 104)}
    assert len(fed) <= 2 * 10
    assert len(fed) == len(set(fed))


def test_a_truncated_file_gives_the_frames_up_to_the_break(made: Any, tmp_path: Path) -> None:
    for name, times in (("uneven_vp8.webm", UNEVEN), ("uneven_h264.mkv", UNEVEN)):
        path, _ = made(name)
        cut = tmp_path / name
        cut.write_bytes(path.read_bytes()[: path.stat().st_size * 6 // 10])
        with frames.opened(cut) as film:
            assert film.broken
            assert 5 < len(film) < len(times)
            got = numbers(film, list(range(len(film))))
            assert got == {n: n for n in range(len(film))}
            with pytest.raises(InvalidMediaError, match=f"(?s)frames from 0 to .*{film.broken}"):
                film.at(Fraction(repr(times[-1])))


def test_damage_in_the_middle_costs_its_group_alone(made: Any, tmp_path: Path) -> None:
    path, times = made("h264.mp4")
    content = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        packet = [packet for packet in container.demux(video=0) if packet.size][70]
    assert packet.pos is not None
    inside = slice(packet.pos + 4, packet.pos + packet.size)
    content[inside] = bytes(byte ^ 0x5A for byte in content[inside])
    hurt = tmp_path / "hurt.mp4"
    hurt.write_bytes(bytes(content))
    with frames.opened(hurt) as film:
        got = numbers(film, list(range(len(times))))
        assert all(shown in (None, n) for n, shown in got.items())
        assert None in [got[n] for n in range(60, 100)]
        assert [got[n] for n in [*range(50), *range(100, 150)]] == [*range(50), *range(100, 150)]


# By the standard of MP4 files: the matrix of the track's header, row by row, as 16.16 and 2.30 fixed-point numbers.
CLOCKWISE = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 240 << 16, 0, 1 << 30)


def test_a_phone_held_upright_gives_upright_frames(tmp_path: Path) -> None:
    path = tmp_path / "phone.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for _ in range(5):
            container.mux(stream.encode(av.VideoFrame.from_image(quarters(320, 240))))
        container.mux(stream.encode())
    content = bytearray(path.read_bytes())
    matrix = content.index(b"tkhd") + 4 + 40
    content[matrix : matrix + 36] = CLOCKWISE
    path.write_bytes(bytes(content))
    with frames.opened(path) as film:
        (found,) = film.read([2])
    assert found.picture is not None
    assert found.picture.size == (240, 320)
    red, green, blue = found.picture.getpixel((180, 80))  # type: ignore[misc]
    assert red > 150 > max(green, blue)


def test_scenes_begin_where_the_picture_changes(tmp_path: Path) -> None:
    path = tmp_path / "scenes.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.options = {"sc_threshold": "0"}  # so that no keyframe gives them away
        for n in range(90):
            picture = [quarters(320, 240), numbered(0), Image.new("RGB", (320, 240), (20, 60, 20))][n // 30]
            container.mux(stream.encode(av.VideoFrame.from_image(picture)))
        container.mux(stream.encode())
    with frames.opened(path) as film:
        assert film.scenes() == [0, 30, 60]


def test_what_is_no_video_is_refused(tmp_path: Path, made: Any) -> None:
    path, _ = made("uneven_vp8.webm")
    other = tmp_path / "other.webm"
    other.write_bytes(path.read_bytes())
    playlist = tmp_path / "list.mp4"
    playlist.write_text("#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nother.webm\n#EXT-X-ENDLIST\n")
    (tmp_path / "concat.mp4").write_text("ffconcat version 1.0\nfile other.webm\n")
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "moov.mp4").write_bytes(made("h264.mp4")[0].read_bytes()[:5000])  # what it is stands at its end
    for name in ("list.mp4", "concat.mp4", "empty.mp4", "moov.mp4"):
        with pytest.raises(InvalidMediaError, match=name), frames.opened(tmp_path / name, name=name):
            pass
    with (
        pytest.raises(InvalidMediaError, match="320 x 240 pixels"),
        frames.opened(path, limits=Limits(clip_pixels=1000)),
    ):
        pass
