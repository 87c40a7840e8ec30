"""The calibration report: how well judges can replace people, section by section.

Each section's first sentence states its result. A value that cannot be computed has a reason, and names the data that
it needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from domain.english import with_noun
from domain.installation import own_version
from extensions.calibration.report.alternative_section import alternative
from extensions.calibration.report.attacks import attacks
from extensions.calibration.report.bias_section import bias
from extensions.calibration.report.confusion_section import confusion
from extensions.calibration.report.cross_check import cross_check
from extensions.calibration.report.judging import against_people
from extensions.calibration.report.losses import loss_warnings, losses_of_study
from extensions.calibration.report.people import design, reliability
from extensions.calibration.report.planning import plan
from extensions.calibration.report.ruling import verdicts
from extensions.calibration.report.ruling_biases import copies_table
from extensions.calibration.report.scores import corrected
from extensions.calibration.report.stability import drift, repeats
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import CalibrationReport, RatingSource
from extensions.calibration.statistics.verdict import Rule
from reports.charts import Dots
from reports.content import Block, Cell, Figure, ReportTable, Section, UnitSelection
from reports.words import count, first_parts, name_list


def calibration(
    study: Study, source: RatingSource, rule: Rule | None = None, *, cross_checked: bool = False
) -> CalibrationReport:
    """Return the whole report on the judges of a study, under a rule.

    Parameters
    ----------
    rule
        None: the stored rule, or the default. A rule counts as set beforehand only if someone stored it before the
        first reply (``study.rule``).
    cross_checked
        Add the values of other packages for the same ratings.
    """
    when = study.rule.words(given=rule)
    rule = rule or study.rule.rule or Rule()
    return CalibrationReport(
        title=f"Calibration of {name_list(study.judges)}",
        subtitle=f"measured against {count(len(study.humans), 'person', 'people')}: {name_list(study.humans)}"
        + (f". {source.counted.rstrip('.')}" if source.counted else ""),
        source=source,
        humans=study.humans,
        judges=study.judges,
        sections=_without_empty(
            study,
            _warning_first(study, verdicts(study, rule, when)),
            design(study),
            reliability(study),
            _with_blocks(against_people(study), copies_table(study)),
            alternative(study, rule.epsilon),
            confusion(study),
            corrected(study),
            bias(study),
            repeats(study),
            drift(study, rule.margin),
            attacks(study),
            plan(study),
            *([cross_check(study)] if cross_checked else []),
            *study.sections,
        ),
        made_with=f"Made with Touchstone {own_version()}",
        settings={
            "rule": asdict(rule),
            "criteria": study.criteria,
            "scales": {name: (scale.level, scale.categories) for name, scale in study.scales.items()},
            "unparsed": sorted(study.unparsed),
            "tuned": study.tuned,
            "statistics": sorted(study.statistics),
            "runs": asdict(study.runs),
        },
    )


def _with_blocks(section: Section, blocks: Sequence[Block]) -> Section:
    """Return a section with further blocks at its end."""
    return replace(section, blocks=(*section.blocks, *blocks))


def _without_empty(study: Study, *sections: Section) -> tuple[Section, ...]:
    """Return the sections without tables that have no rows, and without charts that have no data."""
    return tuple(
        replace(
            section,
            blocks=tuple(
                _clustered(study, _leading(study, block)) if isinstance(block, ReportTable) else block
                for block in section.blocks
                if not (isinstance(block, ReportTable) and not block.rows)
                and not (isinstance(block, Dots) and not block.lines)
            ),
        )
        for section in sections
    )


def _warning_first(study: Study, section: Section) -> Section:
    """Return the first section with warnings about unreadable replies on top."""
    return replace(section, blocks=(*loss_warnings(losses_of_study(study)), *section.blocks))


def _clustered(study: Study, table: ReportTable) -> ReportTable:
    """Add a note about clusters to a table with clustered intervals: the numbers of items and units."""
    used = any(isinstance(cell, Figure) and "cluster" in cell.method for row in table.rows for cell in row)
    if not used:
        return table
    clauses = []
    for part in study.slices:
        if part.dimension is None and part.table.clusters is not None:
            n_units, n_clusters = len(part.table.units), len(set(part.table.clusters))
            clauses.append(f"{part.criterion}: {with_noun(n_clusters, 'item')} for {with_noun(n_units, 'unit')}")
    note = f"Intervals treat the units of one item as one cluster ({first_parts(clauses)})."
    return replace(table, note=f"{table.note} {note}".strip())


def _leading(study: Study, table: ReportTable) -> ReportTable:
    """Return a table whose rows link to the units on which the row's raters differ.

    A row without a judge links to the units on which people differ.
    """
    if table.behind or "criterion" not in table.columns:
        return table
    return replace(
        table, behind=tuple(_behind(study, dict(zip(table.columns, row, strict=True))) for row in table.rows)
    )


def _behind(study: Study, row: Mapping[str, Cell]) -> UnitSelection:
    criterion, where = str(row["criterion"]), row.get("dimension")
    dimension = None if where in (None, "all", "no dimension") else str(where)
    if "unit" in row:
        return UnitSelection(dimension, study.humans, criterion, unit=str(row["unit"]))
    judge = row.get("judge") or row.get("rater")
    if "judges" in row:
        return UnitSelection(dimension, study.judges, criterion)
    if judge is None or judge in study.humans:
        return UnitSelection(dimension, study.humans, criterion)
    people = (str(row["person"]),) if row.get("person") in study.humans else study.humans
    if "most people" in row:
        return UnitSelection(
            dimension, (*people, str(judge)), criterion, (str(row["most people"]), str(row["judge says"]))
        )
    return UnitSelection(dimension, (*people, str(judge)), criterion)
