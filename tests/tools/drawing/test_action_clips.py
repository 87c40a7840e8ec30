"""Clips show the action that they say they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from media import clips
from media.store import MediaStore
from tools.drawing.action_clips import FRAMES_PER_SECOND, action_clips
from tools.drawing.backdrops import WIDTH, on_screen

ALL = {clip.name: clip for clip in action_clips()}


def place_of(image: Image.Image, channel: int) -> float | None:
    """Where, from 0 at the left to 1 at the right, the picture is most strongly of one colour; None if nowhere."""
    small = image.reduce(4)
    found = [
        x
        for x in range(small.width)
        for y in range(small.height)
        if (p := small.getpixel((x, y))) and p[channel] > 1.9 * max(p[c] for c in range(3) if c != channel)  # type: ignore[index,type-var]
    ]
    return sum(found) / len(found) / small.width if len(found) > 10 else None


def test_the_cup_moves_from_left_to_right() -> None:
    clip = ALL["move-cup"]
    assert "from left to right" in clip.action
    first, last = clip.at(0), clip.at(1)
    start, end = (place_of(scene.draw((320, 240)), 0) for scene in (first, last))
    assert start is not None
    assert end is not None
    assert start < 0.4
    assert end > 0.55
    cups = [next(thing for thing in scene.things if thing.kind == "cup") for scene in (first, last)]
    assert on_screen(cups[0].x, cups[0].depth)[0] < WIDTH / 2 < on_screen(cups[1].x, cups[1].depth)[0]


def test_the_lemon_is_there_and_then_it_is_not() -> None:
    clip = ALL["take-lemon"]
    _, y_first, _ = on_screen(*next((t.x, t.depth) for t in clip.at(0).things if t.kind == "lemon"))
    _, y_last, _ = on_screen(*next((t.x, t.depth) for t in clip.at(1).things if t.kind == "lemon"))
    assert y_first < 960 < y_last
    assert any(thing.kind == "apple" for thing in clip.at(1).things)


def test_the_block_comes_to_lie_next_to_the_others() -> None:
    blocks = {thing.colour: thing for thing in ALL["push-block"].at(1).things if thing.kind == "block"}
    assert blocks["red"].depth == pytest.approx(blocks["yellow"].depth)
    assert 0 < blocks["red"].x - blocks["yellow"].x < 0.4
    assert ALL["push-block"].at(0).things[-1].depth < 0.3


def test_more_and_more_is_written() -> None:
    def written(t: float) -> float:
        return float(str(dict(ALL["write"].at(t).things[0].state)["written"]))

    assert written(0) < written(0.5) < written(1)


def test_what_comes_next_is_none_of_the_others() -> None:
    for clip in ALL.values():
        assert len({clip.next_action, clip.action, *clip.others}) == 5


@pytest.mark.parametrize("name", ALL)
def test_clips_are_webm_that_the_store_takes(name: str, tmp_path: Path) -> None:
    clip = ALL[name]
    path = clip.save(tmp_path / f"{name}.webm", (160, 120))
    stored = MediaStore(tmp_path / "media").add(path, name=path.name)
    assert (stored.kind, stored.mime, stored.width, stored.height) == ("clip", "video/webm", 160, 120)
    assert stored.duration == pytest.approx(clip.seconds, abs=2 / FRAMES_PER_SECOND)
    cut = clips.cut(path, out=tmp_path / "cut.webm", start=0.5, end=1.5)
    assert cut.times[-1] <= 1.5
