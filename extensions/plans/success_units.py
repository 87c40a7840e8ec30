"""Units of a regression of success on aspects, and their construction from two files.

A unit is a model or a plan. A model has the share of its plans that succeed, and its mean score in each aspect. A plan
has its own success, and its model's mean scores over the items of the same task.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from domain.errors import InvalidInputError, Problem
from extensions.plans.success_files import AspectScore, PlanOutcome

By = Literal["model", "task"]
MANY_NAMES = 5
"""Maximum number of names in a sentence."""


@dataclass(frozen=True)
class UnitRequest:
    """A request for units. Empty parts default to the schema's report, or to everything."""

    success: str | None = None
    """The definition of success: a grading criterion, or ``key``."""
    outcomes: Sequence[PlanOutcome] | None = None
    """Outcomes from a file, instead of ``success``."""
    file: str = ""
    """The name of that file."""
    plans: tuple[str, ...] = ()
    """The dimensions whose answers are plans."""
    scores: str | None = None
    """The source of scores in the aspects: ``key``, ``human``, or the name of a judge."""
    criterion: str | None = None
    aspects: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    by: By | None = None
    task: str | None = None
    """The field or label of items that names their task."""


@dataclass(frozen=True)
class Unit:
    """A unit: a model, or a plan of a model."""

    model: str
    task: str
    """Empty if units are models."""
    plan: str
    """The ID of the plan's item; empty if units are models, or if it is unknown."""
    scores: tuple[float, ...]
    """The mean in each aspect; nan without scores."""
    answers: tuple[int, ...]
    """The number of answers behind each mean."""
    success: float
    """For a plan 0 or 1; for a model the share of its plans that succeed."""
    plans: int
    """The number of plans; 0 if it is unknown."""
    succeeded: int | None
    """The number of plans that succeeded; None if only the share is known."""

    @property
    def name(self) -> str:
        """Return the name in lists."""
        return " · ".join(part for part in (self.model, self.task, self.plan) if part)


@dataclass(frozen=True)
class JoinedUnits:
    """All units, with counts of the data left out."""

    by: By
    aspects: tuple[tuple[str, str], ...]
    """The name and title of each aspect."""
    units: tuple[Unit, ...]
    success: str
    """The definition of success in words."""
    scores: str
    """The source of scores in words."""
    left_out: Mapping[str, int]
    """Counts of the data left out, by a description in words."""
    offered: tuple[tuple[str, str, int], ...] = ()
    """Each available source of scores (``key``, ``human`` or a judge), with its criterion and its number of scored
    answers in the aspects."""
    dimensions: tuple[tuple[str, str], ...] = ()
    """The name and title of each aspect with scores, requested or not."""
    tasks: str = ""
    """The field or label that names tasks; empty without tasks."""

    @property
    def lacking(self) -> dict[str, int]:
        """Return the number of units without a score, for each aspect."""
        return {
            name: sum(math.isnan(unit.scores[at]) for unit in self.units) for at, (name, _) in enumerate(self.aspects)
        }


@dataclass
class UnitParts:
    """Collected scores and outcomes, from which ``units_of`` makes units."""

    scores: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    """Scores by model, task and aspect. The task is empty if units are models."""
    outcomes: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Model, task, plan, success."""
    left_out: Counter[str] = field(default_factory=Counter)


def aspects_of(there: tuple[tuple[str, str], ...], wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the requested aspects in order; by default all."""
    names = [name for name, _ in there]
    for name in wanted:
        if name not in names:
            message = f"No answer has a score in {name!r}. Aspects with scores: {', '.join(names) or 'none'}."
            raise InvalidInputError([Problem("aspect", message)])
    return tuple(aspect for aspect in there if not wanted or aspect[0] in wanted)


def take_file(
    parts: UnitParts, asked: UnitRequest, by: By, models: Sequence[str], tasks: Mapping[str, str] | None
) -> None:
    """Add the outcomes of a file. ``tasks`` maps item IDs of files to tasks; None if there are no items."""
    unknown: Counter[str] = Counter()
    for row in asked.outcomes or ():
        model = row.model
        if not model:
            if len(models) != 1:
                message = f"{asked.file} has no column model, but the project has {len(models)} models. Name one model."
                raise InvalidInputError([Problem("model", message)])
            model = models[0]
        if model not in models:
            unknown[model] += 1
            continue
        if by == "model":
            parts.outcomes.append((model, "", row.item or row.task, row.success))
            continue
        if not row.task and not row.item:
            message = f"{asked.file} has no column for items or tasks. Add a column, or choose models as units."
            raise InvalidInputError([Problem("success", message)])
        if row.task:
            task = " ".join(row.task.split())
        elif tasks is None or row.item not in tasks:
            parts.left_out[f"rows of {asked.file} with an unknown item"] += 1
            continue
        else:
            task = tasks[row.item]
        if task:
            parts.outcomes.append((model, task, row.item, row.success))
        else:
            parts.left_out["plans without a task"] += 1
    if unknown:
        parts.left_out[f"rows of {asked.file} whose model has no scores ({_few(unknown)})"] = sum(unknown.values())


def units_of_files(rows: Sequence[AspectScore], asked: UnitRequest, *, file: str) -> JoinedUnits:
    """Return the units of two files: scores in aspects (``file``), and ``asked.outcomes``.

    Aspects keep the order of the file. Both files must use the same names of tasks.

    Raises
    ------
    InvalidInputError
        A requested part does not exist.
    """
    assert asked.outcomes is not None
    by: By = asked.by or ("task" if any(row.task for row in rows) else "model")
    dimensions = tuple(dict.fromkeys((row.dimension, row.dimension) for row in rows))
    aspects = aspects_of(dimensions, asked.aspects)
    there = list(dict.fromkeys(row.model for row in rows))
    unknown = [model for model in asked.models if model not in there]
    if unknown:
        raise InvalidInputError([Problem("model", f"No model has the name {unknown[0]}. Models: {', '.join(there)}.")])
    models = [model for model in there if not asked.models or model in asked.models]
    parts = UnitParts()
    items: dict[str, str] = {}
    for row in rows:
        task = " ".join(row.task.split()) if by == "task" else ""
        if row.item:
            items.setdefault(row.item, task)
        if row.model not in models:
            continue
        if by == "task" and not task:
            parts.left_out["answers about aspects that belong to no task"] += 1
        else:
            parts.scores[row.model, task, row.dimension].append(row.score)
    take_file(parts, asked, by, models, items)
    return JoinedUnits(
        by,
        aspects,
        units_of(parts, aspects, by, models),
        asked.file,
        file,
        nonzero_counts(parts.left_out),
        dimensions=dimensions,
        tasks="task" if by == "task" else "",
    )


def units_of(parts: UnitParts, aspects: Sequence[tuple[str, str]], by: By, models: Sequence[str]) -> tuple[Unit, ...]:
    """Return the units. Models without outcomes are counted as left out."""

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
        parts.left_out[f"models with scores, but without plans that succeed or fail ({_few(without)})"] = len(without)
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
    """Return the number of successes; None unless each outcome is 0 or 1."""
    return int(sum(lot)) if all(value in (0.0, 1.0) for value in lot) else None


def _few(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - MANY_NAMES} more" if len(known) > MANY_NAMES else ""
    return ", ".join(known[:MANY_NAMES]) + more


def nonzero_counts(left_out: Counter[str]) -> dict[str, int]:
    """Return the counts above 0."""
    return {words: n for words, n in left_out.items() if n}
