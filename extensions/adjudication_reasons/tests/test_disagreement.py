"""On how many items votes differ, and the reasons given, against votes counted by hand; and the bars of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.charts import page_chart
from db.engine import Store
from domain.errors import NotAllowedError
from domain.roles import Role
from domain.states import Stage
from extensions.adjudication_reasons import disagreement, disagreement_charts
from extensions.adjudication_reasons.disagreement import DisagreementCount, Reason, ReasonSource
from extensions.adjudication_reasons.disagreement_charts import dimensions_chart, reasons_chart
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from tests.app.screens import drawn, words
from workflow.annotate import submissions

pytestmark = pytest.mark.both_databases


def test_where_votes_differ_and_why(store: Store, home: Path) -> None:
    make_project(store)
    lea = make_person(store, "lea", role=Role.LEAD)
    sam = make_person(store, "sam", role=Role.SENIOR)
    ann, ben = make_people(store, "ann", "ben", stages=[Stage.VERIFICATION])
    make_items(store, 3)
    before = disagreement.mark(store, by=lea, project="p")
    # Colour: the same, other colours, a skip and a colour. Each comes to both in an order of their own.
    of_ben = {vote(store, ann, of_ann).item: said for of_ann, said in (("red", "red"), ("red", "blue"), (None, "red"))}
    for _ in of_ben:
        vote(store, ben, of_ben[claimed(store, ben).item])
    # Shape: the same, and one vote alone.
    make_items(store, 2, dimension="shape")
    for who in (ann, ann, ben):
        vote(store, who, "blue")
    task = claimed(store, sam, Stage.ADJUDICATION)
    submissions.submit(
        store, person=sam, task=task.id, key="one", values={"decision": "reject", "cause": "wrong_key"}, reasons={}
    )
    assert disagreement.mark(store, by=lea, project="p") != before
    assert disagreement.size(store, by=lea, project="p") == 10
    found = disagreement.overview(store, by=lea, project="p")
    assert found.dimensions == [DisagreementCount("colour", 3, 2), DisagreementCount("shape", 1, 0)]
    assert set(found.reasons) == {Reason("Unclear", ReasonSource.SKIP, 1), Reason("Wrong key", ReasonSource.SENIOR, 1)}
    with pytest.raises(NotAllowedError):
        disagreement.overview(store, by=ann, project="p")
    chart = dimensions_chart(found.dimensions, {"colour": "Colour", "shape": "Shape"})
    assert chart.title == "Votes differ on 2 of 4 items (50 %). The largest share is in Colour (67 %)."
    page = words(drawn(store, home, "overview", "lea", project="p", show="differ"))
    assert chart.title in page
    assert "No item has two votes yet." not in page


def test_the_bars_hold_many_dimensions_and_names_of_any_kind() -> None:
    many = [DisagreementCount(f"d{n}", 10, n % 10) for n in range(40)]
    title = '<b>"' + "x" * 80 + '"</b> \N{WAVING HAND SIGN}'
    chart = dimensions_chart(many, {each.dimension: title for each in many})
    assert len(chart.layers[0]["data"]["values"]) == len({row["at"] for row in chart.layers[0]["data"]["values"]}) == 40
    _, first, *_ = csv.reader(page_chart.as_csv(chart).decode().splitlines())
    # 9 of 10; Wilson (1927): (0.9 + z2/20 -+ z sqrt(0.09/10 + z2/400)) / (1 + z2/10), z2 = 3.8415
    assert first == [title, "10", "9", "0.900", "0.596", "0.982"]
    (alone,) = dimensions_chart(many[:1], {}).rows
    assert alone[:4] == ["d0", 10, 0, "0.000"]
    told = [
        Reason("Wrong", ReasonSource.VOTE, 4),
        Reason("Wrong", ReasonSource.SENIOR, 2),
        Reason("Dark", ReasonSource.VOTE, 5),
    ]
    bars = reasons_chart(told + [Reason(f"typed {n}", ReasonSource.SKIP, 1) for n in range(40)])
    assert bars.title == "The most frequent reason is Wrong (6 of 51)."
    assert list(bars.rows[:3]) == [["Wrong", 4, 0, 2, 6], ["Dark", 5, 0, 0, 5], ["typed 0", 0, 1, 0, 1]]
    assert {row["name"] for row in bars.layers[0]["data"]["values"]} == {
        row[0] for row in bars.rows[: disagreement_charts.MOST]
    }
