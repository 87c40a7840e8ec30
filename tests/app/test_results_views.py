"""What the pages of results show, as markup: untrusted text stays text, and every number says what it rests on."""

from __future__ import annotations

from app import addresses
from app.results import shown, slices, slices_chart, table
from app.results.shown import bins_asked, read_bins
from domain.records import ProjectView
from domain.roles import Role
from tests.workflow.test_results import made
from workflow.results import leaderboard as numbers
from workflow.results.score_choices import Scores

EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def test_a_cell_says_what_it_rests_on_and_leads_to_its_cases() -> None:
    found = made(
        [(0, EVIL, 1.0), (1, EVIL, 0.0), (2, EVIL, float("nan"))],
        items={0: "near", 1: "near", 2: "near", 3: "near"},
        unanswered={EVIL: {3: "refused"}},
    )
    cut = numbers.sliced_scores(found, Scores("key"))
    view_of_project = ProjectView("p", "P", False, None, Role.LEAD)
    line = cut.cells[EVIL, 0]
    told = shown.tooltip(line)
    assert "0.3333" in told  # 1 of 3: what was refused counts as wrong
    assert "95 % interval 0.0615 to 0.7923 (Wilson score)" in told  # Wilson for 1 of 3
    assert "3 items" in told
    assert "1 could not be read and count as wrong: 1 refused" in told
    assert "left out: 1 the item has no key" in told
    assert "at their worst 0.3333, at their best 0.6667" in told
    assert "outcome=refused" in str(table.leaderboard(view_of_project, cut, sort="mean", common=False, bins=4))
    assert "<script" not in str(slices.contrast_table(cut, []))
    assert addresses.cases("p", scores=Scores("key"), model="a&b", by="dimension", part="near") == (
        "/cases?project=p&scores=key&model=a%26b&by=dimension&part=near"
    )


def test_every_model_has_a_mark_in_the_row_of_each_slice_where_it_has_a_number() -> None:
    items = {0: "near", 1: "near", 2: "far", 3: "far"}
    answers = [(item, EVIL, 1.0) for item in (0, 1, 2)] + [(0, "b", 1.0), (1, "b", 0.0), (2, "b", 1.0), (0, "c", 0.0)]
    cut = numbers.sliced_scores(made(answers, items=items), Scores("key"))
    assert slices_chart.with_numbers(cut) == [EVIL, "b", "c"]
    chart = slices_chart.slices_chart(cut, ["b"])
    assert chart.title == f"{EVIL} is highest in 2 of 2 dimensions."
    # Wilson's 95 % limits: 2 of 2 is 0.342 to 1, 1 of 2 is 0.095 to 0.905, 1 of 1 is 0.207 to 1, 0 of 1 is 0 to 0.793.
    assert list(chart.rows) == [
        ["Near", EVIL, "1.000", "0.342", "1.000", 2],
        ["Near", "b", "0.500", "0.095", "0.905", 2],
        ["Near", "c", "0.000", "0.000", "0.793", 1],
        ["Far", EVIL, "1.000", "0.207", "1.000", 1],
        ["Far", "b", "1.000", "0.207", "1.000", 1],
        ["Far", "c", None, None, None, 0],
    ]
    ticks, limits, marks = chart.layers
    drawn = [[(each["model"], each["at"], each["value"]) for each in layer["data"]["values"]] for layer in chart.layers]
    assert drawn == [[(EVIL, 0, 1.0), ("c", 0, 0.0), (EVIL, 1, 1.0)], *[[("b", 0, 0.5), ("b", 1, 1.0)]] * 2]
    assert [layer["mark"]["type"] for layer in (ticks, limits, marks)] == ["tick", "rule", "point"]
    alone = numbers.sliced_scores(made(answers[:3], items=items), Scores("key"))
    assert slices_chart.slices_chart(alone, [EVIL]).title == f"{EVIL}: from 1.00 (Near) to 1.00 (Near)."


def test_the_cases_of_a_slice_are_cut_as_the_slice_was() -> None:
    for bins in (2, 12, (1.0, 5.0, 9.0), (0.123456789,)):
        assert read_bins(bins_asked(bins)["bins"]) == bins
    assert bins_asked(4) == {}
    for strange in ("", "x", "at:", "at:5,1", "\u00b2"):
        assert read_bins(strange) == 4
