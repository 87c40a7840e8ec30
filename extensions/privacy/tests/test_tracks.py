"""Boxes of single moments linked into one that moves, by worked places; and clips that cannot be looked through."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

from domain.errors import InvalidMediaError
from extensions.privacy import cascades, tracks
from extensions.privacy.cascades import DetectedBox
from testkit import covered
from testkit.pictures import video


def box(x: float, y: float = 0.4, kind: str = "face", by: str = "frontal", side: float = 0.2) -> DetectedBox:
    return DetectedBox(kind, x, y, side, side, by)


def spans(seen: list[tuple[float, list[DetectedBox]]], step: float = 0.5) -> list[tuple[str, list[float], list[float]]]:
    """Kind, moments and left edges of each."""
    found = tracks.link_boxes(seen, step)
    return [(each.kind, [at[0] for at in each.places], [at[1] for at in each.places]) for each in found]


def test_what_moves_is_one_and_what_is_far_away_another() -> None:
    """0.1 of a side of 0.2 leaves half: 0.1 / 0.3, a third of the union. 0.17 leaves 0.03 / 0.37 = 0.08: too little."""
    seen = [(0.0, [box(0.1), box(0.7)]), (0.5, [box(0.71), box(0.2)]), (1.0, [box(0.3), box(0.54)])]
    assert spans(seen) == [
        ("face", [0.0, 0.5, 1.0], [0.1, 0.2, 0.3]),
        ("face", [0.0, 0.5], [0.7, 0.71]),
        ("face", [1.0], [0.54]),
    ]


def test_a_moment_without_it_does_not_end_it_and_two_do() -> None:
    seen = [(0.0, [box(0.1)]), (0.5, []), (1.0, [box(0.1)]), (1.5, []), (2.0, []), (2.5, [box(0.1)])]
    assert spans(seen) == [("face", [0.0, 1.0], [0.1, 0.1]), ("face", [2.5], [0.1])]


def test_the_nearest_goes_on_and_another_kind_does_not() -> None:
    seen = [(0.0, [box(0.1), box(0.18)]), (0.5, [box(0.17), box(0.11), box(0.1, kind="plate")])]
    assert spans(seen) == [
        ("face", [0.0, 0.5], [0.1, 0.11]),
        ("face", [0.0, 0.5], [0.18, 0.17]),
        ("plate", [0.5], [0.1]),
    ]


def test_a_long_one_goes_on_as_another_without_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracks, "MOST_PLACES", 3)
    assert [times for _, times, _ in spans([(at / 2, [box(0.1)]) for at in range(5)])] == [
        [0.0, 0.5, 1.0],
        [1.0, 1.5, 2.0],
    ]


@dataclass
class ScriptedDetector:
    """Finds what a script says, in the order in which it is asked."""

    script: list[list[DetectedBox]]

    def find(self, picture: Image.Image) -> list[DetectedBox]:
        return self.script.pop(0)


def test_a_span_reaches_to_the_moments_at_which_it_was_not_seen(tmp_path: Path) -> None:
    """Looked at 0, 0.5, ... of two seconds (20 frames; the last is there until 1.93 s); seen at 0.5, 1.0 and 1.5."""
    clip = video(tmp_path / "it.webm", [at / 10 for at in range(20)])
    by = box(0.3, by="frontal+profile")
    (found,) = tracks.detect_tracks(clip, ScriptedDetector([[], [box(0.1)], [box(0.2)], [by]]))
    assert (found.begin, found.path[0][:2], found.path[-1][:2]) == (0.0, (0.5, 0.1), (1.5, 0.3))
    assert (round(found.end or 0, 1), found.by, found.cover) == (1.9, "frontal+profile", None)
    assert (found.x, round(found.w, 9)) == (0.1, 0.4), "x to x + w holds all of its places"
    slow = ScriptedDetector([[box(0.1)], [box(0.1)]])
    (found,) = tracks.detect_tracks(clip, slow, rate=1.0)
    assert slow.script == []


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = video(tmp_path / "it.webm", [0.0, 0.1])
    monkeypatch.setattr(tracks, "MOST_TRACKS", 1)
    with pytest.raises(
        InvalidMediaError, match=r"it has 2 possible faces and plates, more than the limit of 1\. Use a higher"
    ):
        tracks.detect_tracks(clip, ScriptedDetector([[box(0.1), box(0.7)]]), name="it")


def test_what_cannot_be_read_to_its_end_is_said(tmp_path: Path) -> None:
    whole = covered.clip(tmp_path / "whole.webm").read_bytes()
    cut, other = tmp_path / "cut.webm", tmp_path / "other.webm"
    cut.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InvalidMediaError, match=r"cut\.webm breaks off: .*Import an undamaged copy"):
        tracks.detect_tracks(cut, ScriptedDetector([[]] * 99), name="cut.webm")
    other.write_bytes(b"\x1aE\xdf\xa3" + b"no clip at all" * 50)
    with pytest.raises(InvalidMediaError, match=r"Touchstone cannot decode other\.webm"):
        tracks.detect_tracks(other, ScriptedDetector([]), name="other.webm")


@pytest.mark.thorough
def test_a_face_that_moves_is_found_while_it_is_there(tmp_path: Path) -> None:
    """It is there from 2.0 to 3.9 s; looked at 2.0, 2.5, 3.0 and 3.5 s, and not seen at 1.5 and 4.0 s."""
    (found,) = tracks.detect_tracks(covered.clip(tmp_path / "it.webm"), cascades.Finder())
    assert (found.kind, found.by, found.begin, found.end) == ("face", "frontal", 1.5, 4.0)
    assert [at[0] for at in found.path] == [2.0, 2.5, 3.0, 3.5]
    for time, x, y, w, h in found.path:
        left, top, right, bottom = covered.face_at(round(time * covered.CLIP_RATE))
        middle = (left + right) / 2 / 320, (top + bottom) / 2 / 240
        assert x < middle[0] - 0.05 < middle[0] + 0.05 < x + w, "both eyes, 13 pixels to either side of the middle"
        assert y < middle[1] < y + h
