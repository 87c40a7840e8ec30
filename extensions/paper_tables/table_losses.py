"""Count the losses of a paper's table: unread answers, replies without a score, grades left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from agreement.losses import Losses
from extensions.paper_tables.table_numbers import Number, Numbers
from workflow.results.losses import left_out_in_words


def table_losses(
    numbers: Numbers, about: Mapping[str, Any], evaluators: Collection[str], there: Sequence[Number]
) -> tuple[tuple[Losses, ...], int]:
    """Return the losses behind the numbers of a table, and how many imported grades a table of agreement leaves out."""
    if about.get("source") == "agreement" and about.get("unit") != "item":
        criterion = about.get("criterion") or numbers.criterion()
        judges = [name for name in numbers.judges() if name in evaluators]
        found = [numbers.losses_of_judge(name, criterion) for name in judges]
        return tuple(each for each in found if each is not None), numbers.read.left_out_grades
    boards: list[Losses] = []
    for number in there:
        if number.losses is not None and not any(number.losses is board for board in boards):
            boards.append(number.losses)
    return tuple(boards), 0


def loss_notes(losses: Sequence[Losses], grades_left_out: int) -> list[str]:
    """Return the losses behind numbers, in sentences; empty without losses."""
    told: list[str] = []
    for each in losses:
        if each.lost:
            told.append(each.sentence if each.warns else f"{each.count} They {each.counts_as}. {each.bounds}".strip())
            told += [each.by_model] if each.by_model else []
    return [*told, *([left_out_in_words(grades_left_out)] if grades_left_out else [])]
