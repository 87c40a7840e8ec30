"""Units of a regression of success on aspects, and how two files become such units.

A unit is a model, with the share of its plans that succeed and its mean score in each aspect; or one plan of a model,
with its success and the model's mean scores over the items of the same task.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain.errors import InvalidInput, Problem
from extensions.plans.success_files import AspectScore, Outcome

By = Literal["model", "task"]
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


@dataclass
class Parts:
    """Scores and outcomes on their way to units."""

    scores: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    """(model, task, aspect) -> scores; the task is empty where units are models."""
    outcomes: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Model, task, plan, success."""
    left_out: Counter[str] = field(default_factory=Counter)


def aspects_of(there: tuple[tuple[str, str], ...], wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Those of the aspects that are wanted, in their order; none: all."""
    names = [name for name, _ in there]
    for name in wanted:
        if name not in names:
            message = f"No answer has a score in {name!r}; aspects with scores are {', '.join(names) or 'none'}."
            raise InvalidInput([Problem("aspect", message)])
    return tuple(each for each in there if not wanted or each[0] in wanted)


def take_file(parts: Parts, asked: Asked, by: By, models: Sequence[str], tasks: Mapping[str, str] | None) -> None:
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
    aspects = aspects_of(dimensions, asked.aspects)
    there = list(dict.fromkeys(row.model for row in rows))
    unknown = [model for model in asked.models if model not in there]
    if unknown:
        raise InvalidInput([Problem("model", f"No model is called {unknown[0]}; there are {', '.join(there)}.")])
    models = [model for model in there if not asked.models or model in asked.models]
    parts = Parts()
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
    take_file(parts, asked, by, models, items)
    return Joined(
        by,
        aspects,
        units_of(parts, aspects, by, models),
        asked.file,
        file,
        counts(parts.left_out),
        dimensions=dimensions,
        tasks="task" if by == "task" else "",
    )


def units_of(parts: Parts, aspects: Sequence[tuple[str, str]], by: By, models: Sequence[str]) -> tuple[Unit, ...]:
    """The units of scores and outcomes; models without any outcome are counted among what is left out."""

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


def counts(left_out: Counter[str]) -> dict[str, int]:
    """What was left out at all."""
    return {words: n for words, n in left_out.items() if n}
