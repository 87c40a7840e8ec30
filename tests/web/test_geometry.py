"""Where boxes, images and frames are: the pure part of the page, asked in Node and checked by arithmetic here."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from annotation_schemas import drawing
from testkit.paths import ROOT
from tools import web

Ask = Callable[..., Any]
LIMITS = drawing.for_page()
PLACES = "marks/places.js"


@pytest.fixture(scope="module")
def ask(node_environment: dict[str, str]) -> Iterator[Ask]:
    """Calls a function of ``geometry.js``, or of another module."""
    command = [web.node(), "--import", "./tests/web/setup.js", "./tests/web/ask.js"]
    with subprocess.Popen(
        command, cwd=ROOT, env=node_environment, encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None

        def call(name: str, *arguments: Any, of: str = "geometry.js") -> Any:
            assert node.stdin is not None
            assert node.stdout is not None
            print(json.dumps([of, name, arguments]), file=node.stdin, flush=True)
            return json.loads(node.stdout.readline())

        yield call
        node.stdin.close()


def test_an_image_lies_in_the_middle_of_its_frame_and_the_view_stays_inside_it(ask: Ask) -> None:
    # 800 x 600 in a frame of 1000 x 500: the height decides, 666.67 x 500, with 166.67 free on either side.
    rect = ask("place", 1000, 500, 800 / 600)
    assert rect == pytest.approx(
        {"left": 500 - 1000 / 3, "top": 0, "width": 2000 / 3, "height": 500, "x": 0.5, "y": 0.5}
    )
    # Twice as large it is 1333.33 x 1000. A corner in the middle would leave a gap; 500 of 1333.33 is 0.375.
    rect = ask("place", 1000, 500, 800 / 600, {"scale": 2, "x": 0, "y": 1})
    assert (rect["x"], rect["y"]) == pytest.approx((0.375, 0.75))
    assert rect["left"] == pytest.approx(0)
    assert rect["top"] + rect["height"] == pytest.approx(500)


def test_screen_and_image_are_each_others_inverse_whatever_the_zoom_and_the_copy(ask: Ask) -> None:
    dice = random.Random(7)
    for _ in range(40):
        width, height, ratio = dice.uniform(100, 2000), dice.uniform(100, 2000), dice.uniform(0.2, 5)
        view = {"scale": dice.uniform(1, 12), "x": dice.random(), "y": dice.random()}
        rect = ask("place", width, height, ratio, view)
        x, y = dice.random(), dice.random()
        there = ask("toScreen", rect, x, y)
        back = ask("toImage", rect, there["x"], there["y"])
        assert (back["x"], back["y"]) == pytest.approx((x, y), abs=1e-9)
        assert rect["width"] / rect["height"] == pytest.approx(ratio)


def test_what_is_under_the_pointer_stays_there_while_it_is_enlarged(ask: Ask) -> None:
    before = ask("place", 900, 700, 900 / 700, {"scale": 3, "x": 0.5, "y": 0.5})
    point = ask("toImage", before, 300, 200)
    view = ask("zoomed", 900, 700, 900 / 700, {"scale": 3, "x": 0.5, "y": 0.5}, 5, 300, 200)
    after = ask("place", 900, 700, 900 / 700, view)
    there = ask("toScreen", after, point["x"], point["y"])
    assert (there["x"], there["y"]) == pytest.approx((300, 200))


def test_as_many_columns_as_show_the_pictures_largest(ask: Ask) -> None:
    # In 832 x 764 two pictures of 4:3 are larger one above the other (509 wide) than side by side (412).
    assert [ask("columns", n, 832, 764, 4 / 3, 8) for n in (1, 2, 3, 4, 9)] == [1, 1, 2, 2, 3]
    assert ask("columns", 2, 1600, 500, 4 / 3, 8) == 2


def test_a_box_stays_inside_the_image_and_has_six_decimals(ask: Ask) -> None:
    dice = random.Random(11)
    box = {"label": "cup", "x": 0.4, "y": 0.4, "w": 0.2, "h": 0.2}
    for _ in range(60):
        step = dice.uniform(-0.9, 0.9)
        name = dice.choice(["moved", "sized"])
        box = ask(name, box, step, dice.uniform(-0.9, 0.9), LIMITS)
        assert box["label"] == "cup"
        assert min(box["x"], box["y"]) >= 0
        assert min(box["w"], box["h"]) > 0
        assert max(box["x"] + box["w"], box["y"] + box["h"]) <= 1 + 1e-9
        assert all(round(box[key], 6) == box[key] for key in "xywh")
    corner = {"x": 0.9, "y": 0.5, "w": 0.05, "h": 0.1}
    assert ask("moved", corner, 0.5, -2, LIMITS) == {"x": 0.95, "y": 0, "w": 0.05, "h": 0.1}
    assert ask("moved", {"number": 3, "x": 0.9, "y": 0.5}, 0.5, -0.25, LIMITS) == {"number": 3, "x": 1, "y": 0.25}
    coarse = {**LIMITS, "decimals": 1, "least_side": 0.2}
    assert ask("moved", {**corner, "w": 0.31}, -0.52, 0, coarse) == {"x": 0.4, "y": 0.5, "w": 0.3, "h": 0.2}


@pytest.mark.parametrize(
    ("handle", "to", "wanted"),
    [
        ("se", (0.9, 0.8), (0.2, 0.2, 0.7, 0.6)),
        ("nw", (0.1, 0.3), (0.1, 0.3, 0.5, 0.3)),
        ("e", (0.7, 0.99), (0.2, 0.2, 0.5, 0.4)),
        ("n", (0.99, 0.0), (0.2, 0.0, 0.4, 0.6)),
        ("w", (0.9, 0.5), (0.6, 0.2, 0.3, 0.4)),  # past the other side
        ("se", (4.0, -3.0), (0.2, 0.0, 0.8, 0.2)),  # out of the image
    ],
)
def test_a_handle_moves_its_own_sides(
    ask: Ask, handle: str, to: tuple[float, float], wanted: tuple[float, ...]
) -> None:
    box = ask("dragged", {"label": "cup", "x": 0.2, "y": 0.2, "w": 0.4, "h": 0.4}, handle, *to, LIMITS)
    assert tuple(box[key] for key in "xywh") == pytest.approx(wanted)
    assert box["label"] == "cup"


def test_a_press_means_the_smallest_box_and_the_nearest_point(ask: Ask) -> None:
    rect = {"left": 10, "top": 20, "width": 400, "height": 200}
    large, small = {"x": 0.1, "y": 0.1, "w": 0.8, "h": 0.8}, {"x": 0.4, "y": 0.4, "w": 0.1, "h": 0.1}
    assert ask("hit", [large, small], rect, 10 + 0.45 * 400, 20 + 0.45 * 200) == 1
    assert ask("hit", [large, small], rect, 10 + 0.2 * 400, 20 + 0.2 * 200) == 0
    assert ask("hit", [large, small], rect, 11, 21) == -1
    points = [{"number": 1, "x": 0.5, "y": 0.5}, {"number": 2, "x": 0.52, "y": 0.5}]
    assert ask("hit", points, rect, 10 + 0.52 * 400 - 1, 120) == 1
    grip = ask("gripAt", large, rect, 10 + 0.9 * 400, 20 + 0.9 * 200 - 3, LIMITS, of=PLACES)
    assert grip["at"] == pytest.approx({"x": 0.9, "y": 0.9})
    assert ask("gripAt", large, rect, 10 + 0.5 * 400, 20 + 0.5 * 200, LIMITS, of=PLACES) is None


def test_every_frame_is_shown_by_a_moment_well_inside_of_it(ask: Ask) -> None:
    uneven = [0, 0.02, 0.07, 0.38, 0.413]
    for index in range(len(uneven)):
        end = uneven[index + 1] if index + 1 < len(uneven) else 0.45
        moment = ask("middleOf", uneven, 0.45, index)
        assert moment == pytest.approx((uneven[index] + end) / 2)
        assert ask("frameAt", uneven, moment) == index
        assert ask("frameAt", uneven, uneven[index]) == index
        assert ask("frameAt", uneven, end - 0.001) == index
    assert ask("frameAt", uneven, 99) == 4


def test_arrows_keep_their_length_inside_the_image_and_always_point_somewhere(ask: Ask) -> None:
    arrow = {"x": 0.2, "y": 0.5, "to_x": 0.6, "to_y": 0.4}
    assert ask("moved", arrow, 0.9, -0.9, LIMITS, of=PLACES) == {"x": 0.6, "y": 0.1, "to_x": 1, "to_y": 0}
    level = {"x": 0.5, "y": 0.5, "to_x": 0.51, "to_y": 0.5}
    # a hundredth to the left it would point to where it begins: it jumps over
    assert ask("turned", level, -0.01, 0, LIMITS, of=PLACES) == {"x": 0.5, "y": 0.5, "to_x": 0.49, "to_y": 0.5}
    there = {"x": 0.9, "y": 1.2}
    assert ask("arrowBetween", there, there, LIMITS, of="marks/arrow.js") == {
        "x": 0.9,
        "y": 1,
        "to_x": 0.899,
        "to_y": 1,
    }
    rect = {"left": 0, "top": 0, "width": 100, "height": 100}
    under = [ask("under", [arrow], rect, *at, of=PLACES) for at in ((40, 45 + 8), (40, 45 + 12), (75, 36))]
    assert under == [0, -1, -1]  # 9 pixels beside its line are still meant, and nothing behind its tip


def test_lines_around_pixels_are_those_of_the_mask_as_drawn_for_models(ask: Ask) -> None:
    """A frame of 6 x 6 pixels in 10 x 10, two pixels wide: tests/media/test_drawn.py has its counts. Two pixels that
    touch at a corner, and parts side by side that begin at different heights, are enclosed, too."""
    for counts in ([22, 6, 4, 6, 4, 2, 2, 2, 4, 2, 2, 2, 4, 6, 4, 6, 22], "f06400LN020N02400b0"):
        rings = ask("linesAround", {"size": [10, 10], "counts": counts}, of="marks/runs.js")
        found = [sorted((round(10 * x), round(10 * y)) for x, y in ring) for ring in rings]
        assert found == [[(2, 2), (2, 8), (8, 2), (8, 8)], [(4, 4), (4, 6), (6, 4), (6, 6)]]
    dice = np.random.default_rng(3)
    for high, wide in ((1, 1), (1, 5), (4, 1), (7, 9), (12, 8)):
        pixels = dice.random((wide, high)) < 0.5
        changes = np.flatnonzero(np.diff(np.concatenate(([False], pixels.ravel()))))
        counts = np.diff([0, *changes, pixels.size]).tolist()
        rings = ask("linesAround", {"size": [high, wide], "counts": counts}, of="marks/runs.js")
        filled = [[_encloses(rings, (x + 0.5) / wide, (y + 0.5) / high) for y in range(high)] for x in range(wide)]
        assert filled == pixels.tolist()


def test_a_mask_of_other_proportions_is_told_and_not_painted(ask: Ask) -> None:
    rect = {"left": 0, "top": 0, "width": 320, "height": 240}
    lying, rounded = ({"rle": {"size": size, "counts": [1]}} for size in ([640, 480], [50, 67]))
    assert ask("misfits", [lying, rounded, {"rings": []}], rect, of="marks/paint_area.js") == [
        "A mask of 480 \u00d7 640 pixels does not fit this image, because its proportions differ."
    ]


def _encloses(rings: list[list[list[float]]], x: float, y: float) -> bool:
    """By the even-odd rule: how many upright lines lie to the left."""
    sides = [(one, other) for ring in rings for one, other in zip(ring, [*ring[1:], ring[0]], strict=True)]
    return sum(one[0] == other[0] < x and (one[1] > y) != (other[1] > y) for one, other in sides) % 2 == 1
