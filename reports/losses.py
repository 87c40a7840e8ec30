"""Report lost replies of judges with a table, bounds and warnings, as all other places do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agreement.loss_values import ends_of_scale, majority, subject_of
from agreement.losses import PEOPLES_GRADE, ROW, LossCell, Losses, losses_of
from agreement.ratings import by_criterion
from domain.records import Rating
from domain.replies import reason_of
from reports.content import Block, Cell, Table, Text
from reports.study import Study

_NOT_ASKED = "skipped"


def losses_of_study(study: Study) -> list[Losses]:
    """Return what each judge has lost by criterion; judges that have lost nothing are left out."""
    found = []
    for criterion, rows in by_criterion(study.rows).items():
        if study.criteria is not None and criterion not in study.criteria:
            continue
        graded: dict[str, list[Any]] = {}
        for row in rows:
            if row.value is not None and row.rater in study.humans:
                graded.setdefault(row.unit, []).append(row.value)
        said = {unit: majority(values) for unit, values in graded.items()}
        by_judge: dict[str, list[Rating]] = {}
        for row in rows:
            if row.rater in study.machines:
                by_judge.setdefault(row.rater, []).append(row)
        for judge in study.judges:
            mine = by_judge.get(judge, [])
            if not any(_is_lost(study, row) for row in mine):
                continue
            low, high = (0.0, 1.0) if judge in study.metrics else ends_of_scale(study.values_of(criterion, mine))
            cells = [cell for row in mine if (cell := _cell(study, row, said.get(row.unit))) is not None]
            lost = losses_of(cells, subject=subject_of(judge, criterion), low=low, high=high, value_is=PEOPLES_GRADE)
            found += [lost] if lost.lost else []
    return found


def _is_lost(study: Study, row: Rating) -> bool:
    return isinstance(row.value, str) and row.value in study.unparsed


def _cell(study: Study, row: Rating, said: str | None) -> LossCell | None:
    """Return a reply as counts of one; None where the judge was not asked."""
    model = study.about[row.unit].model if row.unit in study.about else None
    if _is_lost(study, row):
        why = reason_of(row.value)
        return None if why == _NOT_ASKED else LossCell(1, {why: 1}, model, row.dimension, said)
    if row.value is None:
        return None
    total = float(row.value) if isinstance(row.value, int | float) else 0.0
    return LossCell(1, {}, model, row.dimension, said, total)


def loss_warnings(losses: Sequence[Losses]) -> list[Block]:
    """Return the warnings, which stand before every number."""
    return [Text(each.warning, "warning") for each in losses if each.warns]


def loss_blocks(losses: Sequence[Losses]) -> Iterator[Block]:
    """Return the counts with their bounds, by model, dimension and people's grade."""
    for each in losses:
        if not each.warns:
            yield Text(" ".join(filter(None, [each.count, f"They {each.counts_as}.", each.bounds])), "note")
    rows = [tuple(_of(name, value) for name, value in row.items()) for each in losses for row in each.rows()]
    if rows:
        yield Table(
            "losses",
            "Replies that are not readable",
            tuple(name.replace("_", " ") for name in ROW),
            tuple(rows),
            unit="counts of replies, shares, and means of the scale",
            note="If all lowest, or highest: the mean if every reply that is not readable had that score. "
            "The p values say whether losses depend on the model, the dimension or people's grade; Holm adjusts them.",
        )


def _of(name: str, value: Any) -> Cell:
    """Return a value of a row as a cell."""
    return (value or None) if name == "warning" else value
