"""Checks of the agreement that a release requires (``export: floors``)."""

from __future__ import annotations

from collections.abc import Iterator

from annotation_schemas import kinds
from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.grammar import among, suggestion
from annotation_schemas.kinds import RatedVariable
from annotation_schemas.model import Criterion, Floor, Schema
from annotation_schemas.reporting import OF_RESULTS
from annotation_schemas.yaml_text import Path
from domain.states import VERIFICATIONS
from domain.statistics import OVERLAP, Needs, StatisticRow, Variant, summarised

Found = Iterator[tuple[Path, str]]

STAGES = (*(stage.value for stage in VERIFICATIONS), "answering", "grading", "comparison", "coding")
"""Those in which several people are asked the same."""
_KEYS = ("weights", "level", "form")
"""The arguments that distinguish the variants of a statistic."""


def asked_by(schema: Schema, floor: Floor) -> tuple[str, Criterion] | None:
    """The criterion of a floor, and the stage that asks it: no two stages have one of the same name."""
    for stage in STAGES:
        for criterion in getattr(getattr(schema.stages, stage), "criteria", ()):
            if criterion.name == floor.criterion:
                return stage, criterion
    return None


def variant_of(floor: Floor, level: str) -> Variant | None:
    """The variant that a floor is about, of a criterion on this level; None: there is no such one."""
    row = summarised()[floor.statistic]
    offered = {name_of(variant): variant for variant in row.variants if variant.shown is not None}
    if floor.variant is not None:
        return offered.get(floor.variant)
    return offered.get(level) or next(iter(offered.values()))


def name_of(variant: Variant) -> str:
    """As a floor calls it; empty where a statistic has one alone."""
    return next((str(variant.args[key]) for key in _KEYS if key in variant.args), "")


def measured_by(schema: Schema, criterion: Criterion) -> list[RatedVariable]:
    """Return the compared parts of a criterion and their measurement levels."""
    row = kinds.of_criterion(criterion)
    return row.measured(criterion, schema.report.scales.get(criterion.name, row.level))


def check(schema: Schema) -> Found:
    """Yield the problems of the floors."""
    names = [floor.name for floor in schema.export.floors]
    for at, floor in enumerate(schema.export.floors):
        path: Path = ("export", "floors", at)
        if names[at] in names[:at]:
            yield path, f"the floor `{names[at]}` appears twice; remove one of the two floors"
        if not 0 < floor.at_least <= 1:
            share = f"; {floor.at_least:g} % is {floor.at_least / 100:g}" if 1 < floor.at_least <= 100 else ""
            yield (*path, "at_least"), f"a floor must be above 0 and at most 1{share}"
        asked = asked_by(schema, floor)
        if asked is None:
            there = [
                criterion.name
                for stage in STAGES
                for criterion in getattr(getattr(schema.stages, stage), "criteria", ())
            ]
            what = f"no stage lets several people rate `{floor.criterion}`"
            yield (*path, "criterion"), f"{what}{among(floor.criterion, there)}"
        elif row := summarised().get(floor.statistic):
            yield from _statistic(schema, floor, asked[1], row, path)
        elif floor.statistic in OF_RESULTS:
            why = "measures how good models' answers are, not how well raters agree"
            yield (*path, "statistic"), f"`{floor.statistic}` {why}{_fitting(floor)}"


def _statistic(schema: Schema, floor: Floor, criterion: Criterion, row: StatisticRow, path: Path) -> Found:
    parts = measured_by(schema, criterion)
    if not parts:
        why = kinds.of_criterion(criterion).not_measured
        yield (
            (*path, "criterion"),
            f"choose another criterion for the floor, because `{criterion.name}` has no agreement statistic: {why}",
        )
        return
    if row.behaviour.perfect != 1.0 or row.in_units:
        why = "is not 1 at full agreement, so it cannot have a floor"
        yield (*path, "statistic"), f"`{row.name}` {why}{_fitting(floor)}"
        return
    for part in parts:
        variant = variant_of(floor, part.level)
        if variant is None:
            names = [name for variant in row.variants if variant.shown is not None and (name := name_of(variant))]
            there = (
                among(str(floor.variant), names)
                if names
                else "; the statistic has only one variant, so remove `variant`"
            )
            yield (*path, "variant"), f"`{row.name}` has no variant `{floor.variant}`{there}"
            return
        if lacking := _lacking(row, variant, part):
            key = "variant" if floor.variant is not None and not _lacking(row, Variant(), part) else "statistic"
            what = f"`{floor.variant}` of `{row.name}`" if key == "variant" else f"`{row.name}`"
            yield (
                (*path, key),
                (
                    f"{what} needs {lacking}, which the answers to `{criterion.name}` do not have; choose another "
                    "statistic or variant"
                ),
            )
            return


def _lacking(row: StatisticRow, variant: Variant, part: RatedVariable) -> str | None:
    """Return the requirement of a statistic that the answers do not meet, or None."""
    needs = variant.needs or row.needs
    if part.shape is not None:
        return None if row.shown is Needs.of_shape(part.shape) else "values on a scale"
    if row.shown in OVERLAP:
        return str(row.shown)
    ordered = part.level != "nominal"
    numbers = ordered and all(isinstance(value, int | float) for value in part.values or ())
    has = {Needs.NAMES: True, Needs.ORDER: ordered, Needs.NUMBERS: numbers, Needs.RATIO: part.level == "ratio"}
    if variant.shown in (Needs.ORDER, Needs.NUMBERS, Needs.RATIO) and not has[variant.shown]:
        needs = variant.shown
    words = {Needs.ORDER: "an order", Needs.NUMBERS: "numbers on a scale", Needs.RATIO: "numbers with a true zero"}
    return None if has.get(needs, True) else words[needs]


def _fitting(floor: Floor) -> str:
    known = [name for name, row in summarised().items() if row.behaviour.perfect == 1.0 and not row.in_units]
    return suggestion(floor.statistic, known) or f"; choose one of {', '.join(known)}"


KEYS = (SchemaKey("export.floors", check),)
