"""The cascades: a drawn face is found where it is, whose hash is told; and what they miss is missed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import pytest
from PIL import Image

from extensions.privacy import cascades
from testkit.covered import face
from testkit.pictures import photo

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def finder() -> cascades.Finder:
    return cascades.Finder()


@pytest.mark.parametrize("side", [40, 90, 220])
def test_a_drawn_face_is_found_where_it_is(finder: cascades.Finder, side: int) -> None:
    (found,) = finder.find(face(side))
    assert (found.kind, found.by) == ("face", "frontal")
    left, right = found.x * 640, (found.x + found.w) * 640
    top, bottom = found.y * 480, (found.y + found.h) * 480
    # both eyes and the mouth lie within it, and it is at most one and a half times as wide as the face
    assert left < 320 - 0.27 * side < 320 + 0.27 * side < right
    assert top < 240 - 0.17 * side < 240 + 0.4 * side < bottom
    assert right - left < 1.5 * side


def test_a_face_on_its_side_is_missed_as_the_command_says(finder: cascades.Finder) -> None:
    assert finder.find(face(120, turned=90)) == []
    assert finder.find(photo()) == []


def test_in_a_large_picture_places_are_shares_of_all_of_it(finder: cascades.Finder) -> None:
    """The same face in four times as many pixels each way, which are made fewer before anyone looks."""
    (small,) = finder.find(face(160))
    (large,) = finder.find(face(160).resize((2560, 1920), Image.Resampling.BICUBIC))
    assert all(abs(getattr(small, name) - getattr(large, name)) < 0.04 for name in "xywh")
    tiny = finder.find(Image.new("RGB", (3, 2)))
    assert tiny == []


def test_with_what_was_looked_is_told(finder: cascades.Finder) -> None:
    folder = Path(cv2.data.haarcascades)
    wanted = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (
            "haarcascade_frontalface_default.xml",
            "haarcascade_profileface.xml",
            "haarcascade_russian_plate_number.xml",
            "haarcascade_license_plate_rus_16stages.xml",
        )
    }
    assert finder.settings["cascades"] == wanted
    assert finder.settings["opencv"] == cv2.__version__
    assert [*cascades.Finder(kinds=["face"], neighbours=7).settings["cascades"]] == [*wanted][:2]
