"""EgoPlan-Val from the authors' file to a submission in their form, killed on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import egoplan
from tests.paths import shared

pytestmark = pytest.mark.slow


def test_the_authors_file_has_the_form_that_is_looked_for() -> None:
    theirs = shared("data", "egoplan", "submission_validation.json").read_text()
    assert egoplan.FORM.fullmatch(theirs)
    for wrong in (theirs + "\n", theirs.replace("    ", "  "), theirs.replace('"label"', '"answer"')):
        assert not egoplan.FORM.fullmatch(wrong)


def test_questions_are_ranked_once_each_and_submitted(tmp_path: Path) -> None:
    data = shared("data", "egoplan", "EgoPlan_validation.json")
    figures = egoplan.ranked(data, tmp_path, limit=120, kills=1)
    assert (figures["questions"], figures["wanted"], figures["answered"], figures["kills"]) == (3355, 120, 120, 1)
    assert figures["every_question_once"]
    assert figures["outcomes"] == {"answered": 120}
    assert figures["options"] == 4 * 120
    assert figures["answer_is_winner"]
    assert set(figures["accuracy"]) == {"mean_logprob", "sum_logprob", "per_byte_logprob"}
    assert all(0.1 <= accuracy <= 0.4 for accuracy in figures["accuracy"].values()), "it knows nothing: near a quarter"
    assert figures["submission_in_the_authors_form"]
    assert figures["submission_rows"] == 3355
    assert figures["submission_labels"]["N/A"] == 3355 - 120
