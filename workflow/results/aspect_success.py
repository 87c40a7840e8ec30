"""Success of plans next to the scores in every aspect: the units of a regression, from a project or from files.

A unit is a model, with the share of its plans that succeed and its mean score in each aspect; or one plan of a model,
with its success and the model's mean scores over the items of the same task.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from annotation_schemas import derived
from annotation_schemas.model import Schema
from domain.errors import InvalidInput, Problem
from importers.success import AspectScore, Outcome
from workflow.results.criterion_values import scored_criteria
from workflow.results.leaderboard_lines import values_of
from workflow.results.project_answers import Read
from workflow.results.scores import Scored, Scores, ends_of, scored, scores_of
from workflow.results.slices import Item

By = Literal["model", "task"]
KEY, HUMAN = "key", "human"
MANY_NAMES = 5
"""More names than these are not listed."""


@dataclass(frozen=True)
class Asked:
    """What is to be joined; what is None or empty is as the schema's report says, or everything there is."""

    success: str | None = None
    """What says that a plan succeeds: a criterion of grading, or ``key``."""
    outcomes: Sequence[Outcome] | None = None
    """Instead of that: rows of a file."""
    file: str = ""
    """The name of that file."""
    plans: tuple[str, ...] = ()
    """The dimensions whose answers are plans."""
    scores: str | None = None
    """What gives scores in the aspects: ``key``, ``human``, or the name of a judge."""
    criterion: str | None = None
    aspects: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    by: By | None = None
    task: str | None = None
    """The field or label of items that names their task."""


@dataclass(frozen=True)
class Unit:
    """One unit."""

    model: str
    task: str
    """Empty where units are models."""
    plan: str
    """The id of the plan's item; empty where units are models, or where no one says it."""
    scores: tuple[float, ...]
    """The mean in each aspect; nan where there is none."""
    answers: tuple[int, ...]
    """How many answers each mean is over."""
    success: float
    """Of a plan 0 or 1, of a model the share of its plans that succeed."""
    plans: int
    """0: a share of no one knows how many."""
    succeeded: int | None
    """How many of the plans succeeded; None where only the share is known."""

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return " · ".join(part for part in (self.model, self.task, self.plan) if part)


@dataclass(frozen=True)
class Joined:
    """All units, and what could not be joined."""

    by: By
    aspects: tuple[tuple[str, str], ...]
    """Name and title of each."""
    units: tuple[Unit, ...]
    success: str
    """What success is, in words."""
    scores: str
    """What gives scores, in words."""
    left_out: Mapping[str, int]
    """What has no part in it, in words, and how often."""
    offered: tuple[tuple[str, str, int], ...] = ()
    """What could give scores: ``key``, ``human`` or a judge; the criterion; and how many answers in the aspects have a
    score."""
    dimensions: tuple[tuple[str, str], ...] = ()
    """Of all aspects that have scores, whether asked for or not: name and title."""
    tasks: str = ""
    """The field or label that names tasks; empty where there is none."""

    @property
    def lacking(self) -> dict[str, int]:
        """Of each aspect the units without a score in it."""
        return {
            name: sum(math.isnan(unit.scores[at]) for unit in self.units) for at, (name, _) in enumerate(self.aspects)
        }


# ---- from a project -------------------------------------------------------------------------------------------------


