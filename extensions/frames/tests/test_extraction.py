"""A folder of frames: broken off it goes on, what is kept is decided from lines, and bad videos cost nothing else."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter

from domain.errors import ConflictError, InvalidFileError
from extensions.frames import extraction
from extensions.frames.extraction import ExtractionSettings, Source
from extensions.frames.screening import ScreeningSettings
from media import clips
from testkit.pictures import number_of, photo, video

pytestmark = pytest.mark.thorough

EACH_FIFTH = ExtractionSettings(every=5)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    folder = tmp_path_factory.mktemp("videos")
    video(folder / "a.mp4", [n / 25 for n in range(100)], codec="libx264", keyframes=30)
    (folder / "bad.mp4").write_bytes(b"no video" * 100)
    video(folder / "b.webm", [n / 10 for n in range(40)])
    return [Source(f"k/{name}", folder / name) for name in ("a.mp4", "bad.mp4", "b.webm")]


def records(out: Path, kind: str = "frame") -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (out / extraction.MANIFEST).read_text().splitlines()]
    return [line for line in lines if line["record"] == kind]


def everything(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_run_that_was_broken_off_goes_on_to_the_same(
    sources: list[Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    keeping = ScreeningSettings(at_most=3)
    told = extraction.make(whole, sources, taking=EACH_FIFTH, keeping=keeping)
    assert (told.kept, told.dropped) == (6, {"the video has enough frames": 22})
    assert [name for name, _ in told.skipped] == ["k/bad.mp4"]
    taken, n = extraction._taken, 0

    def broken_off(*given: Any) -> Any:
        nonlocal n
        n += 1
        if n % 8 == 0:
            raise KeyboardInterrupt
        return taken(*given)

    monkeypatch.setattr(extraction, "_taken", broken_off)
    ends = 0
    while True:
        try:
            extraction.make(torn, sources, taking=EACH_FIFTH, keeping=keeping)
            break
        except KeyboardInterrupt:
            ends += 1
            newest = max((torn / ".work").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
            with newest.open("a") as part:
                part.write('{"frame": 9, "exa')  # a line that was half written when it was killed
    assert ends == 3  # 28 frames, of which each eighth call takes none
    assert n == 28 + ends
    assert everything(torn) == everything(whole)


def test_the_manifest_says_what_each_frame_is(sources: list[Source], tmp_path: Path) -> None:
    asked = [Source(each.name, each.path, ("1.5", "3/10", "99", "1.51")) for each in sources]
    told = extraction.make(tmp_path / "out", asked, taking=ExtractionSettings(at_times=True))
    frames = records(tmp_path / "out")
    got = [(each["source"], each["asked"], each["exact"], each["frame"], each["kept"]) for each in frames]
    # a.mp4 has 25 frames a second: 0.3 s is 7.5 frames, 1.5 s is 37.5, and 1.51 s 37.75
    assert got == [
        ("k/a.mp4", ["99"], None, None, False),
        ("k/a.mp4", ["3/10"], "7/25", 7, True),
        ("k/a.mp4", ["1.5", "1.51"], "37/25", 37, True),
        ("k/b.webm", ["99"], None, None, False),
        ("k/b.webm", ["3/10"], "3/10", 3, True),
        ("k/b.webm", ["1.5", "1.51"], "3/2", 15, True),
    ]
    assert [name for name, _ in told.missing] == ["k/a.mp4", "k/b.webm"]
    for each in frames:
        if each["kept"]:
            with Image.open(tmp_path / "out" / each["file"]) as picture:
                assert number_of(picture) == each["frame"]
    assert frames[2]["file"] == "images/k/a.mp4/00001.480000.png"
    skipped = records(tmp_path / "out", "source")[1]
    assert (skipped["source"], skipped["kept"]) == ("k/bad.mp4", 0)
    assert "Touchstone cannot decode k/bad.mp4" in skipped["why"]


def test_what_is_poor_or_looks_alike_is_put_aside_with_its_reason(tmp_path: Path) -> None:
    sharp = [photo(160, 120, seed=at) for at in range(4)]
    rng = np.random.default_rng(1)
    edges = [Image.fromarray(rng.integers(0, 256, (120, 160, 3), dtype=np.uint8)) for _ in sharp]
    sharp = [Image.blend(one, other, 0.3) for one, other in zip(sharp, edges, strict=True)]
    blurred = sharp[1].filter(ImageFilter.GaussianBlur(6))
    black = Image.new("RGB", (160, 120), (4, 4, 4))
    softer = sharp[2].filter(ImageFilter.GaussianBlur(0.6))
    path = clips.write(
        [sharp[0], blurred, black, softer, sharp[2], sharp[3]], out=tmp_path / "v.webm", frames_per_second=5
    )
    sources = [Source("v.webm", path), Source("w.webm", path)]
    out = tmp_path / "out"
    told = extraction.make(out, sources, taking=ExtractionSettings(every=1))
    assert told.kept == 12
    told = extraction.make(
        out,
        sources,
        taking=ExtractionSettings(every=1),
        keeping=ScreeningSettings(min_sharpness=30, brightness=(20, 235), distinct=True),
    )
    first = [each for each in records(out) if each["source"] == "v.webm"]
    assert [each["why"] and each["why"].partition(":")[0] for each in first] == [
        None,
        "blurred",
        "blurred",
        "looks alike",
        None,
        None,
    ]
    assert all((out / each["file"]).is_file() for each in records(out))
    assert told.kept == 3  # the second video is the first one again
    assert [each["group"] for each in first][3:5] == [first[4]["group"]] * 2
    assert extraction.make(out, sources, taking=ExtractionSettings(every=1)).kept == 12  # decided anew, nothing is lost


def test_exposure_is_measured_and_screened_by(tmp_path: Path) -> None:
    half = Image.new("RGB", (160, 120), "black")
    half.paste("white", (80, 0, 160, 120))
    even = [Image.new("RGB", (160, 120), (grey, grey, grey)) for grey in (10, 100, 245)]
    path = clips.write([*even, half], out=tmp_path / "v.webm", frames_per_second=5)
    out, sources = tmp_path / "out", [Source("v.webm", path)]
    told = extraction.make(
        out, sources, taking=ExtractionSettings(every=1), keeping=ScreeningSettings(brightness=(20, 235))
    )
    found = records(out)
    # a codec rounds levels; half of the last picture has 0 and half 255
    assert [each["brightness"] for each in found] == pytest.approx([10, 100, 245, 127.5], abs=3)
    assert (found[3]["dark"], found[3]["light"]) == pytest.approx((0.5, 0.5), abs=0.02)
    assert [each["kept"] for each in found] == [False, True, False, True]
    assert told.dropped == {"badly exposed": 2}


def test_a_folder_of_other_frames_is_refused_and_stays(sources: list[Source], tmp_path: Path) -> None:
    out = tmp_path / "out"
    extraction.make(out, sources, taking=EACH_FIFTH)
    before = everything(out)
    other = tmp_path / "a.mp4"
    other.write_bytes(sources[2].path.read_bytes())
    for given, taking, words in (
        (sources, ExtractionSettings(every=6), "taken with other settings"),
        ([Source("k/a.mp4", other), *sources[1:]], EACH_FIFTH, "has changed since"),
        (sources[1:], EACH_FIFTH, "frames from k/a.mp4, which is not among"),
    ):
        with pytest.raises(InvalidFileError, match=words):
            extraction.make(out, given, taking=taking)
    with (out / ".work/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConflictError, match="Another run"):
            extraction.make(out, sources, taking=EACH_FIFTH)
    with pytest.raises(InvalidFileError, match="already contains other files"):
        extraction.make(sources[0].path.parent, sources, taking=EACH_FIFTH)
    assert everything(out) == before
