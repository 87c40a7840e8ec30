"""What is painted over in a clip is gone from every frame in which it was, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from domain.errors import InvalidMediaError
from extensions.privacy import covered_clip
from extensions.privacy.boxes import Box
from media import clips
from testkit import covered

pytestmark = pytest.mark.thorough

PATH = tuple(
    (at / 10, left / 320, top / 240, (right - left) / 320, (bottom - top) / 240)
    for at in (20, 25, 30, 35, 39)
    for left, top, right, bottom in [covered.face_at(at)]
)
"""Where the face is at five moments, two of a second apart at most half."""
FACE = replace(Box.moving("face", PATH, "hand", begin=2.0, end=3.9), cover=True)


def decoded(path: Path) -> list[Image.Image]:
    with av.open(str(path)) as container:
        return [frame.to_image() for frame in container.decode(video=0)]  # type: ignore[no-untyped-call]


def spread(image: Image.Image, area: tuple[int, int, int, int]) -> float:
    """How far the pixels of an area lie apart, of 255: about 1 once it has one colour, and 40 with a face in it."""
    return float(np.asarray(image.crop(area)).astype(float).std(axis=(0, 1)).max())


def test_no_frame_has_the_face_and_the_others_are_as_before(tmp_path: Path) -> None:
    source, made, again = covered.clip(tmp_path / "it.webm"), tmp_path / "made.webm", tmp_path / "again.webm"
    covered_clip.write(source, [FACE], margin=0.15, out=made, name="it")
    before, after = decoded(source), decoded(made)
    assert len(before) == len(after) == covered.CLIP_FRAMES
    for number, (was, now) in enumerate(zip(before, after, strict=True)):
        if number in covered.FACE_FRAMES:
            area = covered.face_at(number)
            assert spread(was, area) > 30, "the face was there"
            assert spread(now, area) < 4, f"frame {number} shows something of it"
        elif not 18 <= number <= 41:  # 0.2 s before 2.0 and after 3.9 are covered, too
            off = np.abs(np.asarray(was).astype(int) - np.asarray(now).astype(int))
            assert (off.mean() < 1, off.max() < 40) == (True, True), number
    assert clips.timing(made) == clips.timing(source)
    covered_clip.write(source, [FACE], margin=0.15, out=again, name="it")
    assert made.read_bytes() == again.read_bytes()


def test_between_two_places_all_is_covered_that_lies_between_them() -> None:
    """A box of 0.2 that goes from 0.1 to 0.5 in half a second. Wherever it was between, also if it jumped, from a
    quarter of a second on all from 0.1 to 0.7 is covered; held still at its ends, less."""
    box = Box.moving("face", [(1.0, 0.1, 0.4, 0.2, 0.2), (1.5, 0.5, 0.4, 0.2, 0.2)], "hand", begin=1.0, end=1.5)
    (x, w) = (lambda at: (at["x"], at["w"]))(covered_clip.place(box, 1.25) or {})
    assert (round(x, 9), round(x + w, 9)) == (0.1, 0.7)
    assert covered_clip.place(box, 0.79) is None
    assert covered_clip.place(box, 1.71) is None
    early = covered_clip.place(
        box, 0.8
    )  # 0.2 s before, it was 0.4 / 0.5 * 0.2 = 0.16 further to the left, beyond the edge
    assert early is not None
    assert (early["x"], round(early["x"] + early["w"], 9)) == (
        0.0,
        0.54,
    )  # at 1.3 s, 0.5 s later, its right edge is at 0.54
    still = Box("face", 0.1, 0.4, 0.2, 0.2, "hand", True, begin=2.0, end=3.0)
    assert covered_clip.place(still, 2.5) == {"x": 0.1, "y": 0.4, "w": pytest.approx(0.2), "h": pytest.approx(0.2)}


def test_sound_stays_and_what_a_file_says_of_itself_goes(tmp_path: Path) -> None:
    plain, loud, made = covered.clip(tmp_path / "it.webm"), tmp_path / "loud.webm", tmp_path / "made.webm"
    sounded(plain, loud)
    covered_clip.write(loud, [FACE], margin=0.0, out=made, name="it")
    assert heard(made) == heard(loud) != []
    assert b"the name of who is seen" in loud.read_bytes()
    assert b"the name of who is seen" not in made.read_bytes()
    assert clips.timing(made).times == clips.timing(loud).times


def sounded(plain: Path, loud: Path) -> None:
    """The same clip with six seconds of a tone, and a title."""
    with av.open(str(plain)) as source, av.open(str(loud), "w", format="webm") as target:
        target.metadata["title"] = "the name of who is seen"
        pictures = target.add_stream_from_template(source.streams.video[0])
        tone = target.add_stream("libopus", rate=48_000)
        wave = (8000 * np.sin(np.arange(6 * 48_000) / 20)).astype(np.int16)
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = pictures
                target.mux(packet)
        for at in range(0, len(wave), 960):
            frame = av.AudioFrame.from_ndarray(wave[None, at : at + 960], format="s16", layout="mono")
            frame.rate, frame.pts = 48_000, at
            target.mux(tone.encode(frame))
        target.mux(tone.encode())


def heard(path: Path) -> list[tuple[int | None, bytes]]:
    with av.open(str(path)) as container:
        return [(packet.pts, bytes(packet)) for packet in container.demux(audio=0) if packet.size]


def test_a_clip_that_cannot_be_read_to_its_end_is_refused(tmp_path: Path) -> None:
    whole = covered.clip(tmp_path / "it.webm").read_bytes()
    cut, made = tmp_path / "cut.webm", tmp_path / "made.webm"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InvalidMediaError, match=r"cut breaks off: .*Convert the clip"):
        covered_clip.write(cut, [FACE], margin=0.15, out=made, name="cut")
    assert not made.exists()


def test_what_was_written_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had been painted: the first frame that had to be is named, and nothing is left."""
    made = tmp_path / "made.webm"

    def encode(original: Path, *rest: Any) -> int:
        made.write_bytes(original.read_bytes())
        return covered.CLIP_FRAMES

    monkeypatch.setattr(covered_clip, "_encode", encode)
    with pytest.raises(InvalidMediaError, match=r"has an uncovered box at 2\.00 s"):
        covered_clip.write(covered.clip(tmp_path / "it.webm"), [FACE], margin=0.0, out=made, name="it")
    assert not made.exists()