@dataclass
class _Parts:
    """Scores and outcomes on their way to units."""

    scores: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    """(model, task, aspect) -> scores; the task is empty where units are models."""
    outcomes: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Model, task, plan, success."""
    left_out: Counter[str] = field(default_factory=Counter)


def of_project(found: Read, asked: Asked) -> Joined:
    """Units of a project's answers, with what people, a judge or the key say of them, or a file.

    Raises
    ------
    InvalidInput
        Something that was asked for is not there, or nothing says what succeeds.
    """
    rule = found.schema.report.regression
    said = asked.success or (rule.success if rule else None)
    task = asked.task or (rule.task if rule else None) or ""
    by: By = asked.by or ("task" if task else "model")
    _check_task(found, task, by)
    plans = _plans(found.schema, asked, said)
    models = _models(found, asked.models)
    offered = _offered(found, plans, models)
    scores = _chosen(offered, asked, found.schema)
    of = scored(found, scores)
    tasks = {id: _task(item, task) for id, item in found.items.items()} if by == "task" else {}
    parts = _Parts()
    there = set()
    for model in models:
        for id, value in values_of(found, of, model, common=False).items():
            dimension = found.items[id].dimension
            if dimension in plans:
                continue
            there.add(dimension)
            if by == "task" and not tasks[id]:
                parts.left_out["answers in the aspects without a task"] += 1
            else:
                parts.scores[model, tasks.get(id, ""), dimension].append(value)
    dimensions = tuple((each.id, each.title) for each in found.schema.dimensions if each.id in there)
    aspects = _aspects(dimensions, asked.aspects)
    if asked.outcomes is not None:
        success = asked.file
        names = {item.name: id for id, item in found.items.items()}
        _take_file(parts, asked, by, models, {name: tasks.get(id, "") for name, id in names.items()})
    else:
        assert said is not None
        success = _take_graded(parts, found, said, plans, models, by, tasks)
    told = [(_name(each), each.criterion or "", n) for each, n in offered]
    return Joined(
        by,
        aspects,
        _units(parts, aspects, by, models),
        success,
        scores.title,
        _counts(parts.left_out),
        tuple(told),
        dimensions,
        task,
    )


def _check_task(found: Read, task: str, by: By) -> None:
    there = [each.name for each in found.schema.item.fields]
    there += sorted({name for item in found.items.values() for name in item.labels} - set(there))
    if task and task not in there:
        raise InvalidInput([Problem("task", f"Items have no {task!r}; they have {', '.join(there) or 'no fields'}.")])
    if by == "task" and not task:
        message = f"Units of tasks need the field that names an item's task: {', '.join(there) or 'there is none'}."
        raise InvalidInput([Problem("task", message)])


def _task(item: Item, task: str) -> str:
    value = item.fields.get(task, item.labels.get(task))
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _models(found: Read, wanted: Sequence[str]) -> list[str]:
    """The models that were asked for; else all but the people who answered as models do."""
    unknown = [model for model in wanted if model not in found.models]
    if unknown:
        there = ", ".join(found.models) or "none"
        raise InvalidInput([Problem("model", f"No model is called {unknown[0]}; there are {there}.")])
    return [model for model in found.models if model in wanted or (not wanted and model not in found.respondents)]


def _plans(schema: Schema, asked: Asked, said: str | None) -> frozenset[str]:
    """The dimensions whose answers succeed or fail, and are no aspects."""
    known = [each.id for each in schema.dimensions]
    for name in asked.plans:
        if name not in known:
            raise InvalidInput([Problem("plans", f"There is no dimension {name!r}; there are {', '.join(known)}.")])
    if asked.plans:
        return frozenset(asked.plans)
    own = {each.name: frozenset(each.dimensions or ()) for each in scored_criteria(schema)}
    own |= {rule.name: derived.dimensions(schema, rule) or frozenset() for rule in schema.report.derived}
    if said is not None and own.get(said):
        return own[said]
    if asked.outcomes is not None:
        return frozenset()
    if said is None:
        there = ", ".join(own) or "there is none"
        message = f"Nothing says what succeeds: name a criterion ({there}), key, or a file."
        raise InvalidInput([Problem("success", message)])
    if said not in (*own, KEY):
        message = f"Grading has no criterion {said!r} with numbers; it has {', '.join(own) or 'none'}."
        raise InvalidInput([Problem("success", message)])
    message = f"{said} is about all dimensions; say whose answers succeed or fail (plans): {', '.join(known)}."
    raise InvalidInput([Problem("plans", message)])


def _name(scores: Scores) -> str:
    return scores.judge or scores.kind


def _offered(found: Read, plans: frozenset[str], models: Sequence[str]) -> list[tuple[Scores, int]]:
    """What could score the aspects, that of most answers first; of as many, people before judges before the key."""
    counted = []
    for each in scores_of(found):
        if each.kind == "corrected" or each.option is not None:
            continue
        of = scored(found, each)
        n = sum(
            found.items[id].dimension not in plans
            for model in models
            for id in values_of(found, of, model, common=False)
        )
        if n:
            counted.append((each, n))
    order = {"human": 0, "judge": 1, "key": 2}
    return sorted(counted, key=lambda pair: (-pair[1], order[pair[0].kind]))


def _chosen(offered: Sequence[tuple[Scores, int]], asked: Asked, schema: Schema) -> Scores:
    for each, _ in offered:
        if asked.scores in (None, _name(each)) and asked.criterion in (None, each.criterion):
            return each
    there = ", ".join(f"{_name(each)} ({each.criterion})" if each.criterion else _name(each) for each, _ in offered)
    if not offered:
        raise InvalidInput([Problem("scores", f"No answer in the aspects of {schema.title} has a score yet.")])
    wanted = " ".join(filter(None, (asked.scores, asked.criterion)))
    raise InvalidInput([Problem("scores", f"No answer in the aspects has a score of {wanted}; there are {there}.")])


def _aspects(there: tuple[tuple[str, str], ...], wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    names = [name for name, _ in there]
    for name in wanted:
        if name not in names:
            message = f"No answer has a score in {name!r}; aspects with scores are {', '.join(names) or 'none'}."
            raise InvalidInput([Problem("aspect", message)])
    return tuple(each for each in there if not wanted or each[0] in wanted)


def _take_graded(
    parts: _Parts,
    found: Read,
    said: str,
    plans: frozenset[str],
    models: Sequence[str],
    by: By,
    tasks: Mapping[int, str],
) -> str:
    """What people, else a judge, say of the plans, or the key; and what that is in words."""
    wanted = KEY if said == KEY else None
    ways = [
        each
        for each in scores_of(found)
        if each.kind != "corrected" and each.option is None and each.criterion == (None if wanted else said)
    ]
    ways.sort(key=lambda each: each.kind != HUMAN)
    if not ways:
        raise InvalidInput([Problem("success", f"No one has said of any plan yet whether it succeeds ({said}).")])
    of = scored(found, ways[0])
    values = of.values
    decided = _in_votes(found, of)
    if decided:
        values = np.where(values == 0.5, math.nan, (values > 0.5).astype(float))
        values[np.isnan(of.values)] = math.nan
    for model in models:
        for at in found.of_model[model].tolist():
            answer = found.answers[at]
            item = found.items[answer.item]
            if item.dimension not in plans:
                continue
            if decided and of.values[at] == 0.5:
                parts.left_out["plans that as many people call a success as a failure"] += 1
            elif math.isnan(values[at]):
                parts.left_out["plans of which no one has said whether they succeed"] += 1
            elif by == "task" and not tasks[answer.item]:
                parts.left_out["plans without a task"] += 1
            else:
                parts.outcomes.append((model, tasks.get(answer.item, ""), item.name, float(values[at])))
    return f"{ways[0].title}, what most of them say" if decided else ways[0].title


def _in_votes(found: Read, of: Scored) -> bool:
    """Whether the scores are means of people's zeros and ones: then most of them say whether a plan succeeds."""
    if of.scores.kind != HUMAN or ends_of(found.schema, of.scores) != (0.0, 1.0):
        return False
    grades = found.grades.get(of.scores.criterion or "", {})
    return all(value in (0.0, 1.0) for given in grades.values() for value in given if not math.isnan(value))


