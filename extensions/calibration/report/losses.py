"""Report unreadable replies of judges with a table, bounds and warnings, in the same way as elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agreement.loss_values import ends_of_scale, majority, subject_of
from agreement.losses import PEOPLES_GRADE, ROW, LossCell, Losses, losses_of
from agreement.ratings import MISSING, by_criterion
from domain.records import Rating
from domain.replies import reason_of
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.verdict_losses import Fill, filled_columns
from reports.content import Block, Cell, Paragraph, ReportTable

_NOT_ASKED = "skipped"


Where = tuple[str, str, str | None]
"""Judge, criterion and dimension. None: all dimensions together."""


def losses_of_study(study: Study) -> list[Losses]:
    """Return the unreadable replies of each judge by criterion. Judges without any are left out."""
    return [losses for (_, _, dimension), losses in losses_by_part(study).items() if dimension is None]


def losses_by_part(study: Study) -> dict[Where, Losses]:
    """Return the unreadable replies of each judge on each criterion, in total and by dimension, where there are any."""
    by_part: dict[Where, Losses] = {}
    for criterion, rows in by_criterion(study.rows).items():
        if study.criteria is not None and criterion not in study.criteria:
            continue
        graded: dict[str, list[Any]] = {}
        for row in rows:
            if row.value is not None and row.rater in study.humans:
                graded.setdefault(row.unit, []).append(row.value)
        majorities = {unit: majority(values) for unit, values in graded.items()}
        by_judge: dict[str, list[Rating]] = {}
        for row in rows:
            if row.rater in study.machines:
                by_judge.setdefault(row.rater, []).append(row)
        for judge in study.judges:
            mine = by_judge.get(judge, [])
            if not any(_is_lost(study, row) for row in mine):
                continue
            low, high = (0.0, 1.0) if judge in study.metrics else ends_of_scale(study.values_of(criterion, mine))
            cells: dict[str | None, list[LossCell]] = {None: []}
            for row in mine:
                cell = _cell(study, row, majorities.get(row.unit))
                if cell is not None:
                    cells[None].append(cell)
                    cells.setdefault(row.dimension or "no dimension", []).append(cell)
            for dimension, these in cells.items():
                subject = subject_of(judge, criterion)
                lost = losses_of(these, subject=subject, low=low, high=high, value_is=PEOPLES_GRADE)
                if lost.lost:
                    by_part[judge, criterion, dimension] = lost
    return by_part


def warning_of(losses: Mapping[Where, Losses], part: Slice, judge: str) -> Losses | None:
    """Return the losses that a verdict must withstand: those of the dimension, or those of the criterion.

    None without any.
    """
    of_part = losses.get((judge, part.criterion, part.dimension))
    of_whole = losses.get((judge, part.criterion, None))
    return next((lost for lost in (of_part, of_whole) if lost is not None and lost.warns), None)


def slices_at_bounds(part: Slice, judge: str, fills: Sequence[Fill]) -> Iterator[tuple[Fill, Slice]]:
    """Yield the slice with a value for each lost reply of a judge."""
    failed = part.failed.get(judge, {})
    lost = [unit in failed for unit in part.table.units]
    if not any(lost):
        return
    ordered = part.table.numeric
    names: tuple[Any, ...] = part.table.categories
    if ordered:
        names = tuple(sorted({*map(float, names), *map(float, part.ends)}))
    at = np.array([names.index(category) for category in part.table.categories], dtype=np.int64)
    codes = np.where(part.table.codes == MISSING, MISSING, at[part.table.codes])
    values = np.array(names, dtype=float) if ordered else np.arange(len(names), dtype=float)
    people, mine = (
        np.where(these == MISSING, np.nan, values[these])
        for these in (
            codes[:, [part.table.raters.index(name) for name in part.humans]],
            codes[:, part.table.raters.index(judge)],
        )
    )
    for fill, column in filled_columns(people, mine, lost, values=list(values), ordered=ordered, fills=fills):
        changed = codes.copy()
        place = np.searchsorted(values, np.nan_to_num(column, nan=values[0]))
        changed[:, part.table.raters.index(judge)] = np.where(np.isnan(column), MISSING, place)
        scale = replace(part.table.scale, categories=names) if ordered else part.table.scale
        table = replace(part.table, codes=changed, categories=names, scale=scale)
        yield fill, replace(part, table=table, failed={}, kept={}, biases={}, people_alpha=part.people_alpha)


def _is_lost(study: Study, row: Rating) -> bool:
    return isinstance(row.value, str) and row.value in study.unparsed


def _cell(study: Study, row: Rating, said: str | None) -> LossCell | None:
    """Return a reply as counts of one. None if the judge was not asked."""
    model = study.about[row.unit].model if row.unit in study.about else None
    if _is_lost(study, row):
        why = reason_of(row.value)
        return None if why == _NOT_ASKED else LossCell(1, {why: 1}, model, row.dimension, said)
    if row.value is None:
        return None
    total = float(row.value) if isinstance(row.value, int | float) else 0.0
    return LossCell(1, {}, model, row.dimension, said, total)


def loss_warnings(losses: Sequence[Losses]) -> list[Block]:
    """Return the warnings, which come before all numbers."""
    return [Paragraph(loss.warning, "warning") for loss in losses if loss.warns]


def loss_blocks(losses: Sequence[Losses]) -> Iterator[Block]:
    """Return the counts with their bounds, by model, dimension and people's grade."""
    for loss in losses:
        if not loss.warns:
            yield Paragraph(" ".join(filter(None, [loss.count, f"They {loss.counts_as}.", loss.bounds])), "note")
    rows = [tuple(_of(name, value) for name, value in row.items()) for loss in losses for row in loss.rows()]
    if rows:
        yield ReportTable(
            "losses",
            "Unreadable replies",
            tuple(name.replace("_", " ") for name in ROW),
            tuple(rows),
            unit="counts of replies, shares, and means of the scale",
            note="The bounds show the means that would result if every unreadable reply had the lowest or the "
            "highest score. The p values (adjusted by Holm's method) test whether losses depend on the model, "
            "the dimension or people's grade.",
        )


def _of(name: str, value: Any) -> Cell:
    """Return a value of a row as a cell."""
    return (value or None) if name == "warning" else value
