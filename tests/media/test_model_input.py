"""Pictures as models get them: made once, upright, without notes of the camera, and no folder grows without end."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from media.model_input import IN_USE_SECONDS, Pictures, evenly
from media.store import MediaStore
from testkit.pictures import encoded, photo, quarters

BOX = {"x": 0.1, "y": 0.1, "w": 0.5, "h": 0.5}


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    return Pictures(MediaStore(tmp_path / "media"), tmp_path / "prepared")


def test_a_plain_file_goes_out_as_it_came(pictures: Pictures) -> None:
    for format in ("PNG", "JPEG"):
        data = encoded(photo(), format)
        stored = pictures.media.add(data)
        made = pictures.image(stored.sha256)
        assert made.path.read_bytes() == data
        assert made.sha256 == hashlib.sha256(data).hexdigest()
    assert not pictures.cache.exists()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_is_turned_upright_and_its_notes_stay_here(orientation: int, pictures: Pictures) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Camera of Ann"
    data = encoded(quarters(), "JPEG", exif=exif, quality=95)
    made = pictures.image(pictures.media.add(data).sha256)
    with Image.open(made.path) as image, Image.open(pictures.media.path(hashlib.sha256(data).hexdigest())) as before:
        upright = ImageOps.exif_transpose(before)
        assert image.size == upright.size
        assert image.tobytes() == upright.convert("RGB").tobytes()
        assert not image.getexif()
    assert b"Camera of Ann" not in made.path.read_bytes()


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "LA"])
def test_every_sort_of_image_becomes_rgb(mode: str, pictures: Pictures) -> None:
    made = pictures.image(pictures.media.add(encoded(photo().convert(mode))).sha256, boxes=[BOX])
    with Image.open(made.path) as image:
        assert (image.mode, image.size) == ("RGB", (640, 480))


@pytest.mark.thorough
def test_a_large_photo_stays_small_enough_to_be_sent(pictures: Pictures) -> None:
    data = encoded(photo(3000, 2000), "JPEG", quality=92)
    made = pictures.image(pictures.media.add(data).sha256, boxes=[BOX])
    assert made.path.suffix == ".jpg"
    with Image.open(made.path) as image, Image.open(pictures.media.path(hashlib.sha256(data).hexdigest())) as before:
        assert (image.format, image.size) == ("JPEG", (3000, 2000))
        ours, theirs = image.getpixel((2900, 1900)), before.getpixel((2900, 1900))
    assert isinstance(ours, tuple)
    assert isinstance(theirs, tuple)
    assert max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) <= 4
    small = pictures.image(pictures.media.add(encoded(photo(), "JPEG")).sha256, boxes=[BOX])
    assert small.path.suffix == ".png"


def test_what_was_not_used_for_longest_goes_and_what_is_in_use_stays(pictures: Pictures) -> None:
    stored = pictures.media.add(encoded(photo()))
    made = [pictures.image(stored.sha256, boxes=[{**BOX, "x": n / 100}]) for n in range(6)]
    long_ago = time.time() - IN_USE_SECONDS - 60
    for age, each in enumerate(made[:4]):
        os.utime(each.path, (long_ago - age, long_ago - age))  # the fourth one was used longest ago
    again = pictures.image(stored.sha256, boxes=[{**BOX, "x": 0.03}])  # and is used now
    assert again == made[3]
    size = sum(each.path.stat().st_size for each in made)
    pictures.room = size
    assert pictures.tidy() == 0
    pictures.room = int(size * 4.5 / 6)  # tidied to 0.8 of it: room for 3.6 of 6, so 3 go
    assert pictures.tidy() == 3
    assert [each.path.exists() for each in made] == [False, False, False, True, True, True]
    pictures.room = 1
    assert pictures.tidy() == 0  # all of them are in use
    made_again = pictures.image(stored.sha256, boxes=[{**BOX, "x": 0.0}])
    assert made_again == made[0]


def test_moments_are_spread_evenly_and_none_is_late() -> None:
    times = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert evenly(times, start=0.0, end=0.5, n=3) == (0.0, 0.2, 0.5)
    assert evenly(times, start=0.15, end=0.35, n=2) == (0.1, 0.3)
    assert evenly(times, start=0.2, end=0.2, n=8) == (0.2,)
    assert evenly(times, start=0.0, end=9.0, n=1) == (0.5,)
    assert evenly(times, start=0.0, end=0.5, n=0) == ()
    assert evenly([], start=0.0, end=0.5, n=4) == ()