def _take_file(parts: _Parts, asked: Asked, by: By, models: Sequence[str], tasks: Mapping[str, str] | None) -> None:
    """The outcomes of a file. ``tasks``: the task of each item by its id in files; None: there are no items."""
    unknown: Counter[str] = Counter()
    for row in asked.outcomes or ():
        model = row.model
        if not model:
            if len(models) != 1:
                message = f"{asked.file} has no column model, and there are {len(models)} models: name one of them."
                raise InvalidInput([Problem("model", message)])
            model = models[0]
        if model not in models:
            unknown[model] += 1
            continue
        if by == "model":
            parts.outcomes.append((model, "", row.item or row.task, row.success))
            continue
        if not row.task and not row.item:
            message = f"{asked.file} names neither items nor tasks: its units are models."
            raise InvalidInput([Problem("success", message)])
        if row.task:
            task = " ".join(row.task.split())
        elif tasks is None or row.item not in tasks:
            parts.left_out[f"rows of {asked.file} whose item is not here"] += 1
            continue
        else:
            task = tasks[row.item]
        if task:
            parts.outcomes.append((model, task, row.item, row.success))
        else:
            parts.left_out["plans without a task"] += 1
    if unknown:
        parts.left_out[f"rows of {asked.file} whose model has no scores here ({_few(unknown)})"] = sum(unknown.values())


