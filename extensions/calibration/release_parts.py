"""Parts of releases: the verdicts on judges in the data card, and the numbers of the report as figures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from db.engine import Store
from domain.errors import RatingsError
from domain.evidence import PrintedFigure, RowSelection
from domain.states import Stage
from extensions.calibration.kept_rule import stored_rule
from extensions.calibration.project_study import study_of
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.ruling import verdicts
from extensions.calibration.report.rulings import Rulings
from extensions.calibration.report.study import StoredRule
from reports.content import Figure, ReportTable
from workflow.access.projects import Access
from workflow.releases.printed_figures import RATINGS, REPLIES, slug, votes_of
from workflow.results.judge_facts import JudgeVerdicts, without_names
from workflow.results.ratings import Raters

_COUNT = re.compile(r"\d[\d,.]* of \d[\d,.]*")
"""A cell of a report that holds a count, and is no part of an id: ``8,412 of 8,412``."""
_ADVICE = frozenset({"grade_next"})
"""Tables of the report that give advice and have no figures."""
_NAME = 60
"""A longer cell of a report is a sentence, and no part of an id."""
_WITHOUT_REPORT = (Stage.COMPARISON, Stage.CODING, Stage.ANSWERING)


def judge_verdicts(
    store: Store, access: Access, *, stage: Stage, raters: Raters, judges: Sequence[str]
) -> JudgeVerdicts:
    """Return the verdicts on judges under the rule that the project keeps."""
    rule = stored_rule(store, person=None, project=access.name, judges=judges)
    by_judge, why = _verdicts(store, access, stage, raters, judges, rule)
    return JudgeVerdicts(by_judge, why, rule.words(given=None) if rule.rule is not None else None)


def _verdicts(
    store: Store, access: Access, stage: Stage, raters: Raters, judges: Sequence[str], stored: StoredRule
) -> tuple[dict[str, list[dict[str, str]]], str]:
    """Return the verdicts for each criterion by judge, and the reason if there are no verdicts."""
    if not judges:
        return {}, ""
    if stored.rule is None:
        return {}, "not calibrated: the project has no rule for verdicts"
    if not raters.people:
        return {}, "not calibrated: no person has rated these units"
    try:
        study, _ = study_of(
            store,
            person=None,
            project=access.name,
            stage=stage,
            humans=raters.people,
            judges=judges,
            vouched=[name for name in raters.people if name in raters.from_files],
        )
        section = verdicts(study, stored.rule, stored.words(given=None))
    except RatingsError as error:
        return {}, f"not calibrated: {without_names(str(error), set(raters.people))}"
    by_judge: dict[str, list[dict[str, str]]] = {}
    for verdict in (ruling for block in section.blocks if isinstance(block, Rulings) for ruling in block.rulings):
        if verdict.dimension is None:
            by_judge.setdefault(verdict.judge, []).append({"criterion": verdict.criterion, "words": verdict.sentence})
    return by_judge, "not calibrated: the judge and people share no units"


def judge_figures(store: Store, access: Access, stage: Stage, raters: Raters) -> Iterator[PrintedFigure]:
    """Yield every number in the tables of the report on judges, with all raters included."""
    if not (raters.people and raters.machines) or stage in _WITHOUT_REPORT:
        return
    study, source = study_of(
        store,
        person=None,
        project=access.name,
        stage=stage,
        humans=raters.people,
        judges=raters.machines,
        vouched=[name for name in raters.people if name in raters.from_files],
    )
    rows = [*votes_of(stage), RowSelection(RATINGS, {"stage": stage.value}), RowSelection(REPLIES)]
    for table in calibration(study, source).tables():
        if table.key in _ADVICE:
            continue
        yield from _table(f"judges.{stage.value}.{slug(table.key)}", table, rows)


def _table(prefix: str, table: ReportTable, rows: Sequence[RowSelection]) -> Iterator[PrintedFigure]:
    """Yield the figures and numbers of a table. The texts of a row name the row."""
    for row in table.rows:
        names = [cell for cell in row if isinstance(cell, str) and len(cell) <= _NAME and not _COUNT.fullmatch(cell)]
        row_slug = ".".join(map(slug, names)) or "all"
        for column, cell in zip(table.columns, row, strict=True):
            id, title = f"{prefix}.{row_slug}.{slug(column)}", f"{table.title}: {', '.join(names)}: {column}"
            if isinstance(cell, Figure):
                at = (cell.value, cell.low, cell.high, cell.n_units, cell.n_left_out, cell.method, cell.reason)
                yield PrintedFigure(id, title, *at, rows)
            elif isinstance(cell, int | float) and not isinstance(cell, bool):
                yield PrintedFigure(id, title, cell if math.isfinite(cell) else None, rows=rows)
