"""What the pages of results show, as markup: untrusted text stays text, and every number says what it rests on."""

from __future__ import annotations

import re

from app import addresses
from app.results import answer, shown, table
from app.results.shown import bins_asked, read_bins
from domain.records import ProjectView
from domain.roles import Role
from tests.app.screens import text
from tests.workflow.test_results import made
from workflow.results import leaderboard as numbers
from workflow.results.leaderboard_page import Leaderboard
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
    assert "1 item without a readable answer, counted as wrong: 1 (refused)" in told
    assert "left out: 1 (the item has no key)" in told
    assert "between 0.3333 and 0.6667, depending on unread and missing answers" in told
    assert "outcome=refused" in str(table.leaderboard(view_of_project, cut, sort="mean", common=False, bins=4))
    assert addresses.cases("p", scores=Scores("key"), model="a&b", by="dimension", part="near") == (
        "/cases?project=p&scores=key&model=a%26b&by=dimension&part=near"
    )


def test_the_first_sentence_gives_counts_below_ten_answers_and_never_a_mean() -> None:
    view = ProjectView("p", "P", False, None, Role.LEAD)

    def said(n_right: int, n: int, *, other: int | None = None) -> str:
        rows = [(at, EVIL, float(at < n_right)) for at in range(n)]
        rows += [(at, "other", float(at < (other or 0))) for at in range(n)] if other is not None else []
        found = made(rows, items=dict.fromkeys(range(n), "near"))
        cut = numbers.sliced_scores(found, Scores("key"))
        board = Leaderboard(cut, numbers.gaps(found, cut))
        return text(answer.finding(view, board, common=False, items=None))

    assert said(1, 3) == f"{EVIL} is the only model with scores: 1 of 3 answers right."
    assert said(2, 3, other=1) == (
        f"{EVIL} has the highest score so far: 2 of 3 answers right. A comparison with other is not possible yet, "
        "because the two models share only 3 items."
    )
    assert said(30, 40) == f"{EVIL} is the only model with scores, at 0.75 [0.60, 0.86] on 40 answers."  # Wilson
    # the same items: 20 right and 10 wrong by the first alone; mean 0.5, sd 0.506 over 40 items
    assert re.fullmatch(
        re.escape(f"{EVIL} scores highest, at 0.75 [0.60, 0.86] on 40 answers. This model leads other by 0.50 [")
        + r"0\.3\d, 0\.6\d\] on the same 40 items\.",
        said(30, 40, other=10),
    )
    assert f"{EVIL} and other show no clear difference yet on the same 40 items" in said(30, 40, other=29)


def test_models_without_a_score_are_one_line_with_the_reason() -> None:
    rows = [(at, "a", 1.0) for at in range(12)] + [(at, name, float("nan")) for at in (0, 1) for name in ("b", EVIL)]
    found = made(rows, items=dict.fromkeys(range(12), "near"))
    plot = answer.plot(
        ProjectView("p", "P", False, None, Role.LEAD),
        numbers.sliced_scores(found, Scores("key")),
        common=False,
        items=None,
    )
    assert EVIL not in plot
    assert text(plot).count("No score for") == 1


def test_the_cases_of_a_slice_are_cut_as_the_slice_was() -> None:
    for bins in (2, 12, (1.0, 5.0, 9.0), (0.123456789,)):
        assert read_bins(bins_asked(bins)["bins"]) == bins
    assert bins_asked(4) == {}
    for strange in ("", "x", "at:", "at:5,1", "\u00b2"):
        assert read_bins(strange) == 4
