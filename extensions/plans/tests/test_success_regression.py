"""Success of plans next to scores in aspects: what is joined, what is left out, and the numbers of it."""

from __future__ import annotations

import csv
import io
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from domain.errors import InvalidInputError
from domain.runs import Outcome as Ended
from extensions.plans.project_units import units_of_project
from extensions.plans.success_files import AspectScore, PlanOutcome
from extensions.plans.success_regression import (
    as_csv,
    as_json,
    describe_fit,
    describe_units,
    fit_regressions,
    influential,
    units_csv,
)
from extensions.plans.success_units import JoinedUnits, UnitRequest, units_of_files
from tests.workflow.test_results import made
from workflow.results import leaderboard
from workflow.results.graded_answers import Answer
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores
from workflow.results.slices import Item

SCHEMA = load_schema(shipped()["etp_bench"]).schema_
PLAN = "embodied_reasoning"
MODELS = ("ann's", "big", "cat")
TASKS = tuple(f"task {number}" for number in range(8))


def dice(*parts: Any, of: int) -> int:
    """A number below ``of``, the same in every run."""
    return zlib.crc32(repr(parts).encode()) % of


def project(**changes: Any) -> ProjectAnswers:
    """Three models answer, of each of eight tasks, three questions on types, two on space, and a plan; a judge scores
    the answers, and three people each plan. More stands apart: a question and a plan without a task, a plan that no
    one has graded, and one on which two people differ."""
    items: dict[int, Item] = {}
    for number, task in enumerate(TASKS):
        for dimension, count in (("type", 3), ("spatial", 2), (PLAN, 1)):
            for at in range(count):
                name = f"{dimension} {number}.{at}"
                items[len(items)] = Item(name, name, dimension, None, {"task": f" {task} "})
    alone = len(items)
    items[alone] = Item("q", "lone question", "type", None, {})
    items[alone + 1] = Item("p", "lone plan", PLAN, None, {"task": ""})
    items[alone + 2] = Item("r", "ungraded plan", PLAN, None, {"task": "task 0"})
    items[alone + 3] = Item("s", "split plan", PLAN, None, {"task": "task 1"})
    answers = [(id, model) for model in MODELS for id in items]
    judged: dict[int, float] = {}
    grades: dict[int, list[float]] = {}
    for at, (id, model) in enumerate(answers):
        item = items[id]
        if item.dimension != PLAN:
            judged[at] = dice(item.name, model, of=3) / 2
        elif item.name == "split plan":
            grades[at] = [0.0, 1.0]
        elif item.name != "ungraded plan":
            won = float(dice(item.name, model, of=5) < 2)
            grades[at] = [won, won, 1 - won]
    there = ProjectAnswers(
        "p",
        "Project",
        SCHEMA,
        (),
        items,
        [Answer(at, id, model, math.nan) for at, (id, model) in enumerate(answers)],
        {},
        {"success": grades},
        {("score", "gpt35"): judged},
    )
    return replace(there, **changes)


