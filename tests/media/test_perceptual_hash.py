"""Hashes of pictures that look alike are near each other, those of others are not."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageFilter

from examples.scenes import scenes
from media.perceptual_hash import difference_hash, distance, hash_of_file
from media.store import MediaStore
from testkit.pictures import encoded


def test_the_same_scene_smaller_blurred_or_brighter_is_alike() -> None:
    picture = scenes()[0].picture((640, 480))
    first = difference_hash(picture)
    for other in (
        picture.resize((320, 240)),
        picture.filter(ImageFilter.GaussianBlur(6)),
        picture.point([min(255, value + 8) for value in range(256)] * 3),
    ):
        assert distance(first, difference_hash(other)) <= 6


def test_most_other_scenes_are_not_alike() -> None:
    hashes = [difference_hash(scene.picture((320, 240))) for scene in scenes()[:12]]
    far = [distance(a, b) > 6 for at, a in enumerate(hashes) for b in hashes[:at]]
    assert sum(far) > 0.8 * len(far)


def test_the_hash_fits_into_a_database_and_an_even_picture_has_none_of_its_bits() -> None:
    assert difference_hash(Image.new("RGB", (50, 50), "grey")) == 0
    rising = Image.linear_gradient("L").rotate(90)
    assert {difference_hash(rising), difference_hash(rising.rotate(180))} == {0, -1}


def test_the_hash_of_a_stored_file_is_that_of_its_picture(tmp_path: Path) -> None:
    picture = scenes()[0].picture((640, 480))
    store = MediaStore(tmp_path / "media")
    stored = store.add(encoded(picture), name="a.png")
    assert distance(hash_of_file(store.path(stored.sha256, "thumb")), difference_hash(picture)) <= 3
