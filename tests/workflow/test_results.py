"""What answers are worth: worked numbers, and one read of a real project."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats
from sqlalchemy import event

from agreement import ppi_mean
from annotation_schemas.expected_answers import NO_KEY, STRANGE_KEY
from annotation_schemas.loader import load_text
from annotation_schemas.model import Schema
from db.engine import Store
from db.tables import AttemptRow, ImportedRatingRow, PredictionRow, RunChunkRow, RunRow, RunWorkerRow
from domain.errors import InvalidInputError, NotAllowedError, NotFoundError
from domain.reading.answers import ReadOutcome
from domain.replies import counted_reasons
from domain.run_kinds import RunKind
from domain.runs import Outcome, RunState
from domain.states import Stage
from testkit import factories
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.results import (
    criterion_values,
    project_answers,
    score_choices,
)
from workflow.results import leaderboard as numbers
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import NOT_ASKED, ProjectAnswers
from workflow.results.score_choices import Scores
from workflow.results.slices import Item

NAN = float("nan")

CLOSED = """
name: closed
version: 1
title: Closed
dimensions:
  - {id: near, title: Near, definition: "x", group: space}
  - {id: far, title: Far, definition: "x", group: space}
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, length: 3}
    - {name: answer, kind: option_of, field: options, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria: [{name: choice, kind: option_of, field: options, prompt: "?"}]
    keep: {rule: unanimous_and_key, criterion: choice, key: answer}
  grading:
    raters: 3
    combine: COMBINE
    criteria:
      - {name: score, kind: scale, prompt: "?", values: [0, 0.5, 1]}
      - {name: right, kind: scale, prompt: "?", values: [0, 1]}
"""


def schema(combine: str = "mean") -> Schema:
    return load_text(CLOSED.replace("COMBINE", combine), "g", "closed").schema_


def made(
    answers: Sequence[tuple[int, str, float]],
    *,
    items: Mapping[int, str] | None = None,
    sources: Mapping[int, str] | None = None,
    combine: str = "mean",
    grades: Mapping[str, Mapping[int, Sequence[float]]] | None = None,
    judged: Mapping[tuple[str, str], Mapping[int, float]] | None = None,
    unanswered: Mapping[str, Mapping[int, str]] | None = None,
    keys: Mapping[int, str] | None = None,
) -> ProjectAnswers:
    """A project in memory; an answer is its item, its model, and whether it equals the key. ``keys``: of items whose
    key is not the first option."""
    dimensions = items or dict.fromkeys((item for item, _, _ in answers), "near")
    return ProjectAnswers(
        "p",
        "Project",
        schema(combine),
        (),
        {
            id: Item(f"i{id}", f"n{id}", dim, (sources or {}).get(id), {**KEYED, "answer": (keys or {}).get(id, "x")})
            for id, dim in dimensions.items()
        },
        [
            Answer(at, item, model, right, why=NO_KEY if math.isnan(right) else "")
            for at, (item, model, right) in enumerate(answers)
        ],
        unanswered or {},
        grades or {},
        judged or {},
    )


KEY = Scores("key")
KEYED = {"options": ["x", "y", "z"]}


# ---- against the key -------------------------------------------------------------------------------------------------


def test_accuracy_has_wilson_s_limits_and_says_what_is_left_out() -> None:
    found = made([(at, "m", float(at < 6)) for at in range(8)] + [(8, "m", NAN)])
    line = numbers.sliced_scores(found, KEY).whole["m"]
    limits = stats.binomtest(6, 8).proportion_ci(method="wilson")
    assert (line.found.value, line.found.n_units) == (0.75, 8)
    assert (line.found.low, line.found.high) == pytest.approx((limits.low, limits.high))
    assert dict(line.left_out) == {"the item has no key": 1}
    assert (line.asked, line.answered, line.lowest) == (9, 9, None)


def test_items_of_one_source_are_no_more_than_one_another() -> None:
    answers = [(at, "m", float(at < 4)) for at in range(8)]
    alone = numbers.sliced_scores(made(answers), KEY)
    found = made(answers, sources={at: f"video {at // 2}" for at in range(8)})
    together = numbers.sliced_scores(found, KEY)
    assert (alone.together, together.together) == ("none", "source")
    assert together.whole["m"].found.high > alone.whole["m"].found.high
    apart = numbers.sliced_scores(found, KEY, together="none").whole["m"].found
    assert apart == alone.whole["m"].found
    with pytest.raises(InvalidInputError, match="cannot group items by 'goal'"):
        numbers.sliced_scores(found, KEY, together="goal")


def test_the_mean_over_dimensions_is_not_the_mean_over_items() -> None:
    # near: 4 of 4 right; far: 0 of 1, of which the other model has 2
    items = {0: "near", 1: "near", 2: "near", 3: "near", 4: "far", 5: "far"}
    answers = [(at, "m", float(at < 4)) for at in range(6)]
    cut = numbers.sliced_scores(made([*answers[:5], (0, "other", 1.0)], items=items), KEY)
    assert cut.whole["m"].found.value == 0.8
    assert cut.of_parts["m"].found.value == 0.5
    assert cut.cells["m", 0].found.value == 1.0
    missing = cut.of_parts["other"].found
    assert math.isnan(missing.value)
    assert missing.reason == "No number in Far, so a mean over the other slices would not be comparable."
    assert cut.models == ["other", "m"]


# ---- what was asked and not answered ---------------------------------------------------------------------------------


def test_what_has_no_answer_is_counted_and_bounds_are_given() -> None:
    found = made(
        [(at, "m", float(at < 6)) for at in range(8)],
        items=dict.fromkeys(range(12), "near"),
        unanswered={"m": {8: "refused", 9: "refused", 10: "the model raised an error", 11: NOT_ASKED}},
    )
    cut = numbers.sliced_scores(found, KEY)
    line = cut.whole["m"]
    # what the model refused counts as wrong: 6 of 8 answers and 2 refusals
    assert (line.asked, line.answered, line.found.n_units, line.found.value) == (12, 8, 10, 0.6)
    assert (line.lowest, line.highest) == (pytest.approx(6 / 12), pytest.approx(10 / 12))
    assert any(
        "8 of 12 items: 2 (refused), 1 (not asked yet), 1 (the model raised an error)" in note for note in cut.notes
    )
    assert counted_reasons(line.left_out) == "1 (not asked yet), 1 (the model raised an error)"
    assert (dict(line.unread), line.unreadable) == ({"refused": 2}, "wrong")


def test_a_model_that_answered_nothing_has_no_number_but_bounds() -> None:
    line = numbers.sliced_scores(made([(0, "a", 1.0)], unanswered={"b": {0: "the model raised an error"}}), KEY).whole[
        "b"
    ]
    assert math.isnan(line.found.value)
    assert line.found.reason == "The model did not answer any items in this group."
    assert (line.lowest, line.highest, line.asked) == (0, 1, 1)


def test_what_cannot_be_read_counts_as_the_schema_says_and_is_named() -> None:
    """12 items: 6 right, 2 wrong, 1 refused in words, 1 that names no option, 1 refused outright, 1 not asked."""
    read = [ReadOutcome.READ] * 8 + [ReadOutcome.REFUSED, ReadOutcome.UNREADABLE]
    answers = [Answer(at, at, "m", float(at < 6) if at < 8 else NAN, each) for at, each in enumerate(read)]
    found = made([], items=dict.fromkeys(range(12), "near"), unanswered={"m": {10: "refused", 11: NOT_ASKED}})
    found = replace(found, answers=answers)
    left_out = replace(
        found,
        schema=load_text(CLOSED.replace("COMBINE", "mean") + "report: {unreadable: left_out}\n", "g", "closed").schema_,
    )
    cut, other = numbers.sliced_scores(found, KEY), numbers.sliced_scores(left_out, KEY)
    assert cut.title == "Accuracy against the key, unreadable answers count as wrong"
    assert other.title == "Accuracy against the key, only readable answers count"
    wrong, without = cut.whole["m"], other.whole["m"]
    assert (wrong.found.value, wrong.found.n_units) == (pytest.approx(6 / 11), 11)
    assert (without.found.value, without.found.n_units) == (pytest.approx(6 / 8), 8)
    for line in (wrong, without):
        assert (line.lowest, line.highest) == (pytest.approx(6 / 12), pytest.approx(10 / 12))
        assert sum(line.unread.values()) == 3
        assert line.found.n_units + sum(line.left_out.values()) == line.asked == 12
    row = wrong.as_row()
    assert (row["unread"], row["unread_counts_as"], row["reader"]) == (3, "wrong", "rules")
    assert without.as_row()["unread_counts_as"] == "left_out"
    assert any("m: items without a readable answer, which count as wrong: 3 of 12 (" in note for note in cut.notes)
    assert any("0.500 (all wrong) and 0.833 (all right)" in note for note in cut.notes)


@pytest.mark.parametrize(("key", "why"), [("", NO_KEY), ("none of these", STRANGE_KEY)])
def test_an_item_without_a_key_is_in_no_accuracy_whatever_became_of_its_answer(key: str, why: str) -> None:
    """3 right; 3 silences and 1 not asked on items without a key: 3 of 3, and nothing is unknown."""
    gone = {3: "refused", 4: "refused", 5: "the model sent an empty answer", 6: NOT_ASKED}
    found = made(
        [(at, "m", 1.0) for at in range(3)],
        items={at: "near" if at % 2 else "far" for at in range(7)},
        unanswered={"m": gone},
        keys=dict.fromkeys(gone, key),
    )
    cut = numbers.sliced_scores(found, KEY)
    for line in (cut.whole["m"], numbers.overview(found, [KEY])["m", KEY]):
        assert (line.found.value, line.found.n_units, line.asked, line.answered) == (1.0, 3, 7, 3)
        assert (dict(line.left_out), dict(line.unread), line.lowest, line.highest) == ({why: 4}, {}, None, None)
        assert sum(line.missing.values()) == 4
    assert cut.of_parts["m"].found.value == 1.0
    assert not any("without a readable answer" in note for note in cut.notes)


def test_models_with_different_items_are_told_apart_and_can_be_held_to_what_all_answered() -> None:
    found = made([(0, "a", 1.0), (1, "a", 0.0), (0, "b", 1.0)])
    both = numbers.sliced_scores(found, KEY)
    assert any("did not answer the same items (a 2, b 1 answers)" in note for note in both.notes)
    same = numbers.sliced_scores(found, KEY, common=True)
    assert (same.whole["a"].found.value, same.whole["a"].found.n_units) == (1.0, 1)
    assert not any("did not answer" in note for note in same.notes)


# ---- people and judges -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "combine", "raters", "expected"),
    [
        ([1, 0.5, 0.5], "majority", 3, 0.5),
        ([1, 0.5, 0], "majority", 3, None),
        ([1, 1], "majority", 3, 1),
        ([1], "majority", 3, None),
        ([1, 1, 0, 0], "majority", 3, None),
        ([1, 0.5], "mean", 3, 0.75),
    ],
)
def test_grades_are_combined_as_the_schema_says(
    given: list[float], combine: Any, raters: int, expected: float | None
) -> None:
    assert criterion_values.combined(given, combine, raters) == expected


def test_people_s_mean_has_t_limits_over_answers() -> None:
    grades = {"score": {0: [1, 0.5], 1: [0], 2: [0.5, 0.5, 0.5], 3: [NAN]}}
    found = made([(at, "m", NAN) for at in range(5)], grades=grades)
    line = numbers.sliced_scores(found, Scores("human", "score")).whole["m"]
    values = [0.75, 0, 0.5]
    mean = sum(values) / 3
    half = stats.t.ppf(0.975, 2) * stats.sem(values)
    assert line.found.value == pytest.approx(mean)
    assert (line.found.low, line.found.high) == pytest.approx((max(0, mean - half), min(1, mean + half)))
    assert dict(line.left_out) == {"without a grade": 1, "with a grade that is not on the scale": 1}


def test_a_majority_of_zeros_and_ones_is_a_share() -> None:
    grades = {"right": {0: [1, 1, 0], 1: [0, 0, 0], 2: [1, 1], 3: [1, 0]}}
    found = made([(at, "m", NAN) for at in range(4)], grades=grades, combine="majority")
    line = numbers.sliced_scores(found, Scores("human", "right")).whole["m"]
    limits = stats.binomtest(2, 3).proportion_ci(method="wilson")
    assert (line.found.low, line.found.high) == pytest.approx((limits.low, limits.high))
    assert dict(line.left_out) == {"without a majority of grades": 1}


def test_a_judge_is_corrected_by_the_answers_that_people_graded() -> None:
    people, judge = [1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1]
    others = [1, 1, 0, 0, 1, 0, 1, 0]
    grades = {"right": {at: [each] for at, each in enumerate(people)}}
    judged = {("right", "gpt"): dict(enumerate([*judge, *others]))}
    found = made([(at, "m", NAN) for at in range(14)], grades=grades, judged=judged)
    assert [each.kind for each in score_choices.scores_of(found)] == ["human", "judge", "corrected"]
    line = numbers.sliced_scores(found, Scores("corrected", "right", "gpt", "ppi")).whole["m"]
    expected = ppi_mean(people, judge, others).mean
    assert line.found.value == pytest.approx(expected.value)
    assert (line.found.low, line.found.high) == pytest.approx((expected.low, min(1, expected.high)))
    assert (line.people, line.found.n_units) == (6, 14)
    assert "random sample" in line.valid_if
    # Rogan-Gladen by hand: sensitivity 3/4, specificity 1, the judge passes 7 of 14
    other = numbers.sliced_scores(found, Scores("corrected", "right", "gpt", "rogan_gladen")).whole["m"]
    assert other.found.value == pytest.approx((7 / 14 + 1 - 1) / (3 / 4 + 1 - 1))


def test_what_cannot_be_corrected_says_why() -> None:
    judged = {("score", "gpt"): {0: 1.0, 1: 0.5, 2: 0.0}}
    whole = made([(at, "m", NAN) for at in range(3)], grades={"score": {0: [1], 1: [1], 2: [0]}}, judged=judged)
    line = numbers.sliced_scores(whole, Scores("corrected", "score", "gpt", "ppi")).whole["m"]
    assert line.found.value == pytest.approx(2 / 3)
    assert line.valid_if.startswith("none: people graded every answer")
    apart = made([(at, "m", NAN) for at in range(4)], grades={"score": {3: [1]}}, judged=judged)
    line = numbers.sliced_scores(apart, Scores("corrected", "score", "gpt", "ppi")).whole["m"]
    assert math.isnan(line.found.value)
    assert "graded both by people and by the judge" in (line.found.reason or "")
    halves = made([(at, "m", NAN) for at in range(3)], grades={"score": {0: [0.5], 1: [1]}}, judged=judged)
    line = numbers.sliced_scores(halves, Scores("corrected", "score", "gpt", "rogan_gladen")).whole["m"]
    assert "needs zeros (fail) and ones (pass)" in (line.found.reason or "")


def test_models_are_held_against_each_other_item_by_item() -> None:
    first, second = [1, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1]
    answers = [(at, "a", float(each)) for at, each in enumerate([*first, 1])]
    answers += [(at, "b", float(each)) for at, each in enumerate(second)]
    found = made(answers)
    cut = numbers.sliced_scores(found, KEY)
    (gap,) = numbers.gaps(found, cut)
    paired = stats.ttest_rel(second, first)
    limits = paired.confidence_interval()
    assert (gap.model, gap.first, gap.difference.n_units) == ("b", "a", 6)
    assert gap.difference.value == pytest.approx(-2 / 6)
    assert (gap.difference.low, gap.difference.high) == pytest.approx((limits.low, limits.high))
    assert numbers.overview(found, [KEY])["a", KEY] == cut.whole["a"]


def test_next_to_the_first_refusals_weigh_as_they_do_in_the_table() -> None:
    """a: 6 of 6. b: 3 right and 3 refusals, so 0.5; c: 3 right and 3 that no model was asked."""
    answers = [(at, "a", 1.0) for at in range(6)] + [(at, model, 1.0) for at in range(3) for model in "bc"]
    gone = {"b": dict.fromkeys(range(3, 6), "refused"), "c": dict.fromkeys(range(3, 6), NOT_ASKED)}
    sources = {at: f"video {at // 2}" for at in range(6)}
    for found in (made(answers, unanswered=gone), made(answers, unanswered=gone, sources=sources)):
        cut = numbers.sliced_scores(found, KEY)
        assert [cut.whole[model].found.value for model in "abc"] == [1.0, 0.5, 1.0]
        gaps = {gap.model: gap.difference for gap in numbers.gaps(found, cut)}
        assert (gaps["b"].value, gaps["b"].n_units, gaps["c"].value, gaps["c"].n_units) == (-0.5, 6, 0.0, 3)
    limits = stats.ttest_1samp([0, 0, 0, -1, -1, -1], 0).confidence_interval()
    alone = numbers.gaps(made(answers, unanswered=gone), numbers.sliced_scores(made(answers, unanswered=gone), KEY))[-1]
    assert (alone.difference.low, alone.difference.high) == pytest.approx((limits.low, limits.high))
    # left out by the schema's word, they are left out of both
    without = replace(
        made(answers, unanswered=gone),
        schema=load_text(CLOSED.replace("COMBINE", "mean") + "report: {unreadable: left_out}\n", "g", "closed").schema_,
    )
    cut = numbers.sliced_scores(without, KEY)
    assert [(gap.difference.value, gap.difference.n_units) for gap in numbers.gaps(without, cut)] == [(0, 3), (0, 3)]
    same = numbers.sliced_scores(made(answers, unanswered=gone), KEY, common=True)
    assert {gap.difference.n_units for gap in numbers.gaps(made(answers, unanswered=gone), same)} == {3}


# ---- files -----------------------------------------------------------------------------------------------------------


def test_the_csv_has_every_number_with_what_it_rests_on_and_no_formula() -> None:
    found = made([(0, "=cmd()", 1.0), (1, "=cmd()", 0.0)])
    rows = list(csv.DictReader(io.StringIO(numbers.as_csv(numbers.sliced_scores(found, KEY).lines()))))
    assert [row["part"] for row in rows] == ["", "near"]
    assert rows[0]["model"] == "'=cmd()"
    assert (rows[0]["value"], rows[0]["n"], rows[0]["unit"], rows[0]["interval"]) == (
        "0.5",
        "2",
        "answer",
        "Wilson score",
    )
    assert rows[0]["left_out_why"] == ""


# ---- one read of a real project --------------------------------------------------------------------------------------


def filled(store: Store) -> list[int]:
    """Two models' answers to four items: one's from files, one item twice; the other's of a run that failed."""
    factories.make_project(store)
    items = factories.make_items(store, 4)
    factories.make_predictions(store, items[:3], models=["filed"])
    with store.write() as session:
        project_id = access_to(session, person=None, project="p").project_id
        again = RunRow(project_id=project_id, kind=RunKind.IMPORT, name="answers", created_at=store.now())
        run = RunRow(
            project_id=project_id,
            kind=RunKind.MODEL,
            name="ran",
            state=RunState.CANCELLED,
            wanted=4,
            params={"spec": {}, "plan": {"strategy": "rank_options"}},
            created_at=store.now(),
        )
        session.add_all([again, run])
        session.flush()
        worker = RunWorkerRow(run_id=run.id, name="here", started_at=store.now(), seen_at=store.now())
        session.add_all([worker, RunChunkRow(run_id=run.id, number=0, unit_ids=items)])
        session.flush()

        def said(of: RunRow, item: int, model: str, text: str) -> PredictionRow:
            return PredictionRow(
                project_id=project_id, item_id=item, run_id=of.id, model=model, text=text, created_at=store.now()
            )

        def tried(item: int, number: int, outcome: Outcome, *, final: bool = True, **detail: Any) -> AttemptRow:
            return AttemptRow(
                run_id=run.id,
                worker_id=worker.id,
                unit_id=item,
                item_id=item,
                number=number,
                outcome=outcome,
                final=final,
                detail=detail,
                created_at=store.now(),
            )

        ranking = {
            "options": [{"text": "red"}, {"text": "blue"}],
            "winners": {"mean_logprob": 0, "sum_logprob": 1},
            "score": "mean_logprob",
        }
        session.add_all(
            [
                said(again, items[0], "filed", "Red."),
                said(run, items[0], "ran", "red"),
                tried(items[0], 1, Outcome.TRANSPORT_ERROR, final=False),
                tried(items[0], 2, Outcome.ANSWERED, **ranking),
                tried(items[1], 1, Outcome.REFUSED),
                tried(items[2], 1, Outcome.TRANSPORT_ERROR, final=False),
                tried(items[2], 2, Outcome.FAILED),
            ]
        )
    return items


def test_one_read_of_a_project(store: Store) -> None:
    items = filled(store)
    found = project_answers.read_project(store, person=None, project="p")
    assert found.models == ("filed", "ran")
    assert {(each.item, each.model): (each.right, each.read) for each in found.answers if each.right == 1} == {
        (items[0], "filed"): (1.0, ReadOutcome.READ),
        (items[0], "ran"): (1.0, ReadOutcome.READ),
    }
    unread = {each.item for each in found.answers if each.read is ReadOutcome.UNREADABLE and math.isnan(each.right)}
    assert unread == {items[1], items[2]}, "'Answer 0 of 1' names no option: that is no wrong answer"
    assert found.replaced == 1
    assert found.unanswered["ran"] == {
        items[1]: "refused",
        items[2]: "the model raised an error",
        items[3]: NOT_ASKED,
    }
    line = numbers.sliced_scores(found, KEY).whole["ran"]
    assert (line.asked, line.answered) == (4, 1)


def test_grades_are_of_the_answer_that_counts_and_the_latest_of_each_person(store: Store) -> None:
    items = filled(store)
    people = factories.make_people(store, "ann", "bob", stages=[Stage.GRADING])
    before = project_answers.mark(store, person=None, project="p")
    for person, scores in zip(people, ([1, 0.5, 0], [0, 0.5, 0]), strict=True):
        for at, score in enumerate(scores):
            task = factories.claimed(store, person, Stage.GRADING)
            submissions.submit(store, person=person, task=task.id, key=f"{person.login}{at}", values={"score": score})
    assert project_answers.mark(store, person=None, project="p") != before
    with store.write() as session:
        project_id = access_to(session, person=None, project="p").project_id
        session.add_all(
            [
                ImportedRatingRow(
                    project_id=project_id,
                    stage=Stage.GRADING,
                    unit=unit,
                    rater=rater,
                    criterion="score",
                    value=value,
                    created_at=store.now(),
                )
                for unit, rater, value in [
                    ("colour/0 · filed", "gpt", 1),
                    ("colour/1 · filed", "gpt", 0.7),
                    ("colour/2 · no one", "gpt", 1),
                    ("colour/2 · filed", "ann", 1),
                ]
            ]
        )
    found = project_answers.read_project(store, person=None, project="p")
    ids = {each.item: each.id for each in found.answers if each.model == "filed"}
    given = {item: sorted(found.grades["score"].get(id, ())) for item, id in ids.items()}
    assert given[items[0]] == []  # the grades are of the answer before
    assert sum(map(len, given.values())) == 4
    assert set(found.judged) == {("score", "gpt")}, "who graded under an account is no judge"
    assert found.judged["score", "gpt"][ids[items[0]]] == 1
    assert math.isnan(found.judged["score", "gpt"][ids[items[1]]]), "0.7 is none of the scale"
    assert found.unknown == 1


def test_results_are_for_leads(store: Store) -> None:
    filled(store)
    for role in (factories.Role.ANNOTATOR, factories.Role.SENIOR):
        person = factories.make_person(store, f"some-{role.value}", role=role)
        with pytest.raises(NotAllowedError):
            project_answers.read_project(store, person=person, project="p")
        with pytest.raises(NotAllowedError):
            project_answers.mark(store, person=person, project="p")


def test_one_read_asks_a_handful_of_questions_however_many_answers_there_are(store: Store) -> None:
    factories.make_project(store)
    asked: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    counts = []
    for n in (5, 60):
        items = factories.make_items(store, n)
        factories.make_predictions(store, items, models=["a", "b", "c"])
        asked.clear()
        project_answers.read_project(store, person=None, project="p")
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 40


def test_what_was_read_is_kept_until_something_is_new(store: Store) -> None:
    items = filled(store)
    lea = factories.make_person(store, "lea", role=factories.Role.LEAD)
    first = project_answers.current(store, person=lea, project="p")
    assert project_answers.current(store, person=lea, project="p") is first
    factories.make_predictions(store, items[3:], models=["new"])
    assert "new" in project_answers.current(store, person=lea, project="p").models
    with pytest.raises(NotFoundError):
        project_answers.current(store, person=factories.make_person(store, "olu", project=None), project="p")
