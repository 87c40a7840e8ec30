"""Ranked options in ``touchstone result show``."""

from __future__ import annotations

from pathlib import Path

from tests.app.test_results_command import said


def test_a_warning_says_where_the_winner_depends_on_the_score(home: Path) -> None:
    text = said()
    assert "Accuracy of ranked options for each score" in text
    assert "ran: on 1 of 1 items, the chosen option depends on the score" in text
