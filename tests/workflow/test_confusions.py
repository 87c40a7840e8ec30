"""Which answer met which: the matrices of people's answers, against tables worked out by hand."""

from __future__ import annotations

import csv
from itertools import product

import pytest

from agreement.ratings import Scale
from app.charts import confusion_chart, page_chart
from domain.overlap import Shape
from domain.records import Rating
from workflow.results.confusions import MOST_VALUES, Confusion, confusions

ANN, BEN, CY = "Ann <b>", 'Ben "x"', "Cy \N{WAVING HAND SIGN}"
SAID = {
    # three say the same, two of three, all three otherwise, two alone, one alone
    "1": {ANN: "yes", BEN: "yes", CY: "yes"},
    "2": {ANN: "yes", BEN: "no", CY: "yes"},
    "3": {ANN: "yes", BEN: "no", CY: "unsure"},
    "4": {ANN: "no", BEN: "yes"},
    "5": {CY: "no"},
}
SCALE = Scale("nominal", ("yes", "no", "unsure"))


def rows(said: dict[str, dict[str, object]], dimension: str | None = None) -> list[Rating]:
    return [
        Rating(unit=unit, rater=rater, criterion="fits", value=value, dimension=dimension)
        for unit, by in said.items()
        for rater, value in by.items()
    ]


def one(said: dict[str, dict[str, object]], scale: Scale | None = SCALE) -> Confusion:
    (found,) = confusions([(None, rows(said))], {"fits": scale} if scale else {}, by_dimension=False)
    return found


def test_each_two_answers_about_a_thing_meet_once_and_from_either_side() -> None:
    found = one(SAID)
    assert found.values == ("yes", "no", "unsure")
    # Ann and Ben: yes-yes, yes-no, yes-no, no-yes. Down is what Ann said.
    assert found.of_pair[ANN, BEN] == ((1, 2, 0), (1, 0, 0), (0, 0, 0))
    assert found.of_pair[BEN, CY] == ((1, 0, 0), (1, 0, 1), (0, 0, 0))
    # Ann with both others: 1 yes-yes twice; 2 yes-no, yes-yes; 3 yes-no, yes-unsure; 4 no-yes.
    assert found.of_rater[ANN] == ((3, 2, 1), (1, 0, 0), (0, 0, 0))
    pairs = [(a, b) for by in SAID.values() for (one, a), (other, b) in product(by.items(), repeat=2) if one != other]
    assert found.everyone == tuple(tuple(pairs.count((a, b)) for b in SCALE.categories or ()) for a in found.values)
    chart = confusion_chart.confusion_chart(found, confusion_chart.EVERYONE, {"yes": "It fits"}, unit="item")
    # 3 + 1 + 0 + 0 of the 3 + 3 + 3 + 1 pairs are equal; yes met no in 2 (twice), 3 and 4.
    assert chart.title == "4 of 10 pairs of answers agree (40 %). Most common difference: It fits and no (4)."
    *_, last = csv.reader(page_chart.as_csv(chart).decode().splitlines())
    assert last == ["In all", "13", "5", "2", "20"]
    pair = confusion_chart.confusion_chart(found, f"{ANN} and {BEN}", {}, unit="item")
    assert pair.title == "1 of 4 pairs of answers agree (25 %). Most common difference: yes and no (3)."
    assert list(csv.reader(page_chart.as_csv(pair).decode().splitlines()))[1] == ["yes", "1", "2", "0", "3"]
    table = page_chart.as_table(pair, lambda row, column: "/items" if (row, column) == (0, 2) else "")
    assert table.count('<a href="/items" target="_self">2</a>') == table.count("<a ") == 1


@pytest.mark.parametrize("dimensions", [40])
def test_dimensions_and_versions_of_the_guideline_stand_apart_and_many_people_have_no_pairs(dimensions: int) -> None:
    crowd = {"u": {f"person {n}": "yes" if n % 3 else "no" for n in range(60)}}
    lots = [("1", [row for n in range(dimensions) for row in rows(SAID, f"d{n}")]), ("2", rows(crowd, "d0"))]
    *first, last = confusions(lots, {"fits": SCALE}, by_dimension=True)
    assert [(each.guideline, each.dimension) for each in first] == [("1", f"d{n}") for n in range(dimensions)]
    assert {each.everyone for each in first} == {one(SAID).everyone}
    assert (len(last.of_rater), last.of_pair) == (60, {})
    assert last.everyone == ((40 * 39, 40 * 20, 0), (20 * 40, 20 * 19, 0), (0, 0, 0))
    assert len(confusion_chart.whose(last)) == 61


def test_what_cannot_be_a_matrix_is_none() -> None:
    alone = one({"1": {ANN: "yes"}, "2": {BEN: "no"}})
    assert (confusion_chart.whose(alone), sum(map(sum, alone.everyone))) == ({}, 0)
    many = one({str(n): {ANN: n, BEN: n + 0.5} for n in range(MOST_VALUES)}, None)
    assert (many.values, confusion_chart.whose(many)) == ((), {})
    spans = one({"1": {ANN: "[1, 2]", BEN: "[1, 3]"}}, Scale("nominal", shape=Shape.SPANS))
    assert spans.values == ()
    numbers = one({"1": {ANN: 10, BEN: 2}, "2": {ANN: [2, 1], BEN: 2}}, None)
    assert numbers.values == (2, 10, "[2, 1]")
    two = one({"1": {ANN: "yes", BEN: "no"}})
    assert list(confusion_chart.whose(two)) == [f"{ANN} and {BEN}"]
