"""What items draw on their pictures comes out as these pixels, worked out by hand, always and for everyone."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from PIL import Image

from annotation_schemas.drawing import GREY, RED
from media import drawn
from testkit.pictures import photo

BLUE = (0, 0, 200)
WHITE = (255, 255, 255)
NAMES = {BLUE: ".", WHITE: "w", RED: "r", GREY: "g"}


def column(image: Image.Image, x: int) -> str:
    return "".join(NAMES[image.getpixel((x, y))] for y in range(image.height))  # type: ignore[index]


def row(image: Image.Image, y: int) -> str:
    return "".join(NAMES[image.getpixel((x, y))] for x in range(image.width))  # type: ignore[index]


def plain(width: int = 101, height: int = 21) -> Image.Image:
    return Image.new("RGB", (width, height), BLUE)


def test_an_arrow_points_where_it_says() -> None:
    """In 101 x 21 pixels lines are 2 thick and rims 1; from 10, 10 to 90, 10, with a head of 12 from 78 on.

    The shaft reaches 1 to either side, with the rim 2; the wings at 78 reach 5, with the rim 6 one pixel further back.
    """
    made = drawn.draw(plain(), arrows=[{"x": 0.1, "y": 0.5, "to_x": 0.9, "to_y": 0.5}])
    assert column(made, 40) == "." * 8 + "wrrrw" + "." * 8
    assert column(made, 78)[5:16] == "r" * 11
    assert column(made, 77)[4:17] == "wwwww" + "rrr" + "wwwww"
    assert row(made, 10) == "." * 9 + "w" + "r" * 81 + "ww" + "." * 8
    turned = drawn.draw(plain().rotate(90, expand=True), arrows=[{"x": 0.5, "y": 0.9, "to_x": 0.5, "to_y": 0.1}])
    assert column(turned, 10) == "." * 8 + "ww" + "r" * 81 + "w" + "." * 9
    assert row(turned, 60) == "." * 8 + "wrrrw" + "." * 8


def test_what_is_painted_over_is_even_and_lies_below_the_rest() -> None:
    """From 0.2 to 0.6 of 100 pixels: 20 to 59; a box there is seen."""
    whole = {"x": 0.2, "y": 0.0, "w": 0.4, "h": 1.0}
    made = drawn.draw(photo(100, 50), blur=[whole])
    left = np.asarray(made)
    assert (left[:, 20:60] == GREY).all()
    assert np.array_equal(np.delete(left, np.s_[20:60], 1), np.delete(np.asarray(photo(100, 50)), np.s_[20:60], 1))
    over = drawn.draw(photo(100, 50), blur=[whole], boxes=[{"x": 0.3, "y": 0.2, "w": 0.2, "h": 0.4}])
    assert over.getpixel((30, 20)) == RED
    assert over.getpixel((40, 20)) == GREY


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (640, 480)])
def test_all_of_it_is_the_same_twice_and_of_every_size(size: tuple[int, int]) -> None:
    picture = photo(*size)
    given = {
        "boxes": [{"x": 0.1, "y": 0.1, "w": 0.3, "h": 0.3, "label": "a"}],
        "marks": [{"number": 12, "x": 0.9, "y": 0.9}],
        "arrows": [{"x": 0.9, "y": 0.1, "to_x": 0.2, "to_y": 0.7}],
        "blur": [{"x": 0.5, "y": 0.5, "w": 0.2, "h": 0.2}],
    }
    before = picture.tobytes()
    first, second = (hashlib.sha256(drawn.draw(picture, **given).tobytes()).hexdigest() for _ in range(2))  # type: ignore[arg-type]
    assert first == second
    assert picture.tobytes() == before, "the picture itself stays"
    assert drawn.draw(picture).tobytes() == before
