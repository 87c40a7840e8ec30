"""Boxes and numbered points are drawn on pictures in the same way always and for everyone."""

from __future__ import annotations

import hashlib

import pytest

from media import drawn
from testkit.pictures import photo


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (640, 480)])
def test_boxes_and_points_are_the_same_twice_and_on_every_size(size: tuple[int, int]) -> None:
    picture = photo(*size)
    boxes = [{"x": 0.1, "y": 0.1, "w": 0.3, "h": 0.3, "label": "a"}]
    marks = [{"number": 12, "x": 0.9, "y": 0.9}]
    before = picture.tobytes()
    made = [drawn.draw(picture, boxes=boxes, marks=marks).tobytes() for _ in range(2)]
    assert hashlib.sha256(made[0]).hexdigest() == hashlib.sha256(made[1]).hexdigest()
    assert made[0] != before
    assert picture.tobytes() == before, "the picture itself stays"
    assert drawn.draw(picture).tobytes() == before
