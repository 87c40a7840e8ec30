"""What is painted over is gone: the pixels, worked out by hand, and that nothing within has a part in them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from extensions.privacy import covered_image
from media.store import MediaStore
from testkit.covered import AREA, picture, shows
from testkit.pictures import encoded, photo

BOX = {"x": 0.25, "y": 0.2, "w": 0.2, "h": 0.4}


def test_a_box_becomes_the_mean_of_what_lies_around_it() -> None:
    """A ring of twelve pixels around two by two: seven of 10, four of 20 and one of 41 are 191 / 12 = 15.9, so 16."""
    pixels = np.full((6, 6, 3), 200, dtype=np.uint8)
    pixels[1:5, 1:5] = 10
    pixels[1, 1:5] = 20
    pixels[4, 4] = 41
    pixels[2:4, 2:4] = 99
    made = np.asarray(covered_image.covered(Image.fromarray(pixels), [(2, 2, 4, 4)]))
    assert made[2:4, 2:4].reshape(-1, 3).tolist() == [[16, 16, 16]] * 4
    left = pixels.copy()
    left[2:4, 2:4] = 16
    assert made.tolist() == left.tolist(), "nothing else changes"


def test_pictures_that_differ_within_the_boxes_alone_come_out_alike() -> None:
    """Also where boxes touch, so that the ring of one lies in the other, and where one reaches to the edge."""
    areas = [(10, 10, 40, 40), (40, 20, 70, 60), (0, 0, 12, 12), (180, 50, 200, 100)]
    plain, other = photo(200, 100, seed=1), photo(200, 100, seed=1)
    for area in areas:
        other.paste(photo(area[2] - area[0], area[3] - area[1], seed=9), area[:2])
    assert plain.tobytes() != other.tobytes()
    assert covered_image.covered(plain, areas).tobytes() == covered_image.covered(other, areas).tobytes()
    whole = (0, 0, 200, 100)
    assert np.unique(np.asarray(covered_image.covered(plain, [whole]))).tolist() == [covered_image.GREY[0]]


@pytest.mark.parametrize(
    ("box", "margin", "pixels"),
    [
        (BOX, 0.0, AREA),
        (BOX, 0.15, (44, 14, 96, 66)),  # 50 - 0.15 * 40 = 44, 90 + 6 = 96; 20 - 0.15 * 40 = 14, 60 + 6 = 66
        ({"x": 0.251, "y": 0.201, "w": 0.198, "h": 0.398}, 0.0, AREA),  # 50.2 to 89.8, 20.1 to 59.9: every touched one
        ({"x": 0.0, "y": 0.9, "w": 0.1, "h": 0.1}, 0.5, (0, 85, 30, 100)),
        ({"x": 0.5, "y": 0.5, "w": 0.0001, "h": 0.0001}, 0.0, (100, 50, 101, 51)),
    ],
)
def test_every_pixel_that_a_box_touches_is_covered(
    box: dict[str, float], margin: float, pixels: tuple[int, ...]
) -> None:
    assert covered_image.edges((200, 100), box, margin=margin) == pixels


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_a_file_has_neither_the_pixels_nor_a_small_copy_of_them(format: str, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "the name of who is seen"  # turned by a quarter, as cameras note it
    source, store = tmp_path / "in", MediaStore(tmp_path / "media")
    source.write_bytes(encoded(picture().rotate(90, expand=True), format, exif=exif))
    assert shows(source)
    whole = store.upright(store.add(source).sha256, name="it")
    mime = f"image/{format.lower()}"
    area = covered_image.edges((200, 100), BOX, margin=0.15)
    made = covered_image.covered_file(whole, [area], mime=mime)
    assert not shows(made)
    assert b"the name of who is seen" not in made
    with Image.open(io.BytesIO(made)) as image:
        assert (image.size, image.format, dict(image.info), bool(image.getexif())) == ((200, 100), "PNG", {}, False)
    assert made == covered_image.covered_file(whole, [area], mime=mime)


@pytest.mark.thorough
def test_a_large_photo_stays_one() -> None:
    made = covered_image.covered_file(photo(2500, 1700), [(0, 0, 10, 10)], mime="image/jpeg")
    with Image.open(io.BytesIO(made)) as image:
        assert (image.size, image.format) == ((2500, 1700), "JPEG")
