"""Motion of a frame against the one before it in its video: of pictures that are moved by so many pixels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from domain.errors import InvalidInputError
from extensions.frames import extraction, motion
from extensions.frames.extraction import ExtractionSettings, Source
from extensions.frames.screening import ScreeningSettings
from media import clips
from media.frames import DecodedFrame
from testkit.pictures import video

pytestmark = pytest.mark.thorough


def wall(width: int, height: int, grain: int = 6) -> Image.Image:
    """A picture with something to see everywhere."""
    rng = np.random.default_rng(3)
    small = Image.fromarray(rng.integers(0, 256, (height // grain, width // grain, 3), dtype=np.uint8))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def at(x: int, y: int = 0, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """What a camera sees that has moved so far over a wall twice as large."""
    return wall(2 * size[0], 2 * size[1]).crop((x, y, x + size[0], y + size[1]))


@pytest.mark.parametrize(
    ("moved", "size", "expected"),
    [
        ((3, 0), (320, 240), 3.0),
        ((0, 3), (320, 240), 3.0),
        ((3, 4), (320, 240), 5.0),  # the hypotenuse
        ((3, 0), (640, 480), 1.5),  # 3 of 640 pixels are 1.5 of 320
        ((3, 0), (160, 120), 6.0),  # and 3 of 160 are 6
        ((3, 0), (240, 320), 3.0),  # the longer side counts
    ],
)
def test_a_picture_that_moves_by_so_many_pixels(moved: tuple[int, int], size: tuple[int, int], expected: float) -> None:
    before, now = (motion.small(each) for each in (at(0, 0, size), at(*moved, size)))
    assert motion.between(before, now) == pytest.approx(expected, rel=0.1)
    assert motion.between(now, now) < 0.01


PANS = [0, 3, 6, 6, 6, 12]
"""Where the camera is at each frame: it moves by 3, 3, 0, 0 and 6."""


def lines(out: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (out / extraction.MANIFEST).read_text().splitlines()]
    return [line for line in found if line["record"] == "frame"]


def test_each_frame_is_held_against_the_one_before_it_in_the_video(tmp_path: Path) -> None:
    path = clips.write([at(x) for x in PANS], out=tmp_path / "v.webm", frames_per_second=10)
    sources = [Source("v.webm", path)]
    every, each_other = tmp_path / "every", tmp_path / "other"
    extraction.make(every, sources, taking=ExtractionSettings(every=1, motion=True))
    first, *others = [line["motion"] for line in lines(every)]
    assert first is None
    assert others == pytest.approx([3, 3, 0, 0, 6], rel=0.15, abs=0.3)  # as a codec leaves them
    extraction.make(each_other, sources, taking=ExtractionSettings(every=2, motion=True))
    assert [line["motion"] for line in lines(each_other)] == [None, others[1], others[3]]
    assert "motion" not in lines_of(tmp_path / "none", sources)[1]
    limits = ScreeningSettings(least_motion=1, most_motion=4.5)
    told = extraction.make(every, sources, taking=ExtractionSettings(every=1, motion=True), keeping=limits)
    assert [(line["why"] or "kept").partition(":")[0] for line in lines(every)] == [
        "kept", "kept", "kept", "still", "still", "in motion",
    ]  # fmt: skip
    assert told.dropped == {"still": 2, "in motion": 1}


def lines_of(out: Path, sources: list[Source]) -> list[dict[str, Any]]:
    extraction.make(out, sources, taking=ExtractionSettings(every=1))
    head = json.loads((out / extraction.MANIFEST).read_text().splitlines()[0])
    assert "motion" not in head["taking"]  # as folders have it that were taken before
    return lines(out)


def test_broken_off_it_goes_on_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video(tmp_path / "a.mp4", [n / 25 for n in range(70)], codec="libx264", keyframes=15)
    sources, taking = [Source("a.mp4", tmp_path / "a.mp4")], ExtractionSettings(every=5, motion=True)
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    extraction.make(whole, sources, taking=taking)
    taken, n = extraction._taken, 0

    def broken_off(*given: Any) -> Any:
        nonlocal n
        n += 1
        if n == 6:
            raise KeyboardInterrupt
        return taken(*given)

    monkeypatch.setattr(extraction, "_taken", broken_off)
    with pytest.raises(KeyboardInterrupt):
        extraction.make(torn, sources, taking=taking)
    extraction.make(torn, sources, taking=taking)
    assert lines(torn) == lines(whole)
    assert [line["motion"] is None for line in lines(whole)] == [True, *[False] * 13]


class ShuffledFilm:
    """A film whose frames come as those of two groups of pictures may."""

    def read(self, wanted: list[int]) -> Iterator[DecodedFrame]:
        assert wanted == [3, 4, 8, 9]
        for index in (4, 3, 9, 8):
            yield DecodedFrame(index, Fraction(index), at(0 if index in (3, 8) else 2))


def test_frames_wait_for_those_before_them() -> None:
    found = extraction._found(ShuffledFilm(), [4, 9], ExtractionSettings(every=1, motion=True))  # type: ignore[arg-type]
    assert [(each.index, before == motion.small(at(0))) for each, before in found] == [(4, True), (9, True)]


def test_what_is_not_measured_is_not_screened_by(tmp_path: Path) -> None:
    for keeping, taking, said in (
        (ScreeningSettings(least_motion=1), ExtractionSettings(every=1), "have no motion values"),
        (
            ScreeningSettings(least_motion=3, most_motion=2),
            ExtractionSettings(every=1, motion=True),
            "minimum motion 3 is above the maximum motion 2",
        ),
    ):
        with pytest.raises(InvalidInputError, match=said):
            extraction.make(tmp_path / "out", [], taking=taking, keeping=keeping)
    assert not (tmp_path / "out").exists()
