"""The calibration report: how far judges can stand in for people, section by section.

Sections say in their first sentence what they found. What cannot be computed says why, and what would be needed.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version

from agreement.verdict import Rule
from reports.content import Dots, Report, Section, Source, Table
from reports.cross_check import cross_check
from reports.judging import against_people, alternative, confusion
from reports.people import design, reliability
from reports.planning import plan
from reports.ruling import verdicts
from reports.scores import bias, corrected
from reports.stability import drift, repeats
from reports.study import Study
from reports.words import count, listed


def calibration(study: Study, source: Source, rule: Rule | None = None, *, cross_checked: bool = False) -> Report:
    """The whole report on the judges of a study, under a rule that was set beforehand (the default one if None).

    ``cross_checked`` adds what other packages give for the same ratings.
    """
    rule = rule or Rule()
    return Report(
        title=f"Calibration of {listed(study.judges)}",
        subtitle=f"measured against {count(len(study.humans), 'person', 'people')}: {listed(study.humans)}",
        source=source,
        humans=study.humans,
        judges=study.judges,
        sections=_without_empty(
            verdicts(study, rule),
            design(study),
            reliability(study),
            against_people(study),
            alternative(study, rule.epsilon),
            confusion(study),
            corrected(study),
            bias(study),
            repeats(study),
            drift(study, rule.margin),
            plan(study),
            *([cross_check(study)] if cross_checked else []),
        ),
        made_with=f"Made with Touchstone {_version()}",
        settings={
            "rule": asdict(rule),
            "criteria": study.criteria,
            "scales": {name: (scale.level, scale.categories) for name, scale in study.scales.items()},
            "unparsed": sorted(study.unparsed),
            "tuned": study.tuned,
            "runs": asdict(study.runs),
        },
    )


def _without_empty(*sections: Section) -> tuple[Section, ...]:
    """The sections without tables that have no row and charts that have nothing in them."""
    return tuple(
        replace(
            section,
            blocks=tuple(
                block
                for block in section.blocks
                if not (isinstance(block, Table) and not block.rows)
                and not (isinstance(block, Dots) and not block.lines)
            ),
        )
        for section in sections
    )


def _version() -> str:
    try:
        return version("touchstone")
    except PackageNotFoundError:  # pragma: no cover - run from a folder that was not installed
        return ""
