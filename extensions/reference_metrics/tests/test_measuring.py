"""Reference metrics stand next to people and judges, as raters with numbers of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agreement.ratings import Scale
from db import runs
from db.engine import Store
from db.tables import PredictionRow
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.states import Stage
from extensions.reference_metrics import measuring
from testkit.factories import claimed, make_fields, make_items, make_people, make_person, make_predictions, make_project
from testkit.serving import touchstone
from tests.workflow.test_counted_items import project_with_verdicts
from tests.workflow.test_dimension_means import project
from tests.workflow.test_rater_agreement import only
from workflow.access.projects import require_lead
from workflow.annotate import submissions
from workflow.results import leaderboard, project_answers, score_choices
from workflow.results.dimension_means import PEOPLE, agreement_of_means
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import raters_of, ratings_of
from workflow.results.score_choices import Scores
from workflow.runs import run_control, run_views

RED = make_fields(options=["the red cup on the table", "blue"], answer="the red cup on the table")
TEXTS = ("the red cup on the table", "a red cup on a table", "a cup", "blue")
"""Of six words of the reference in their order: 6 of 6, 4 of 6 (red cup on table), 1 of 2 (cup), none."""
ROUGE = (1.0, 2 * 4 / 12, 2 * 1 / 8, 0.0)
GRADES = {"ann": (1, 1, 0.5, 0), "bob": (1, 0.5, 0, 0)}
NAME = "rouge_l against answer"


def say(store: Store, texts: dict[int, str]) -> None:
    """Give answers their texts."""
    with store.write() as session:
        for id, text in texts.items():
            row = session.get(PredictionRow, id)
            assert row is not None
            row.text = text
            session.add(row)


@pytest.fixture
def measured(store: Store) -> Store:
    """Four answers that two people graded."""
    make_project(store)
    ids = make_items(store, 4, fields=RED)
    make_predictions(store, ids, models=["m"])
    with store.read() as session:
        from db import files

        access = require_lead(session, by=None, project="p")
        rows = files.predictions(session, project_id=access.project_id)
        at = {row.text: ids.index(row.item_id) for row in rows}
        texts = {row.id: TEXTS[ids.index(row.item_id)] for row in rows}
    for login, grades in GRADES.items():
        person = make_person(store, login)
        for _ in ids:
            task = claimed(store, person, Stage.GRADING)
            score = grades[at[task.answer or ""]]
            submissions.submit(store, person=person, task=task.id, key=f"{login}-{task.id}", values={"score": score})
    say(store, texts)
    return store


def test_numbers_of_every_answer(measured: Store) -> None:
    found = measuring.measure(measured, by=None, project="p", name="rouge_l")
    assert (found.name, found.criterion, found.reference) == (NAME, "score", "answer")
    assert (found.new, found.known, found.scored, found.left_out) == (4, 0, 4, {})
    rows = [row for row in ratings_of(measured, project="p", stage=Stage.GRADING) if row.rater == NAME]
    assert [row.value for row in sorted(rows, key=lambda row: row.unit)] == pytest.approx(ROUGE)
    assert {row.dimension for row in rows} == {"colour"}
    raters = raters_of(measured, person=None, project="p", stage=Stage.GRADING)
    assert (raters.people, raters.judges, raters.metrics) == (["ann", "bob"], (NAME,), {NAME})


def test_again_adds_what_is_new_and_what_has_changed(measured: Store) -> None:
    first = measuring.measure(measured, by=None, project="p", name="rouge_l")
    again = measuring.measure(measured, by=None, project="p", name="rouge_l")
    assert (again.run, again.new, again.known, again.scored) == (first.run, 0, 4, 4)
    ids = make_items(measured, 1, fields=RED)
    make_predictions(measured, ids, models=["m"])
    more = measuring.measure(measured, by=None, project="p", name="rouge_l")
    assert (more.run, more.new, more.known, more.scored) == (first.run, 1, 4, 5)
    with measured.read() as session:
        changed = session.get(PredictionRow, 1)
        assert changed is not None
    say(measured, {1: "blue"})
    last = measuring.measure(measured, by=None, project="p", name="rouge_l")
    assert (last.new, last.known, last.scored) == (1, 4, 5)
    unit = "colour/0 · m"
    values = [
        row.value
        for row in ratings_of(measured, project="p", stage=Stage.GRADING)
        if (row.rater, row.unit) == (NAME, unit)
    ]
    assert values == [0.0]


def test_another_way_of_measuring_is_another_rater(measured: Store) -> None:
    measuring.measure(measured, by=None, project="p", name="rouge_l")
    other = measuring.measure(measured, by=None, project="p", name="rouge_l", reference="question")
    third = measuring.measure(measured, by=None, project="p", name="chrf")
    assert (other.name, third.name) == ("rouge_l against question", "chrf against answer")
    with measured.read() as session:
        access = require_lead(session, by=None, project="p")
        (kept, *_) = reversed(runs.of_project(session, project_id=access.project_id, kind=RunKind.METRIC))
    assert kept.params["metric"]["library"] == "rouge-score"
    assert kept.params["metric"]["settings"]["use_stemmer"] is False
    shown = run_views.view(measured, by=None, run=kept.public_id)
    assert (shown.done, shown.wanted) == (4, 4)
    with pytest.raises(ConflictError, match="computes the metric rouge_l against answer, so there is no model to ask"):
        run_control.pause(measured, by=None, run=kept.public_id)


def test_what_cannot_be_read_has_no_number(measured: Store) -> None:
    say(measured, {1: "杯子"})
    found = measuring.measure(measured, by=None, project="p", name="rouge_l")
    why = "The answer has no Latin letters or digits, and rouge_l cannot read other characters."
    assert (found.scored, found.left_out) == (3, {why: 1})
    assert len([row for row in ratings_of(measured, project="p", stage=Stage.GRADING) if row.rater == NAME]) == 3
    line = leaderboard.sliced_scores(
        project_answers.read_project(measured, person=None, project="p"), Scores("judge", "score", NAME)
    ).whole["m"]
    assert (line.found.n_units, dict(line.left_out)) == (3, {"without a number from the metric": 1})


def test_in_agreement(measured: Store) -> None:
    measuring.measure(measured, by=None, project="p", name="rouge_l")
    asked = {"person": None, "project": "p", "stage": Stage.GRADING}
    people = agreement_of(measured, **asked)  # type: ignore[arg-type]
    assert {each.n_raters for each in people} == {2}
    assert {each.args["scale"] for each in people} == {"ordinal"}
    found = agreement_of(measured, **asked, raters=["ann", NAME])  # type: ignore[arg-type]
    assert {each.args["scale"] for each in found} == {"interval"}
    expected = np.corrcoef(GRADES["ann"], ROUGE)[0, 1]
    assert only(found, "pearson").value == pytest.approx(expected)
    assert only(found, "icc", form="ICC(1,1)").value is not None
    assert only(found, "spearman").value is not None


def test_a_leader_s_own_scale_stays(measured: Store) -> None:
    from domain.errors import RatingsError

    measuring.measure(measured, by=None, project="p", name="rouge_l")
    with pytest.raises(RatingsError, match="not on the declared scale"):
        agreement_of(
            measured,
            person=None,
            project="p",
            stage=Stage.GRADING,
            raters=["ann", NAME],
            scales={"score": Scale("ordinal", (0, 0.5, 1))},
        )


def test_in_results(measured: Store) -> None:
    before = project_answers.mark(measured, person=None, project="p")
    measuring.measure(measured, by=None, project="p", name="rouge_l")
    assert project_answers.mark(measured, person=None, project="p") != before
    found = project_answers.read_project(measured, person=None, project="p")
    scores = Scores("judge", "score", NAME)
    assert scores in score_choices.scores_of(found)
    line = leaderboard.sliced_scores(found, scores).whole["m"]
    assert (line.found.n_units, line.found.value) == (4, pytest.approx(sum(ROUGE) / 4))
    assert found.models == ("m",)
    assert sorted(found.judged["score", NAME].values()) == pytest.approx(sorted(ROUGE))


def test_what_is_meant_has_to_be_there(measured: Store) -> None:
    for given, sentence in [
        ({"name": "meteor"}, "Unknown metric 'meteor'"),
        (
            {"reference": "origins"},
            "Items have no text field 'origins'. Choose one of question, options, answer, origin",
        ),
        ({"criterion": "choice"}, "'choice' is not a grading criterion. Choose one of score"),
    ]:
        with pytest.raises(InvalidInputError, match=sentence):
            measuring.measure(measured, by=None, project="p", **{"name": "rouge_l", **given})  # type: ignore[arg-type]
    ann = make_person(measured, "cat", role=Role.ANNOTATOR)
    with pytest.raises(NotAllowedError):
        measuring.measure(measured, by=ann, project="p", name="rouge_l")


def test_kept_items_are_measured_unless_all_are_asked_for(store: Store) -> None:
    project_with_verdicts(store)
    measured = measuring.measure(store, by=None, project="p", name="exact_match", reference="answer")
    assert (measured.new, measured.counted.sentence) == (40, "20 kept items; 6 rejected, 4 open left out.")
    everything = measuring.measure(store, by=None, project="p", name="exact_match", reference="answer", items="all")
    assert everything.new == 20


def test_people_are_one_and_a_metric_another(store: Store) -> None:
    project(store, "colour", "shape")
    answers = {"colour": ("red", "blue"), "shape": ("red", "red")}
    grades = {"ann": {"colour": 40, "shape": 80}, "bob": {"colour": 60, "shape": 100}}
    for dimension in answers:
        make_predictions(store, make_items(store, 2, dimension=dimension), models=["m"], dimension=dimension)
    for person in make_people(store, "ann", "bob"):
        for _ in range(4):
            task = claimed(store, person, Stage.GRADING)
            values = {"score": grades[person.login][task.dimension]}
            submissions.submit(store, person=person, task=task.id, key=f"{person.login}-{task.id}", values=values)
    measuring.measure(store, by=None, project="p", name="token_f1")
    found = agreement_of_means(store, person=None, project="p")
    bias = only(found, "bias")
    assert bias.args["pair"] == [PEOPLE, "token_f1 against answer"]
    # people's means are 50 and 90; no answer has a word of the reference
    assert abs(bias.value or 0) == pytest.approx(70)
    assert (bias.n_units, bias.args["answers"]) == (2, 4)


def test_the_command(demo: Path) -> None:
    home = demo
    first = touchstone("metric", "run", "demo", "--metric", "token_f1", "--criterion", "score", home=home)
    assert first.returncode == 0, first.stderr
    _, counted, how, *_ = first.stdout.splitlines()
    assert "kept items" in counted
    assert how.startswith("  by our own code, {")
    again = touchstone("metric", "run", "demo", "--metric", "token_f1", "--criterion", "score", home=home)
    assert "Answers measured: 0." in again.stdout
    wrong = touchstone("metric", "run", "demo", "--metric", "meteor", home=home)
    assert (wrong.returncode, "Unknown metric 'meteor'" in wrong.stderr) == (1, True)
    listed = touchstone("run", "list", "demo", home=home)
    assert "token_f1 against" in listed.stdout
