"""The calibration report: how far judges can stand in for people, section by section.

Sections say in their first sentence what they found. What cannot be computed says why, and what would be needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from agreement.verdict import Rule
from domain.installation import own_version
from reports.attacks import attacks
from reports.content import Behind, Block, Cell, Dots, Figure, Report, Section, Source, Table
from reports.cross_check import cross_check
from reports.judging import against_people, alternative, confusion
from reports.losses import loss_warnings, losses_of_study
from reports.pairs import pairs
from reports.people import design, reliability
from reports.planning import plan
from reports.ruling import verdicts
from reports.ruling_biases import copies_table
from reports.scores import bias, corrected
from reports.stability import drift, repeats
from reports.study import Study
from reports.words import count, listed, some


def calibration(study: Study, source: Source, rule: Rule | None = None, *, cross_checked: bool = False) -> Report:
    """The whole report on the judges of a study, under a rule (None: the stored one, else the default one).

    A rule was set beforehand only where someone stored it before the first reply (``study.rule``).

    ``cross_checked`` adds what other packages give for the same ratings.
    """
    when = study.rule.words(given=rule)
    rule = rule or study.rule.rule or Rule()
    return Report(
        title=f"Calibration of {listed(study.judges)}",
        subtitle=f"measured against {count(len(study.humans), 'person', 'people')}: {listed(study.humans)}"
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
            *pairs(study),
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
    """The sections without tables that have no row and charts that have nothing in them."""
    return tuple(
        replace(
            section,
            blocks=tuple(
                _clustered(study, _leading(study, block)) if isinstance(block, Table) else block
                for block in section.blocks
                if not (isinstance(block, Table) and not block.rows)
                and not (isinstance(block, Dots) and not block.lines)
            ),
        )
        for section in sections
    )


def _warning_first(study: Study, section: Section) -> Section:
    """The first section below warnings about replies that are not readable."""
    return replace(section, blocks=(*loss_warnings(losses_of_study(study)), *section.blocks))


def _clustered(study: Study, table: Table) -> Table:
    """A table some of whose intervals know that units belong together, with which ones and how many."""
    used = any(isinstance(cell, Figure) and "cluster" in cell.method for row in table.rows for cell in row)
    if not used:
        return table
    told = []
    for part in study.slices:
        if part.dimension is None and part.table.clusters is not None:
            n_units, n_clusters = len(part.table.units), len(set(part.table.clusters))
            told.append(f"{part.criterion}: {n_clusters:,} items for {n_units:,} units")
    note = f"Intervals take the units of one item as one cluster ({some(told)})."
    return replace(table, note=f"{table.note} {note}".strip())


def _leading(study: Study, table: Table) -> Table:
    """A table whose rows lead to what they are made of: what their raters differ about, or all people, naming none."""
    if table.behind or "criterion" not in table.columns:
        return table
    return replace(
        table, behind=tuple(_behind(study, dict(zip(table.columns, row, strict=True))) for row in table.rows)
    )


def _behind(study: Study, row: Mapping[str, Cell]) -> Behind:
    criterion, where = str(row["criterion"]), row.get("dimension")
    dimension = None if where in (None, "all", "no dimension") else str(where)
    if "unit" in row:
        return Behind(dimension, study.humans, criterion, unit=str(row["unit"]))
    judge = row.get("judge") or row.get("rater")
    if "judges" in row:
        return Behind(dimension, study.judges, criterion)
    if judge is None or judge in study.humans:
        return Behind(dimension, study.humans, criterion)
    people = (str(row["person"]),) if row.get("person") in study.humans else study.humans
    if "most people" in row:
        return Behind(dimension, (*people, str(judge)), criterion, (str(row["most people"]), str(row["judge says"])))
    return Behind(dimension, (*people, str(judge)), criterion)
