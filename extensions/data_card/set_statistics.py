"""The statistics of a data set by dimension, as papers report them of benchmarks.

Papers leave many counts undefined. Here each number carries its definition.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas.model import Schema
from db import items
from db.engine import Store
from domain.csv_text import Writer
from domain.records import Person
from domain.states import Items, Stage
from extensions.data_card.set_columns import SetColumn, layout
from extensions.data_card.set_tally import SetTally, tallies
from reports.content import Cell, Figure, ReportTable
from workflow.access.counted_items import counting
from workflow.access.projects import require_lead
from workflow.releases.set_items import members_of, roles_of, which_items
from workflow.results import attributes

ALL = "All"


@dataclass(frozen=True)
class SetStatistics:
    """The statistics of a set."""

    title: str
    which: str
    """Which items are counted, as a sentence."""
    items: int
    tables: Sequence[ReportTable]
    definitions: Mapping[str, Mapping[str, str]]
    """The definition of each column, by table and column."""
    notes: Sequence[str] = ()
    """The statistics that are undefined for this set, with the reason."""

    def table(self, key: str) -> ReportTable | None:
        """Return a table by its key; None if this set has no such table."""
        return next((table for table in self.tables if table.key == key), None)


def of_project(store: Store, *, project: str, items: Items | None = None) -> SetStatistics:
    """Return the statistics of the items that count in a project. The caller checks that the person may see them."""
    return set_statistics(store, by=None, project=project, items_=items)


def set_statistics(
    store: Store, *, by: Person | None, project: str, items_: Items | str | None = None
) -> SetStatistics:
    """Return the statistics of the items that count in a project, for its leads.

    Without ``items_``, kept items count as soon as there are verdicts.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        counted = counting(session, access=access, items_=items_, stage=Stage.GRADING)
        rows = [row for row in items.outgoing(session, project_id=access.project_id) if counted.counts(row.id)]
        labels = attributes.of_items(session, project_id=access.project_id)
        counts = tallies(members_of(session, access, rows, labels), roles_of(access.schema))
    return statistics_of(access.schema, *counts, title=access.title, which=which_items(counted, len(rows)))


# ---- tables ----------------------------------------------------------------------------------------------------------


def statistics_of(
    schema: Schema, whole: SetTally, parts: Mapping[str, SetTally], *, title: str, which: str
) -> SetStatistics:
    """Return the statistics as tables. Tables and columns without values are left out."""
    made = [
        _table(schema, whole, parts, key, heading, unit, [column for column in columns if _is_told(column, whole)])
        for key, heading, unit, columns in layout(whole)
    ]
    kept = [(table, columns) for table, columns in made if columns]
    definitions = {table.key: {column.title: column.meaning for column in columns} for table, columns in kept}
    return SetStatistics(
        title, which, whole.items, tuple(table for table, _ in kept), definitions, tuple(_notes(whole))
    )


def _is_told(column: SetColumn, whole: SetTally) -> bool:
    return column.of(whole) not in (None, 0)


def _table(
    schema: Schema,
    whole: SetTally,
    parts: Mapping[str, SetTally],
    key: str,
    heading: str,
    unit: str,
    columns: Sequence[SetColumn],
) -> tuple[ReportTable, Sequence[SetColumn]]:
    called = {
        dimension.id: f"{dimension.group}: {dimension.title}"
        if dimension.group and dimension.group != dimension.title
        else dimension.title
        for dimension in schema.dimensions
    }
    several = len(parts) > 1
    rows = [
        (called.get(id, id), parts[id]) for id in [*called, *(id for id in parts if id not in called)] if id in parts
    ]
    shown = [*(rows if several else ()), (ALL, whole)]
    cells = tuple((name, *(column.of(tally) for column in columns)) for name, tally in shown)
    return ReportTable(key, heading, ("Dimension", *(column.title for column in columns)), cells, unit), columns


def _notes(whole: SetTally) -> Iterator[str]:
    if not whole.concepts:
        yield "Concepts: not counted, because items have no field or label `concept`."
    if not whole.scenes:
        yield "Scenes: not counted, because items have no field or label `scene` and do not name a video."
    if not whole.videos:
        yield "Videos: not counted, because no image or clip has a source."
    n = len(whole.clips) - whole.clips_timed
    if n:
        yield f"Clips not counted, because their duration is unknown: {n:,} of {len(whole.clips):,}."
    if whole.no_option:
        yield (
            f"Of the items with options, {whole.no_option:,} {'has' if whole.no_option == 1 else 'have'} several "
            "right options or no known right option. The shortcut tests do not count these items."
        )


# ---- as a file -------------------------------------------------------------------------------------------------------


def as_csv(found: SetStatistics) -> str:
    """Return a CSV file with a row for each number and its definition. Only lengths are rounded."""
    out = io.StringIO(newline="")
    writer = Writer(out)
    writer.writerow(("table", "dimension", "statistic", "value", "low", "high", "n", "definition"))
    for table in found.tables:
        for row in table.rows:
            for title, cell in zip(table.columns[1:], row[1:], strict=True):
                writer.writerow((table.title, row[0], title, *_values(cell), found.definitions[table.key][title]))
    return out.getvalue()


def _values(cell: Cell) -> tuple[Any, ...]:
    if isinstance(cell, Figure):
        return tuple("" if number is None else number for number in (cell.value, cell.low, cell.high, cell.n_units))
    return ("" if cell is None else cell, "", "", "")