# ---- from files alone -----------------------------------------------------------------------------------------------


def of_files(rows: Sequence[AspectScore], asked: Asked, *, file: str) -> Joined:
    """Units of two files: scores in aspects (``file``), and ``asked.outcomes``. Aspects stand in the order in which the
    file has them, and tasks are what both files call so.

    Raises
    ------
    InvalidInput
        Something that was asked for is not there.
    """
    assert asked.outcomes is not None
    by: By = asked.by or ("task" if any(row.task for row in rows) else "model")
    dimensions = tuple(dict.fromkeys((row.dimension, row.dimension) for row in rows))
    aspects = _aspects(dimensions, asked.aspects)
    there = list(dict.fromkeys(row.model for row in rows))
    unknown = [model for model in asked.models if model not in there]
    if unknown:
        raise InvalidInput([Problem("model", f"No model is called {unknown[0]}; there are {', '.join(there)}.")])
    models = [model for model in there if not asked.models or model in asked.models]
    parts = _Parts()
    items: dict[str, str] = {}
    for row in rows:
        task = " ".join(row.task.split()) if by == "task" else ""
        if row.item:
            items.setdefault(row.item, task)
        if row.model not in models:
            continue
        if by == "task" and not task:
            parts.left_out["answers in the aspects without a task"] += 1
        else:
            parts.scores[row.model, task, row.dimension].append(row.score)
    _take_file(parts, asked, by, models, items)
    return Joined(
        by,
        aspects,
        _units(parts, aspects, by, models),
        asked.file,
        file,
        _counts(parts.left_out),
        dimensions=dimensions,
        tasks="task" if by == "task" else "",
    )


def _units(parts: _Parts, aspects: Sequence[tuple[str, str]], by: By, models: Sequence[str]) -> tuple[Unit, ...]:
    def means(model: str, task: str) -> tuple[tuple[float, ...], tuple[int, ...]]:
        lots = [parts.scores.get((model, task, name), []) for name, _ in aspects]
        return tuple(math.fsum(lot) / len(lot) if lot else math.nan for lot in lots), tuple(map(len, lots))

    if by == "task":
        return tuple(
            Unit(model, task, plan, *means(model, task), success, 1, _whole([success]))
            for model, task, plan, success in parts.outcomes
        )
    of_model: dict[str, list[float]] = {}
    shares = {model for model, _, plan, _ in parts.outcomes if not plan}
    for model, _, _, success in parts.outcomes:
        of_model.setdefault(model, []).append(success)
    without = [model for model in models if model not in of_model]
    if without:
        parts.left_out[f"models with scores and no plan that succeeds or fails ({_few(without)})"] = len(without)
    return tuple(
        Unit(
            model,
            "",
            "",
            *means(model, ""),
            math.fsum(lot) / len(lot),
            0 if model in shares else len(lot),
            None if model in shares else _whole(lot),
        )
        for model, lot in of_model.items()
    )


def _whole(lot: Sequence[float]) -> int | None:
    """How many succeeded, where each succeeded or failed."""
    return int(sum(lot)) if all(value in (0.0, 1.0) for value in lot) else None


def _few(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - MANY_NAMES} more" if len(known) > MANY_NAMES else ""
    return ", ".join(known[:MANY_NAMES]) + more


def _counts(left_out: Counter[str]) -> dict[str, int]:
    return {words: n for words, n in left_out.items() if n}
