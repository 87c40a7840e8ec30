"""What a regression of aspects on success may take from files: which plans succeed, and scores in aspects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from domain.errors import FileRefused
from importers.spreadsheets import Line, lines_of_table

_NAMES = ("model", "item", "task")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a plan succeeded, or the share of a model's plans that did."""

    row: int
    model: str
    """Empty where the file has no models."""
    item: str
    """The plan, by the id of its item; empty where the file has none."""
    task: str
    """Empty where the file has none."""
    success: float


@dataclass(frozen=True, slots=True)
class AspectScore:
    """A score in an aspect: of one answer, or a mean."""

    row: int
    model: str
    dimension: str
    item: str
    task: str
    score: float


def read_outcomes(path: Path) -> list[Outcome]:
    """A table with the column ``success`` (from 0 to 1) and any of ``model``, ``item`` and ``task``.

    Raises
    ------
    FileRefused
        A column is missing, a row has no number, or two rows are about the same plan.
    """
    found = []
    for line, (model, item, task) in _lines(path, "success", _NAMES):
        found.append(Outcome(line.number, model, item, task, _number(path, line, "success", highest=1.0)))
    return found


def read_aspect_scores(path: Path) -> list[AspectScore]:
    """A table with the columns ``model``, ``dimension`` and ``score``, and perhaps ``item`` and ``task``.

    Raises as ``read_outcomes`` does; two rows with the same item and dimension of a model are the same answer.
    """
    found = []
    for line, (model, item, task, dimension) in _lines(path, "score", (*_NAMES, "dimension"), ("model", "dimension")):
        found.append(AspectScore(line.number, model, dimension, item, task, _number(path, line, "score")))
    return found


def _lines(
    path: Path, number: str, names: Sequence[str], needed: Sequence[str] = ()
) -> Iterator[tuple[Line, list[str]]]:
    """The rows with what they name, each thing once."""
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
                raise FileRefused(f"{path.name}, row {line.number}: {name} is empty.")
        first = seen.setdefault(tuple(named), line.number)
        if first != line.number:
            what = ", ".join(f"{name} {value}" for name, value in zip(names, named, strict=True) if value)
            raise FileRefused(f"{path.name}, row {line.number}: {what} is in row {first} already; keep one of the two.")
        yield line, named


def _number(path: Path, line: Line, name: str, highest: float = math.inf) -> float:
    text = line.cells[name].text.strip() if name in line.cells else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (highest < math.inf and not 0 <= value <= highest):
        kind = "number" if math.isinf(highest) else "number from 0 to 1"
        raise FileRefused(f"{path.name}, row {line.number}: {name} is {text!r}, and no {kind}.")
    return value
