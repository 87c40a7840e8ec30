"""Units of regressions from a project's answers: plans' success with the scores in each aspect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from annotation_schemas import derived
from annotation_schemas.model import Schema
from domain.errors import InvalidInputError, Problem
from extensions.plans.success_units import (
    By,
    JoinedUnits,
    UnitParts,
    UnitRequest,
    aspects_of,
    nonzero_counts,
    take_file,
    units_of,
)
from workflow.results.criterion_values import scored_criteria
from workflow.results.leaderboard_lines import values_of
from workflow.results.project_answers import ProjectAnswers
from workflow.results.score_choices import Scores, ends_of, judges_called, scores_of
from workflow.results.scores import ScoredAnswers, score_answers
from workflow.results.slices import Item

KEY, HUMAN = "key", "human"
NOT_SAID = "plans without a grade"
NOT_ANSWERED = "plans without an answer from a model"


def units_of_project(found: ProjectAnswers, asked: UnitRequest) -> JoinedUnits:
    """Return the units of a project. People, a judge, the key or a file define success.

    Raises
    ------
    InvalidInputError
        A requested part does not exist, or success is not defined.
    """
    rule = found.schema.report.regression
    measure = asked.success or (rule.success if rule else None)
    task = asked.task or (rule.task if rule else None) or ""
    by: By = asked.by or ("task" if task else "model")
    _check_task(found, task, by)
    plans = _plans(found.schema, asked, measure)
    models = _models(found, asked.models)
    offered = _offered(found, plans, models)
    scores = _chosen(offered, asked, found.schema)
    of = score_answers(found, scores)
    tasks = {id: _task(item, task) for id, item in found.items.items()} if by == "task" else {}
    parts = UnitParts()
    there = set()
    for model in models:
        for id, value in values_of(found, of, model, common=False).items():
            dimension = found.items[id].dimension
            if dimension in plans:
                continue
            there.add(dimension)
            if by == "task" and not tasks[id]:
                parts.left_out["answers about aspects that belong to no task"] += 1
            else:
                parts.scores[model, tasks.get(id, ""), dimension].append(value)
    dimensions = tuple(
        (dimension.id, dimension.title) for dimension in found.schema.dimensions if dimension.id in there
    )
    aspects = aspects_of(dimensions, asked.aspects)
    if asked.outcomes is not None:
        success = asked.file
        names = {item.name: id for id, item in found.items.items()}
        take_file(parts, asked, by, models, {name: tasks.get(id, "") for name, id in names.items()})
    else:
        assert measure is not None
        success = _take_graded(parts, found, measure, plans, models, by, tasks)
    offers = [(_name(source), source.criterion or "", n) for source, n in offered]
    return JoinedUnits(
        by,
        aspects,
        units_of(parts, aspects, by, models),
        success,
        scores.title,
        nonzero_counts(parts.left_out),
        tuple(offers),
        dimensions,
        task,
    )


def _check_task(found: ProjectAnswers, task: str, by: By) -> None:
    there = [field.name for field in found.schema.item.fields]
    there += sorted({name for item in found.items.values() for name in item.labels} - set(there))
    if task and task not in there:
        raise InvalidInputError(
            [Problem("task", f"Items have no field {task!r}. Fields: {', '.join(there) or 'none'}.")]
        )
    if by == "task" and not task:
        message = f"Name the field that contains an item's task. Fields: {', '.join(there) or 'none'}."
        raise InvalidInputError([Problem("task", message)])


def _task(item: Item, task: str) -> str:
    value = item.fields.get(task, item.labels.get(task))
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _models(found: ProjectAnswers, wanted: Sequence[str]) -> list[str]:
    """Return the requested models; by default all, without people who answered like models."""
    unknown = [model for model in wanted if model not in found.models]
    if unknown:
        there = ", ".join(found.models) or "none"
        raise InvalidInputError([Problem("model", f"No model has the name {unknown[0]}. Models: {there}.")])
    return [model for model in found.models if model in wanted or (not wanted and model not in found.respondents)]


def _plans(schema: Schema, asked: UnitRequest, said: str | None) -> frozenset[str]:
    """Return the dimensions whose answers are plans. All other dimensions are aspects."""
    known = [dimension.id for dimension in schema.dimensions]
    for name in asked.plans:
        if name not in known:
            raise InvalidInputError([Problem("plans", f"Unknown dimension {name!r}. Choose from: {', '.join(known)}.")])
    if asked.plans:
        return frozenset(asked.plans)
    own = {criterion.name: frozenset(criterion.dimensions or ()) for criterion in scored_criteria(schema)}
    own |= {rule.name: derived.dimensions(schema, rule) or frozenset() for rule in schema.report.derived}
    if said is not None and own.get(said):
        return own[said]
    if asked.outcomes is not None:
        return frozenset()
    if said is None:
        there = ", ".join(own) or "none"
        message = f"Success is not defined. Name a grading criterion ({there}), `key`, or a file."
        raise InvalidInputError([Problem("success", message)])
    if said not in (*own, KEY):
        message = f"Grading has no numeric criterion {said!r}. Numeric criteria: {', '.join(own) or 'none'}."
        raise InvalidInputError([Problem("success", message)])
    message = f"{said} covers all dimensions. Name the dimensions whose answers are plans: {', '.join(known)}."
    raise InvalidInputError([Problem("plans", message)])


def _name(scores: Scores) -> str:
    return scores.judge or scores.kind


def _offered(found: ProjectAnswers, plans: frozenset[str], models: Sequence[str]) -> list[tuple[Scores, int]]:
    """Return the sources of scores, by the number of scored answers. People win ties, then judges."""
    counted = []
    for score in scores_of(found):
        if score.kind == "corrected" or score.option is not None or score.iou is not None:
            continue
        of = score_answers(found, score)
        n = sum(
            found.items[id].dimension not in plans
            for model in models
            for id in values_of(found, of, model, common=False)
        )
        if n:
            counted.append((score, n))
    order = {"human": 0, "judge": 1, "key": 2}
    return sorted(counted, key=lambda pair: (-pair[1], order[pair[0].kind]))


def _chosen(offered: Sequence[tuple[Scores, int]], asked: UnitRequest, schema: Schema) -> Scores:
    judges = [source.judge for source, _ in offered if source.judge is not None]
    called = {asked.scores, *judges_called(schema, asked.scores or "", judges)}
    for source, _ in offered:
        if (asked.scores is None or _name(source) in called) and asked.criterion in (None, source.criterion):
            return source
    there = ", ".join(
        f"{_name(source)} ({source.criterion})" if source.criterion else _name(source) for source, _ in offered
    )
    if not offered:
        raise InvalidInputError(
            [
                Problem(
                    "scores",
                    f"No answer in the aspects of {schema.title} has a score yet. Grade the answers, or run a judge.",
                )
            ]
        )
    wanted = " ".join(filter(None, (asked.scores, asked.criterion)))
    raise InvalidInputError(
        [Problem("scores", (f"No answer in the aspects has the score {wanted}. Choose one of these scores: {there}."))]
    )


def _take_graded(
    parts: UnitParts,
    found: ProjectAnswers,
    said: str,
    plans: frozenset[str],
    models: Sequence[str],
    by: By,
    tasks: Mapping[int, str],
) -> str:
    """Add the outcomes of plans as people, a judge or the key grade them. Return the source in words."""
    wanted = KEY if said == KEY else None
    ways = [
        score
        for score in scores_of(found)
        if score.kind != "corrected"
        and score.option is None
        and score.iou is None
        and score.criterion == (None if wanted else said)
    ]
    ways.sort(key=lambda each: each.kind != HUMAN)
    if not ways:
        raise InvalidInputError([Problem("success", f"No plan has a grade in {said} yet. Grade some plans first.")])
    of = score_answers(found, ways[0])
    decided = _in_votes(found, of)
    for model in models:
        given = values_of(found, of, model, common=False)
        for id, value in given.items():
            if found.items[id].dimension not in plans:
                continue
            if decided and value == 0.5:
                parts.left_out["plans without a majority for success or failure"] += 1
            elif by == "task" and not tasks[id]:
                parts.left_out["plans without a task"] += 1
            else:
                success = float(value > 0.5) if decided else value
                parts.outcomes.append((model, tasks.get(id, ""), found.items[id].name, success))
        answered = {found.answers[at].item for at in found.of_model[model].tolist()}
        for lot, words in ((answered, NOT_SAID), (found.unanswered.get(model, {}), NOT_ANSWERED)):
            n = sum(id not in given and found.items[id].dimension in plans for id in lot if id in found.items)
            parts.left_out[words] += n
    return f"{ways[0].title}, by majority" if decided else ways[0].title


def _in_votes(found: ProjectAnswers, of: ScoredAnswers) -> bool:
    """Whether people graded with 0 and 1 only. The majority then decides whether a plan succeeds."""
    if of.scores.kind != HUMAN or ends_of(found.schema, of.scores) != (0.0, 1.0):
        return False
    grades = found.grades.get(of.scores.criterion or "", {})
    return all(value in (0.0, 1.0) for given in grades.values() for value in given if not math.isnan(value))
