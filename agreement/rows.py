"""The statistics of raters as rows: each module lists its own in ``ROWS``, and anyone who lists statistics reads
these rows (``domain.statistics``)."""

from __future__ import annotations

from domain.registers import declared
from domain.statistics import StatisticRow


def rows() -> tuple[StatisticRow, ...]:
    """The rows of all modules of this room, by their places."""
    statistic_rows: list[StatisticRow] = declared("agreement", "ROWS")
    return tuple(sorted(statistic_rows, key=lambda row: row.place))
