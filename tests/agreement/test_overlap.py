"""Agreement by overlap: values by hand, by counting small steps and by trying all matchings."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agreement import Bootstrap, Ratings, Scale, summarise
from agreement.overlap import box_f1, box_iou, matched, temporal_iou
from app.agreement.tables import about_of
from app.cli import cli
from domain.errors import RatingsError
from domain.overlap import Shape, area_iou, time_iou
from domain.records import Rating
from testkit.missing_extensions import needs

Box = dict[str, Any]


def spans(*ends: float) -> list[dict[str, float]]:
    return [{"start": at, "end": to} for at, to in zip(ends[::2], ends[1::2], strict=True)]


def box(x: float, y: float, w: float, h: float, **more: Any) -> Box:
    return {"x": x, "y": y, "w": w, "h": h, **more}


def ratings(shape: Shape, clusters: Sequence[str] | None = None, **said: Sequence[Any]) -> Ratings:
    """Raters by name, each with a value for each unit; None where there is none."""
    rows = [
        Rating(f"u{at}", rater, "c", json.dumps(value), cluster=clusters[at] if clusters else None)
        for rater, values in said.items()
        for at, value in enumerate(values)
        if value is not None
    ]
    return Ratings.from_rows(rows, scale=Scale("nominal", shape=shape))


LEFT, RIGHT = box(0, 0, 0.4, 0.4), box(0.5, 0, 0.4, 0.4)
SHIFTED = box(0.1, 0, 0.4, 0.4)
"""It shares 0.3 by 0.4 with the left one: 0.12 of 0.16 + 0.16 - 0.12 = 0.2, which is 0.6."""


def test_temporal_iou_is_the_mean_over_pairs_and_then_over_units() -> None:
    found = temporal_iou(
        ratings(
            Shape.SPANS,
            ann=[spans(0, 2), spans(0, 1, 4, 6), [], spans(0, 9)],
            bob=[spans(1, 3), spans(0, 6), [], None],
            eva=[None, spans(0, 1), None, None],
        )
    )
    # u0: 1 of 3. u1: 3 of 6, 1 of 3, 1 of 6; their mean is 1/3. u2: nothing twice, 1. u3 has one rating.
    assert found.value == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)
    assert (found.n_units, found.n_raters, found.n_left_out) == (3, 3, 1)
    assert 0 <= found.low < found.value < found.high <= 1
    assert "bootstrap" in found.method


def test_clusters_are_resampled_whole() -> None:
    """Two clusters, one of all 1 and one of all 0: a draw of two is 0, 1/2 or 1, so the limits are 0 and 1."""
    same = [spans(0, 1)] * 40
    other = [spans(0, 1)] * 20 + [spans(2, 3)] * 20
    alone = temporal_iou(ratings(Shape.SPANS, ann=same, bob=other))
    together = temporal_iou(ratings(Shape.SPANS, ["a"] * 20 + ["b"] * 20, ann=same, bob=other))
    assert alone.value == together.value == 0.5
    # Of single units it is a share of 40: a standard error of sqrt(0.25 / 40) = 0.079.
    assert alone.se == pytest.approx(0.079, abs=0.006)
    assert (together.low, together.high) == (0, 1)


def test_boxes_by_hand() -> None:
    said = ratings(
        Shape.BOXES,
        ann=[[LEFT, RIGHT], [LEFT], [], [LEFT], [LEFT]],
        bob=[[SHIFTED], [RIGHT], [], [LEFT], None],
    )
    # F1: one match of 2 and 1 boxes, 2/3; none; both empty, 1; equal, 1. IoU: 0.6 and 1, of units with a match.
    f1, iou = box_f1(said), box_iou(said)
    assert f1.value == pytest.approx((2 / 3 + 0 + 1 + 1) / 4)
    assert (f1.n_units, f1.n_left_out) == (4, 1)
    assert iou.value == pytest.approx((0.6 + 1) / 2)
    assert (iou.n_units, iou.n_left_out) == (2, 3)
    assert box_f1(said, threshold=0.61).value == pytest.approx((0 + 0 + 1 + 1) / 4)
    assert box_f1(said, threshold=0.6).value == f1.value, "an IoU on the threshold counts"


@pytest.mark.parametrize("more", [{"label": "cup"}, {"image": 2}])
def test_another_label_or_image_is_another_thing(more: Box) -> None:
    assert matched([LEFT], [{**LEFT, **more}]) == []
    assert matched([{**LEFT, **more}], [{**LEFT, **more}]) == [(0, 0, 1.0)]
    assert matched([LEFT], [{**LEFT, "image": 1}]) == [(0, 0, 1.0)], "the first image goes without saying"


def test_the_threshold_is_exact() -> None:
    """0.5 x 0.25 of 0.5 x 0.5 is a half; a ten-thousand-millionth less of its height is below it."""
    whole = {"x": 0.1, "y": 0.2, "w": 0.5, "h": 0.5}
    assert [
        len(matched([whole], [{**whole, "h": height}], threshold=0.5)) for height in (0.25, 0.2499999999, 0.2500000001)
    ] == [1, 0, 1]
    third = {"x": 0.1, "y": 0.1, "w": 0.3, "h": 0.1}  # of which 0.1 is a third, which no float is
    assert len(matched([third], [{**third, "w": 0.09}], threshold=0.3)) == 1


def test_what_is_below_the_threshold_takes_no_match_away() -> None:
    """The first of both share 0.6. Crosswise, two pairs share 0.449 each, which is more in all, and counts from 0.4."""
    one = [box(0.19, 0, 0.5, 1), box(0.505, 0, 0.5, 1)]
    other = [box(0.315, 0, 0.5, 1), box(0, 0, 0.5, 1)]
    assert matched(one, other) == [(0, 0, pytest.approx(0.375 / 0.625))]
    cross = pytest.approx(0.31 / 0.69)
    assert matched(one, other, threshold=0.4) == [(0, 1, cross), (1, 0, cross)]


def drawn(seed: int, n: int) -> list[Box]:
    """Boxes close to each other on a grid of twentieths, so that counting its cells is exact."""
    dice = random.Random(seed)
    return [
        {
            "label": dice.choice(["cup", "plate"]),
            "image": dice.choice([1, 1, 2]),
            "x": dice.randint(0, 3) / 20,
            "y": dice.randint(0, 3) / 20,
            "w": dice.randint(6, 9) / 20,
            "h": dice.randint(6, 9) / 20,
        }
        for _ in range(n)
    ]


def cells(each: Box) -> set[tuple[int, int]]:
    x, y, w, h = (round(each[key] * 20) for key in "xywh")
    return {(a, b) for a in range(x, x + w) for b in range(y, y + h)}


@pytest.mark.parametrize("seed", range(40))
def test_of_all_matchings_it_is_the_best(seed: int) -> None:
    one, other = drawn(seed, seed % 5), drawn(seed + 1000, (seed * 3) % 5)

    def worth(a: Box, b: Box) -> float:
        share = len(cells(a) & cells(b)) / len(cells(a) | cells(b))
        return share if share >= 0.5 and (a["label"], a["image"]) == (b["label"], b["image"]) else 0.0

    padded = [*other, *[None] * len(one)]
    sums = [
        [w for a, b in zip(one, order, strict=False) if b is not None and (w := worth(a, b))]
        for order in permutations(padded, len(one))
    ]
    found = matched(one, other)
    assert sum(iou for _, _, iou in found) == pytest.approx(max(map(sum, sums)))
    assert len({at for at, _, _ in found}) == len({to for _, to, _ in found}) == len(found)
    for at, to, iou in found:
        assert iou == pytest.approx(worth(one[at], other[to]))
    turned = matched(other[::-1], one[::-1])
    assert sum(iou for _, _, iou in turned) == pytest.approx(sum(iou for _, _, iou in found))


@pytest.mark.parametrize("seed", range(20))
def test_properties_of_both(seed: int) -> None:
    dice = random.Random(seed)
    ends = [sorted(dice.sample(range(40), 2)) for _ in range(6)]
    mine, theirs = ([{"start": at, "end": to} for at, to in part] for part in (ends[:3], ends[3:]))
    steps = [{at for each in said for at in range(int(each["start"]), int(each["end"]))} for said in (mine, theirs)]
    iou = time_iou(mine, theirs)
    assert iou == pytest.approx(len(steps[0] & steps[1]) / len(steps[0] | steps[1])) == time_iou(theirs, mine)
    later = [[{key: at + 7.3 for key, at in each.items()} for each in said] for said in (mine, theirs)]
    assert time_iou(*later) == pytest.approx(iou)
    assert time_iou(mine, mine) == 1.0
    a, b = drawn(seed, 2)
    assert area_iou(a, b) == pytest.approx(len(cells(a) & cells(b)) / len(cells(a) | cells(b))) == area_iou(b, a)
    moved = [{**each, "x": each["x"] + 0.017, "y": each["y"] + 0.2} for each in (a, b)]
    assert area_iou(*moved) == pytest.approx(area_iou(a, b))
    assert area_iou(moved[0], moved[0]) == 1.0, "exactly, whatever is rounded"
    assert area_iou(a, {**a, "x": a["x"] + a["w"]}) == pytest.approx(0), "they touch"


def test_why_there_is_no_value() -> None:
    lone = ratings(Shape.BOXES, ann=[[LEFT], None], bob=[None, [LEFT]])
    assert (math.isnan(box_f1(lone).value), box_f1(lone).reason) == (True, "No unit has ratings from two raters.")
    apart = ratings(Shape.BOXES, ann=[[LEFT]], bob=[[RIGHT]])
    assert box_f1(apart).value == 0
    assert box_iou(apart).reason == "No boxes from two raters match with an IoU of 0.5 or more."
    assert temporal_iou(apart).reason == (
        "These ratings are not spans of time, because their scale is boxes. Choose a statistic for this scale."
    )
    once = box_f1(ratings(Shape.BOXES, ann=[[LEFT]] * 9, bob=[[LEFT]] * 9), bootstrap=Bootstrap(draws=40))
    assert (once.value, once.method) == (1, "none"), "complete agreement in a sample is not certainty"


@pytest.mark.parametrize(
    ("shape", "value", "words"),
    [
        (Shape.SPANS, "2.0", r"'\"2.0\"' is not a JSON list of spans of time, each with {start, end} or {first, last}"),
        (Shape.SPANS, [{"start": 1}], "is not a JSON list of spans of time"),
        (Shape.BOXES, [{**LEFT, "w": "wide"}], "is not a JSON list of boxes, each with {x, y, w, h}"),
        (Shape.SPANS, [{"first": 1, "last": 2}], "some in frames"),
    ],
)
def test_what_is_none_is_refused(shape: Shape, value: Any, words: str) -> None:
    usual = spans(0, 1) if shape is Shape.SPANS else [LEFT]
    compare = temporal_iou if shape is Shape.SPANS else box_f1
    with pytest.raises(RatingsError, match=words):
        compare(ratings(shape, ann=[usual], bob=[value]))


@pytest.mark.parametrize("threshold", [0, -1, 1.01, math.nan])
def test_a_threshold_is_above_0_and_at_most_1(threshold: float) -> None:
    with pytest.raises(RatingsError, match="The IoU threshold must be above 0"):
        box_iou(ratings(Shape.BOXES, ann=[[LEFT]], bob=[[LEFT]]), threshold=threshold)


@needs("readers", "ratings")
@pytest.mark.thorough
def test_a_file_has_them_as_json_and_no_coefficient_is_made_of_them(tmp_path: Path) -> None:
    rows = [("u1", "ann", [LEFT, RIGHT]), ("u1", "bob", [SHIFTED]), ("u2", "ann", [LEFT]), ("u2", "bob", [LEFT])]
    file = tmp_path / "ratings.jsonl"
    lines = [
        json.dumps({"unit": unit, "rater": rater, "criterion": "objects", "value": json.dumps(value)})
        for unit, rater, value in rows
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    asked = ["agreement", "show", "--ratings", str(file), "--scale"]
    told = CliRunner().invoke(cli, [*asked, "objects=boxes"])
    assert told.exit_code == 0, told.output
    assert "objects: 2 raters, boxes scale" in told.output
    assert "F1 of boxes (IoU ≥ 0.5) 0.833" in " ".join(told.output.split())  # (2/3 + 1) / 2
    assert told.output.count("not corrected for chance") == 2
    assert "kappa" not in told.output
    found = json.loads(CliRunner().invoke(cli, [*asked, "objects=boxes", "--json"]).output)
    assert [(each["statistic"], each["args"]["threshold"]) for each in found] == [("box_f1", 0.5), ("box_iou", 0.5)]
    refused = CliRunner().invoke(cli, [*asked, "objects=time_spans"])
    assert refused.exit_code != 0
    assert "is not a JSON list of spans of time" in str(refused.exception)
    wrong = CliRunner().invoke(cli, [*asked, "objects=box"])
    assert "Without values, LEVEL can also be time_spans or boxes" in str(wrong.exception)


def test_the_page_counts_raters_whom_no_line_names() -> None:
    rows = [Rating("u1", rater, "c", json.dumps([LEFT])) for rater in ("ann", "bob", "eva")]
    found = summarise(rows, scales={"c": Scale("nominal", shape=Shape.BOXES)})
    assert about_of(found) == "Raters: 3. Scale: boxes."


def test_one_rater_is_told_so() -> None:
    rows = [Rating("u1", "ann", "c", json.dumps([LEFT]))]
    found = summarise(rows, scales={"c": Scale("nominal", shape=Shape.BOXES)})
    assert [(each.statistic, each.reason) for each in found] == [
        ("box_f1", "There is only one rater."),
        ("box_iou", "There is only one rater."),
    ]
