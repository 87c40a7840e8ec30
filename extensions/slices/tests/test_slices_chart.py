"""The chart of slices and the table of contrasts."""

from __future__ import annotations

from extensions.slices import page_section, slice_contrasts, slices_chart
from tests.app.test_results_views import EVIL
from tests.workflow.test_results import made
from workflow.results import leaderboard as numbers
from workflow.results.score_choices import Scores


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


def test_names_of_models_stay_text_in_the_table() -> None:
    items = {0: "near", 1: "far"}
    found = made([(0, EVIL, 1.0), (1, EVIL, 0.0)], items=items)
    cut = numbers.sliced_scores(found, Scores("key"))
    tests = slice_contrasts.contrasts(found, cut)
    table = str(page_section.contrast_table(cut, tests, lambda line: f"/cases?part={line.part}"))
    assert "&lt;script" in table
    assert '<a href="/cases?part=near" target="_self">1</a>' in table, "a number opens its answers"
    assert "<script" not in table