def truth(found: ProjectAnswers) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Of each model and task the mean in types and in space, and the success, straight from the dice."""
    rows = {}
    for model in MODELS:
        for number, task in enumerate(TASKS):
            means = [
                sum(dice(f"{dimension} {number}.{at}", model, of=3) / 2 for at in range(n)) / n
                for dimension, n in (("type", 3), ("spatial", 2))
            ]
            rows[model, task] = (means[0], means[1], float(dice(f"{PLAN} {number}.0", model, of=5) < 2))
    return rows


def test_plans_with_the_scores_of_their_task() -> None:
    found = project()
    joined = units_of_project(found, UnitRequest())
    assert (joined.by, joined.aspects) == ("task", (("type", "Type"), ("spatial", "Spatial")))
    wanted = truth(found)
    assert {(unit.model, unit.task): (*unit.scores, unit.success) for unit in joined.units} == wanted
    assert len(joined.units) == 24
    assert {unit.answers for unit in joined.units} == {(3, 2)}
    assert dict(joined.left_out) == {
        "answers about aspects that belong to no task": 3,
        "plans without a task": 3,
        "plans without a grade": 3,
        "plans without a majority for success or failure": 3,
    }
    assert joined.success == "People, success, by majority"
    assert joined.scores == "gpt35, score"


def test_the_numbers_are_those_of_least_squares() -> None:
    joined = units_of_project(project(), UnitRequest())
    rows = truth(project())
    design = np.array([[1, *row[:2]] for row in rows.values()])
    b, *_ = np.linalg.lstsq(design, np.array([row[2] for row in rows.values()]), rcond=None)
    linear, logistic = fit_regressions(joined)
    assert [term.coefficient.value for term in linear.found.terms] == pytest.approx(b.tolist(), rel=1e-9)
    assert (linear.errors, linear.cluster, logistic.errors) == ("cluster", "task", "cluster")  # three models plan each
    assert any("Standard errors from 8 tasks are too small" in note for note in linear.notes)
    # the likelihood's slope is zero at its maximum
    eta = design @ [term.coefficient.value for term in logistic.found.terms]
    rest = np.array([row[2] for row in rows.values()]) - 1 / (1 + np.exp(-eta))
    assert np.abs(design.T @ rest).max() < 1e-7
    one = units_of_project(project(), UnitRequest(models=("big",)))
    assert [(fit.errors, fit.cluster) for fit in fit_regressions(one)] == [("hc3", "none"), ("classical", "none")]


def test_models_with_the_share_of_their_plans() -> None:
    found = project()
    joined = units_of_project(found, UnitRequest(by="model"))
    table = leaderboard.sliced_scores(found, Scores("judge", "score", "gpt35"))
    labels = list(table.slicing.labels)
    for unit in joined.units:  # as Results says
        cells = [table.cells[unit.model, labels.index(name)] for name in ("type", "spatial")]
        assert unit.scores == pytest.approx([cell.found.value for cell in cells])
        assert unit.answers == tuple(cell.found.n_units for cell in cells)
        # a plan of each task, and the lone one
        won = [dice(f"{PLAN} {number}.0", unit.model, of=5) < 2 for number in range(8)]
        won.append(dice("lone plan", unit.model, of=5) < 2)
        assert (unit.succeeded, unit.plans) == (sum(won), 9)
        assert unit.success == pytest.approx(sum(won) / 9)
    for fit in fit_regressions(joined):
        assert fit.found.reason == (
            "3 complete units are too few for 3 coefficients. Add complete units, or remove aspects."
        )
    (alone,) = fit_regressions(units_of_project(found, UnitRequest(by="model", aspects=("type",))), kinds=("logistic",))
    assert alone.errors == "hc3"
    assert alone.found.n_units == 3


def test_success_from_a_file_and_what_does_not_match() -> None:
    found = project()
    rows = [PlanOutcome(2, "big", f"{PLAN} {number}.0", "", float(number % 2)) for number in range(8)]
    rows += [
        PlanOutcome(10, "big", "no such plan", "", 1.0),
        PlanOutcome(11, "who", f"{PLAN} 0.0", "", 1.0),
        PlanOutcome(12, "who else", f"{PLAN} 0.0", "", 1.0),
        PlanOutcome(13, "cat", "", "task  3", 1.0),
        PlanOutcome(14, "cat", "lone plan", "", 1.0),
    ]
    joined = units_of_project(found, UnitRequest(outcomes=rows, file="ran.csv"))
    assert {(unit.model, unit.task): unit.success for unit in joined.units} == {
        **{("big", f"task {number}"): number % 2 for number in range(8)},
        ("cat", "task 3"): 1.0,
    }
    assert dict(joined.left_out) == {
        "answers about aspects that belong to no task": 3,
        "rows of ran.csv with an unknown item": 1,
        "plans without a task": 1,
        "rows of ran.csv whose model has no scores (who, who else)": 2,
    }
    shares = [PlanOutcome(2, model, "", "", share) for model, share in zip(MODELS, (0.2, 0.4, 0.9), strict=True)]
    joined = units_of_project(found, UnitRequest(outcomes=shares, file="s.csv", by="model", aspects=("type",)))
    linear, logistic = fit_regressions(joined)
    assert linear.found.terms
    assert "ann's has only the share 0.2" in (logistic.found.reason or "")
    with pytest.raises(InvalidInputError, match="has no column for items or tasks"):
        units_of_project(found, UnitRequest(outcomes=shares, file="s.csv"))
    nameless = [PlanOutcome(2, "", f"{PLAN} 1.0", "", 1.0)]
    with pytest.raises(InvalidInputError, match="no column model, but the project has 3 models"):
        units_of_project(found, UnitRequest(outcomes=nameless, file="s.csv"))
    (unit,) = units_of_project(found, UnitRequest(outcomes=nameless, file="s.csv", models=("cat",))).units
    assert (unit.model, unit.task) == ("cat", "task 1")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (UnitRequest(success="sucess"), "no numeric criterion 'sucess'. Numeric criteria: score, success"),
        (UnitRequest(success="key"), r"Name the dimensions whose answers are plans"),
        (UnitRequest(plans=("gaol",)), "unknown dimension 'gaol'"),
        (UnitRequest(task="tasks"), "Items have no field 'tasks'. Fields: task, question"),
        (
            UnitRequest(scores="gpt4"),
            r"no answer in the aspects has the score gpt4. Choose one of these scores: gpt35 \(score\)",
        ),
        (UnitRequest(aspects=("goal",)), "No answer has a score in 'goal'. Aspects with scores: type, spatial"),
        (UnitRequest(models=("dog",)), "No model has the name dog. Models: ann's, big, cat"),
    ],
)
def test_what_is_not_there_is_told(asked: UnitRequest, why: str) -> None:
    with pytest.raises(InvalidInputError, match=f"(?i){why}"):
        units_of_project(project(), asked)


def test_before_anyone_has_graded() -> None:
    with pytest.raises(InvalidInputError, match="No plan has a grade in success yet"):
        units_of_project(project(grades={}), UnitRequest())
    with pytest.raises(InvalidInputError, match="No answer in the aspects of ETP-Bench has a score yet"):
        units_of_project(project(judged={}), UnitRequest())


def test_a_schema_without_a_regression_asks_what_succeeds() -> None:
    report = SCHEMA.report.model_copy(update={"regression": None})
    found = project(schema=SCHEMA.model_copy(update={"report": report}))
    with pytest.raises(InvalidInputError, match=r"Success is not defined\. Name a grading criterion"):
        units_of_project(found, UnitRequest())
    joined = units_of_project(found, UnitRequest(success="success"))
    assert (joined.by, len(joined.units)) == ("model", 3)  # nothing names tasks
    with pytest.raises(InvalidInputError, match=r"Name the field that contains an item's task. Fields: task, question"):
        units_of_project(found, UnitRequest(success="success", by="task"))
    labelled = {
        id: replace(item, fields={}, labels={"home": item.fields.get("task")}) for id, item in found.items.items()
    }
    joined = units_of_project(replace(found, items=labelled), UnitRequest(success="success", task="home"))
    assert (joined.by, len(joined.units)) == ("task", 24)


def test_grades_between_success_and_failure_are_no_votes() -> None:
    """Where people may give a half, the mean of their grades counts; there is no logistic regression of it."""
    found = project()
    grades = {at: [0.5, 1.0] for at in found.grades["success"]}
    joined = units_of_project(replace(found, grades={"success": grades}), UnitRequest())
    assert {unit.success for unit in joined.units} == {0.75}
    linear, logistic = fit_regressions(joined)
    assert not linear.found.r_squared.defined
    assert "has only the share 0.75" in (logistic.found.reason or "")


def test_a_judge_is_called_as_results_does_or_as_the_schema() -> None:
    found = project()
    run = "gpt-3.5-turbo by etp_answer 1"  # a run of the judge that the schema calls gpt35
    found = replace(found, judged={("score", run): found.judged["score", "gpt35"]})
    for name in (run, "gpt35", "gpt-3.5-turbo"):
        assert units_of_project(found, UnitRequest(scores=name)).scores == f"{run}, score"


def test_success_by_the_key() -> None:
    """Near by the key explains far by the key, a model at a time: what a model says nothing to is wrong in both."""
    items = {at: "near" if at < 5 else "far" for at in range(10)}
    right = {"a": (1, 1, 0, 0, 1, 1, 0, 0, 1), "b": (0, 1, 0, 0, 0, 0, 0, 0, 0), "c": (1, 1, 1, 0, 1, 1, 1, 1, 0)}
    answers = [(at, model, float(value)) for model, values in right.items() for at, value in enumerate(values)]
    silent, failed = Ended.EMPTY.why_none, Ended.FAILED.why_none
    found = made(answers, items=items, unanswered={"a": {9: silent}, "b": {9: failed}, "c": {9: silent}})
    joined = units_of_project(found, UnitRequest(success="key", plans=("far",)))
    assert [(unit.model, unit.scores, unit.succeeded, unit.plans) for unit in joined.units] == [
        ("a", (3 / 5,), 2, 5),
        ("b", (1 / 5,), 0, 4),
        ("c", (4 / 5,), 3, 5),
    ]
    assert dict(joined.left_out) == {"plans without an answer from a model": 1}
    table = leaderboard.sliced_scores(found, Scores("key"))
    for unit in joined.units:  # as Results says
        assert unit.success == pytest.approx(table.cells[unit.model, table.slicing.labels.index("far")].found.value)


# ---- from files -----------------------------------------------------------------------------------------------------


def scores_of(rows: Mapping[str, Sequence[float]]) -> list[AspectScore]:
    return [
        AspectScore(2, model, aspect, "", "", score)
        for model, scores in rows.items()
        for aspect, score in zip(("one", "two"), scores, strict=False)
    ]


def joined_of(scores: Mapping[str, Sequence[float]], succeeded: Mapping[str, int], plans: int = 10) -> JoinedUnits:
    outcomes = [
        PlanOutcome(2, model, f"plan {at}", "", float(at < n)) for model, n in succeeded.items() for at in range(plans)
    ]
    return units_of_files(scores_of(scores), UnitRequest(outcomes=outcomes, file="s.csv"), file="a.csv")


def test_two_files_and_a_model_that_is_in_one_of_them() -> None:
    joined = joined_of({"a": (0.1, 0.2), "b": (0.3, 0.1), "c": (0.5,)}, {"a": 3, "c": 4, "d": 5})
    assert [(unit.model, unit.succeeded, unit.plans) for unit in joined.units] == [("a", 3, 10), ("c", 4, 10)]
    assert dict(joined.left_out) == {
        "rows of s.csv whose model has no scores (d)": 10,
        "models with scores, but without plans that succeed or fail (b)": 1,
    }
    assert joined.lacking == {"one": 0, "two": 1}
    assert "Left out, rows of s.csv whose model has no scores (d): 10." in describe_units(joined)


SIX = {f"m{at}": (at / 10, at / 10 + (0.02 if at % 2 else 0)) for at in range(6)}


FAR = {f"m{at}": (float(at),) for at in (0, 1, 2, 3, 20)}


def test_what_stands_against_it_is_said() -> None:
    joined = joined_of({**SIX, "lone": (0.4,)}, {**{f"m{at}": at + 2 for at in range(6)}, "lone": 1})
    linear, logistic = fit_regressions(joined, errors="classical")
    told = " ".join(linear.notes)
    assert "Left out because a score is missing: 1 model (without a score: two 1)." in told
    # r of the two aspects over the six is that of at and at + 0.2 (at odd)
    r = np.corrcoef(np.array(list(SIX.values())), rowvar=False)[0, 1]
    vif = 1 / (1 - r**2)
    assert f"variance inflation of one {vif:.1f}, two {vif:.1f}" in told
    assert "27 successes are fewer than 10" not in " ".join(logistic.notes)  # 27 of 60, twice 10 are needed
    few = fit_regressions(joined_of(SIX, {name: 1 for name in SIX} | {"m3": 2}), kinds=("logistic",))[0]
    assert "7 successes are fewer than 10 for each of 2 aspects" in " ".join(few.notes)
    out = fit_regressions(
        joined_of({f"m{at}": (at,) for at in (0, 1, 2, 3, 20)}, {"m0": 0, "m1": 2, "m2": 5, "m3": 9, "m20": 10})
    )[0]
    assert "Fitted shares of success below 0 or above 1: " in " ".join(out.notes)


def test_few_units_for_many_aspects_are_said() -> None:
    four = {name: SIX[name] for name in ("m0", "m1", "m2", "m3")}
    (fit,) = fit_regressions(joined_of(four, {"m1": 2, "m2": 7, "m3": 4, "m0": 1}), kinds=("linear",))
    assert "4 models for 2 aspects leave few degrees of freedom (1)" in " ".join(fit.notes)


def test_models_that_differ_beyond_their_aspects() -> None:
    joined = joined_of(
        {f"m{at}": (at / 10,) for at in range(6)}, {f"m{at}": (1, 19, 3, 18, 2, 17)[at] for at in range(6)}, 20
    )
    (classical,) = fit_regressions(joined, kinds=("logistic",), errors="classical")
    assert "Models differ by more than their aspects" in " ".join(classical.notes)
    assert any(
        line.startswith("Pearson (models differ only by chance): chi squared(4)") for line in describe_fit(classical)
    )


def test_the_one_that_moves_the_coefficients_is_named() -> None:
    joined = joined_of(FAR, {"m0": 1, "m1": 2, "m2": 3, "m3": 4, "m20": 1})
    (fit,) = fit_regressions(joined, kinds=("linear",))
    unit, leverage, distance = influential(joined, fit)[0]
    assert unit.model == "m20"
    # its leverage: 1/5 + (20 - 5.2)^2 / sum of squares around 5.2
    spread = sum((x - 5.2) ** 2 for x in (0, 1, 2, 3, 20))
    assert leverage == pytest.approx(1 / 5 + 14.8**2 / spread)
    assert distance > 1


def test_errors_that_do_not_fit_the_units() -> None:
    joined = joined_of(SIX, dict.fromkeys(SIX, 5))
    with pytest.raises(InvalidInputError, match="The units are models, which have no task"):
        fit_regressions(joined, cluster="task")
    with pytest.raises(InvalidInputError, match="these units have no clusters"):
        fit_regressions(joined, errors="cluster")


def test_files_have_every_number_or_the_reason() -> None:
    joined = joined_of({**SIX, "lone": (0.4,)}, {**{f"m{at}": at + 2 for at in range(6)}, "lone": 1})
    found = fit_regressions(joined)
    rows = list(csv.DictReader(io.StringIO(as_csv(joined, found))))
    one = next(row for row in rows if (row["regression"], row["name"]) == ("logistic", "two"))
    term = found[1].found.term("two")
    assert float(one["value"]) == term.coefficient.value
    assert float(one["odds_ratio"]) == pytest.approx(math.exp(term.coefficient.value))
    assert term.effect is not None
    assert float(one["effect"]) == term.effect.value
    for row in rows:
        assert row["value"] or row["test_value"] or row["reason"], row
    told = json.dumps(as_json(joined, found), allow_nan=False)  # neither nan nor infinite
    assert json.loads(told)["lacking"] == {"one": 0, "two": 1}
    data = list(csv.DictReader(io.StringIO(units_csv(joined, found))))
    assert [row["two"] for row in data][-1] == ""
    assert [row["leverage_linear"] for row in data][-1] == ""
    assert float(data[0]["leverage_linear"]) == found[0].found.leverage[0]


def test_without_a_value_there_is_null_and_why() -> None:
    joined = joined_of({"a": (0.1, 0.2), "b": (0.3, 0.1)}, {"a": 3, "b": 4})
    for each in as_json(joined, fit_regressions(joined))["regressions"]:
        assert "too few" in each["reason"]
        for number in each["numbers"]:
            assert number.get("value") is None
            assert "too few" in number["reason"]
