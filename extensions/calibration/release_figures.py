"""The figures of a release about judges: every number in the tables of the calibration report."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from db.engine import Store
from domain.evidence import PrintedFigure, RowSelection
from domain.states import Stage
from extensions.calibration.project_study import study_of
from extensions.calibration.report.calibration import calibration
from reports.content import Figure, ReportTable
from workflow.access.projects import Access
from workflow.releases.printed_figures import RATINGS, REPLIES, StageFigures, slug, votes
from workflow.results.ratings import Raters

_COUNT = re.compile(r"\d[\d,.]* of \d[\d,.]*")
"""A cell of a report that holds a count, and is no part of an id: ``8,412 of 8,412``."""
_ADVICE = frozenset({"grade_next"})
"""Tables of the report that give advice and have no figures."""
_NAME = 60
"""A longer cell of a report is a sentence, and no part of an id."""


def _applies(stage: Stage, raters: Raters) -> bool:
    compared = bool(raters.people and raters.machines)
    return compared and stage not in (Stage.COMPARISON, Stage.CODING, Stage.ANSWERING)


def _judges(store: Store, access: Access, stage: Stage, raters: Raters) -> Iterator[PrintedFigure]:
    """Yield every number in the tables of the report on judges, with all raters included."""
    study, source = study_of(
        store,
        person=None,
        project=access.name,
        stage=stage,
        humans=raters.people,
        judges=raters.machines,
        vouched=[name for name in raters.people if name in raters.from_files],
    )
    rows = [*votes(stage), RowSelection(RATINGS, {"stage": stage.value}), RowSelection(REPLIES)]
    for table in calibration(study, source).tables():
        if table.key in _ADVICE:
            continue
        yield from _table(f"{FIGURES.name}.{stage.value}.{slug(table.key)}", table, rows)


def _table(prefix: str, table: ReportTable, rows: Sequence[RowSelection]) -> Iterator[PrintedFigure]:
    """Yield the figures and numbers of a table. The texts of a row name the row."""
    for row in table.rows:
        names = [cell for cell in row if isinstance(cell, str) and len(cell) <= _NAME and not _COUNT.fullmatch(cell)]
        said = ".".join(map(slug, names)) or "all"
        for column, cell in zip(table.columns, row, strict=True):
            id, title = f"{prefix}.{said}.{slug(column)}", f"{table.title}: {', '.join(names)}: {column}"
            if isinstance(cell, Figure):
                at = (cell.value, cell.low, cell.high, cell.n_units, cell.n_left_out, cell.method, cell.reason)
                yield PrintedFigure(id, title, *at, rows)
            elif isinstance(cell, int | float) and not isinstance(cell, bool):
                yield PrintedFigure(id, title, cell if math.isfinite(cell) else None, rows=rows)


FIGURES = StageFigures("judges", _applies, _judges)
