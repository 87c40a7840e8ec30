"""What items draw on their pictures comes out as these pixels, worked out by hand, always and for everyone."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from PIL import Image

from annotation_schemas.drawing import GREY, RED
from domain.errors import InvalidMediaError
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


OUTER = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]]
HOLE = [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]]
FRAME = [
    "..........",
    "..........",
    "..gggggg..",
    "..gggggg..",
    "..gg..gg..",
    "..gg..gg..",
    "..gggggg..",
    "..gggggg..",
    "..........",
    "..........",
]
"""Of 10 x 10 pixels those whose middles lie in OUTER, 0.25 to 0.75, and not in HOLE, 0.45 and 0.55."""
COUNTS = [22, 6, 4, 6, 4, 2, 2, 2, 4, 2, 2, 2, 4, 6, 4, 6, 22]
"""FRAME column after column: 20 pixels of two empty ones and 2 of the third are left out, then 6 are filled, and so on.

As COCO's text: 22 is 10110 in bits, whose highest says that more follow (22 + 32 + 48 is ``f``, then 0); 6 and 4 are
themselves; then differences to the count two before: 0, 0, -4, -2, 0, 2, 0, -2, 0, 2, 4, 0, 0, 18. -4 is 11100 (28 + 48
is ``L``), -2 is 11110 (``N``), and 18 is 10010, with more to follow (``b``, 0)."""
BOW = [[0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]
"""Two triangles that meet in the middle: its lines cross there."""


def rows(image: Image.Image) -> list[str]:
    return [row(image, y) for y in range(image.height)]


def turned(lines: list[str], one: str, other: str) -> list[str]:
    return [line.translate(str.maketrans(one + other, other + one)) for line in lines]


@pytest.mark.parametrize(
    "mask",
    [
        {"rings": [OUTER, HOLE]},
        {"rings": [HOLE[::-1], OUTER]},
        {"rle": {"size": [10, 10], "counts": COUNTS}},
        {"rle": {"size": [10, 10], "counts": "f06400LN020N02400b0"}},
    ],
    ids=["rings", "rings the other way around", "run lengths", "COCO's text"],
)
def test_a_mask_covers_these_pixels_or_all_others(mask: dict[str, object]) -> None:
    inside = drawn.draw(plain(10, 10), masks=[{**mask, "cover": "inside"}])
    outside = drawn.draw(plain(10, 10), masks=[{**mask, "cover": "outside"}])
    assert rows(inside) == FRAME
    assert rows(outside) == turned(FRAME, "g", ".")


def test_where_lines_of_a_mask_cross_the_even_odd_rule_says_what_is_filled() -> None:
    """At row y, from the middle 0.5 on, the triangles reach as far to both sides as they are from the crossing in 5, 5;
    a middle on a left line is in, one on a right line is out."""
    made = drawn.draw(plain(10, 10), masks=[{"rings": [BOW], "cover": "inside"}])
    wide = [0, 7, 5, 3, 1, 1, 3, 5, 7, 0]
    begin = [0, 1, 2, 3, 4, 4, 3, 2, 1, 0]
    assert rows(made) == ["." * a + "g" * n + "." * (10 - a - n) for a, n in zip(begin, wide, strict=True)]
    twice = drawn.draw(plain(10, 10), masks=[{"rings": [OUTER, OUTER], "cover": "inside"}])
    assert rows(twice) == ["." * 10] * 10, "the same line twice encloses nothing"


def test_pixels_of_a_mask_count_down_the_columns() -> None:
    """The second of eight is below the first, and the third above in the next column."""
    runs = {"rle": {"size": [2, 4], "counts": [1, 2, 5]}, "cover": "inside"}
    assert rows(drawn.draw(plain(4, 2), masks=[runs])) == [".g..", "g..."]


def test_masks_that_leave_something_leave_all_of_it_and_one_of_other_size_is_stretched() -> None:
    halves = [{"rle": {"size": [2, 2], "counts": counts}, "cover": "outside"} for counts in ([0, 1, 3], [3, 1])]
    assert rows(drawn.draw(plain(4, 4), masks=halves)) == ["..gg", "..gg", "gg..", "gg.."]
    covered = drawn.draw(
        plain(4, 4), masks=[*halves, {"rings": [[[0, 0], [1, 0], [1, 0.25], [0, 0.25]]]} | {"cover": "inside"}]
    )
    assert rows(covered) == ["gggg", "..gg", "gg..", "gg.."]


def test_a_mask_is_tinted_between_its_lines() -> None:
    """Of 21 pixels 3 to 17 are in the mask; lines are 2 thick, and rims 1. The tint is two fifths of RED and three of
    BLUE: (2 x 230 + 0) / 5 = 92, 0, (3 x 200) / 5 = 120."""
    square = [[3 / 21, 3 / 21], [18 / 21, 3 / 21], [18 / 21, 18 / 21], [3 / 21, 18 / 21]]
    made = drawn.draw(plain(21, 21), masks=[{"rings": [square]}])
    tint = (92, 0, 120)
    assert [made.getpixel((x, 10)) for x in range(21)] == [
        *[BLUE] * 2, WHITE, RED, RED, WHITE, *[tint] * 9, WHITE, RED, RED, WHITE, *[BLUE] * 2
    ]  # fmt: skip
    assert column(made, 2) == ".." + "w" * 17 + ".."
    over = drawn.draw(plain(21, 21), masks=[{"rings": [square]}, {"rings": [square], "cover": "inside"}])
    # the cover lies below: (2 x 230 + 3 x 128) / 5 = 168.8, (3 x 128) / 5 = 76.8
    assert over.getpixel((10, 10)) == (168, 76, 76)


def test_a_mask_of_other_proportions_is_refused() -> None:
    lying = {"rle": {"size": [640, 480], "counts": [640 * 480]}}
    with pytest.raises(InvalidMediaError, match=r"480 x 640 pixels does not fit an image of 640 x 480.*height, width"):
        drawn.draw(plain(640, 480), masks=[lying])
    rounded = {"rle": {"size": [33, 50], "counts": [33 * 50]}}  # 100 x 67 halved
    assert rows(drawn.draw(plain(100, 67), masks=[rounded])) == ["." * 100] * 67


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (640, 480)])
def test_all_of_it_is_the_same_twice_and_of_every_size(size: tuple[int, int]) -> None:
    picture = photo(*size)
    given = {
        "boxes": [{"x": 0.1, "y": 0.1, "w": 0.3, "h": 0.3, "label": "a"}],
        "marks": [{"number": 12, "x": 0.9, "y": 0.9}],
        "arrows": [{"x": 0.9, "y": 0.1, "to_x": 0.2, "to_y": 0.7}],
        "blur": [{"x": 0.5, "y": 0.5, "w": 0.2, "h": 0.2}],
        "masks": [{"rings": [BOW]}, {"rings": [[[0, 0], [1, 0], [0, 1]]]}],
    }
    before = picture.tobytes()
    first, second = (hashlib.sha256(drawn.draw(picture, **given).tobytes()).hexdigest() for _ in range(2))  # type: ignore[arg-type]
    assert first == second
    assert picture.tobytes() == before, "the picture itself stays"
    assert drawn.draw(picture).tobytes() == before
