"""Read files for regressions: outcomes of plans, and scores in aspects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from domain.errors import InvalidFileError
from importers.table_lines import SheetRow, lines_of_table

_NAMES = ("model", "item", "task")


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """The success of a plan (0 or 1), or the share of a model's plans that succeeded."""

    row: int
    model: str
    """Empty if the file names no models."""
    item: str
    """The ID of the plan's item; empty if the file has none."""
    task: str
    """Empty if the file names no tasks."""
    success: float


@dataclass(frozen=True, slots=True)
class AspectScore:
    """The score of an answer in an aspect, or a mean of scores."""

    row: int
    model: str
    dimension: str
    item: str
    task: str
    score: float


def read_outcomes(path: Path) -> list[PlanOutcome]:
    """Read a table with the column ``success`` (0 to 1) and any of ``model``, ``item`` and ``task``.

    Raises
    ------
    InvalidFileError
        A column is missing, a row has no number, or two rows are about the same plan.
    """
    outcomes = []
    for line, (model, item, task) in _lines(path, "success", _NAMES):
        outcomes.append(PlanOutcome(line.number, model, item, task, _number(path, line, "success", highest=1.0)))
    return outcomes


def read_aspect_scores(path: Path) -> list[AspectScore]:
    """Read a table with the columns ``model``, ``dimension`` and ``score``, and optionally ``item`` and ``task``.

    Raises as ``read_outcomes`` does. Two rows of a model with the same item and dimension are the same answer.
    """
    aspect_scores = []
    for line, (model, item, task, dimension) in _lines(path, "score", (*_NAMES, "dimension"), ("model", "dimension")):
        aspect_scores.append(AspectScore(line.number, model, dimension, item, task, _number(path, line, "score")))
    return aspect_scores


def _lines(
    path: Path, number: str, names: Sequence[str], needed: Sequence[str] = ()
) -> Iterator[tuple[SheetRow, list[str]]]:
    """Yield the rows with their names. Duplicates are refused."""
    wants = [*needed, number]
    some = "" if needed else f", and at least one of {', '.join(names)}"
    seen: dict[tuple[str, ...], int] = {}
    for line in lines_of_table(
        path,
        fits=lambda heads: set(wants) <= set(heads) and bool(set(names) & set(heads)),
        wants=f"the column{'s' if len(wants) > 1 else ''} {', '.join(wants)}{some}",
    ):
        named = [line.cells[name].text.strip() if name in line.cells else "" for name in names]
        for name, value in zip(names, named, strict=True):
            if not value and name in line.cells:
                raise InvalidFileError(
                    f"{path.name}, row {line.number}: {name} is empty. Add a value or delete the row."
                )
        first = seen.setdefault(tuple(named), line.number)
        if first != line.number:
            what = ", ".join(f"{name} {value}" for name, value in zip(names, named, strict=True) if value)
            raise InvalidFileError(
                f"{path.name}, row {line.number}: {what} is already in row {first}. Delete one of the two rows."
            )
        yield line, named


def _number(path: Path, line: SheetRow, name: str, highest: float = math.inf) -> float:
    text = line.cells[name].text.strip() if name in line.cells else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (highest < math.inf and not 0 <= value <= highest):
        kind = "number" if math.isinf(highest) else "number from 0 to 1"
        raise InvalidFileError(f"{path.name}, row {line.number}: {name} is {text!r}. Give a {kind}.")
    return value
