"""The first view of results by a schema's ``report``: the stage of the ratings, their division, and the statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from annotation_schemas import derived, kinds
from annotation_schemas.derived import ends_of_values
from annotation_schemas.keys import key_field
from annotation_schemas.model import Criterion, Schema
from domain.states import VERIFICATIONS, Cut, Stage
from domain.statistics import OVERLAP, STATISTICS, Needs, summarised

ACCURACY = "accuracy"
DERIVED = frozenset({"derived", "genuine_pca"})
OF_RESULTS = frozenset({ACCURACY, *DERIVED})
"""Statistics of the page Results. All others measure the agreement of raters."""
_RATED = (*VERIFICATIONS, "grading")


def stage_first(schema: Schema) -> Stage:
    """The stage whose ratings are looked at first: votes on items, where people vote, or grades of models' answers."""
    of_items = schema.report.unit == "item" and schema.stages.verification is not None
    return Stage.VERIFICATION if of_items else Stage.GRADING


def means_first(schema: Schema) -> bool:
    """Whether grades are compared by the means of a model's answers in each dimension first."""
    return schema.report.unit == "dimension"


def cut_first(schema: Schema) -> Cut | None:
    """How ratings and items are cut first; None: not said."""
    return Cut(schema.report.by) if schema.report.by else None


def agreement_first(schema: Schema) -> tuple[str, ...]:
    """The statistics of agreement that are shown first; none: all that fit."""
    return tuple(name for name in schema.report.statistics if name not in OF_RESULTS)


def with_means(names: Collection[str]) -> frozenset[str]:
    """These statistics, and for those of two raters what says the same of several."""
    return frozenset(names) | {name for name, row in summarised().items() if row.mean_of in names}


def troubles(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What ``report`` says that can mean nothing in this schema: path, sentence. It keeps no project from opening that
    is there already."""
    stages = schema.stages
    criteria: Sequence[Criterion] = [
        criterion for name in _RATED if (stage := getattr(stages, name)) is not None for criterion in stage.criteria
    ]
    if schema.report.unit in ("prediction", "dimension") and stages.grading is None:
        yield ("report", "unit"), "models' answers are not graded; use `item`, or remove `unit`"
    elif schema.report.unit == "dimension" and not any(ends_of_values(criterion) for criterion in _graded(schema)):
        yield ("report", "unit"), ("no grading criterion has numbers, so dimensions have no means; use another unit")
    yield from _of_rule(schema, rated=bool(criteria))
    yield from _of_regression(schema)
    ordered = [criterion for criterion in criteria if _level(schema, criterion) != "nominal"]
    numbers = [criterion for criterion in ordered if ends_of_values(criterion) is not None]
    compared = [part for criterion in criteria for part in kinds.of_criterion(criterion).measured(criterion, "nominal")]
    shapes = {Needs.of_shape(part.shape) for part in compared if part.shape}
    for at, name in enumerate(schema.report.statistics):
        path = ("report", "statistics", at)
        if name in schema.report.statistics[:at]:
            yield path, f"`{name}` is listed twice; remove the duplicate"
        elif name == ACCURACY and key_field(schema) is None:
            yield path, "no field of the item is a key, so accuracy is undefined; remove this statistic"
        elif name not in OF_RESULTS and not criteria:
            yield (
                path,
                (
                    f"`{name}` needs ratings, but the schema has no verification or grading; add a stage, or "
                    f"remove the "
                    "statistic"
                ),
            )
        elif _needs(name) is Needs.ORDER and not ordered:
            yield (
                path,
                (
                    f"`{name}` needs a criterion with ordered values in verification or grading; add a criterion, or "
                    "remove the statistic"
                ),
            )
        elif _needs(name) is Needs.NUMBERS and not numbers and not schema.report.derived:
            yield (
                path,
                (
                    f"`{name}` needs a criterion with numbers on a scale in verification or grading; add a "
                    f"criterion, or "
                    "remove the statistic"
                ),
            )
        elif _needs(name) in OVERLAP and _needs(name) not in shapes:
            yield (
                path,
                (
                    f"`{name}` needs a criterion for {_needs(name)} in verification or grading; add a criterion, or "
                    "remove the statistic"
                ),
            )


def _needs(name: str) -> Needs:
    return STATISTICS[name].needs if name in STATISTICS else Needs.NAMES


def _of_rule(schema: Schema, *, rated: bool) -> Iterator[tuple[tuple[str | int, ...], str]]:
    rule = schema.report.rule
    if rule is None:
        return
    if not rated:
        yield ("report", "rule"), "the schema has no ratings by people to compare with judges; remove this key"
    for name in ("units", "people"):
        if (n := getattr(rule, name)) is not None and n < 2:
            yield ("report", "rule", name), "the number must be at least 2 to measure agreement"
    if rule.margin is not None and rule.margin < 0:
        yield ("report", "rule", "margin"), "`margin` cannot be negative; give 0 or more"
    for name in ("reliability", "association", "epsilon"):
        if (share := getattr(rule, name)) is not None and not 0 <= share <= 1:
            yield ("report", "rule", name), "the value must be between 0 and 1"


def _of_regression(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], str]]:
    regression = schema.report.regression
    if regression is None:
        return
    own = {
        criterion.name: bool(criterion.dimensions)
        for criterion in _graded(schema)
        if ends_of_values(criterion) is not None
    }
    own |= {rule.name: derived.dimensions(schema, rule) is not None for rule in schema.report.derived}
    path = ("report", "regression")
    if regression.success not in own:
        there = ", ".join(own) or "none"
        yield (*path, "success"), f"grading has no criterion `{regression.success}` with numbers; use one of: {there}"
    elif not own[regression.success]:
        yield (
            (*path, "success"),
            f"`{regression.success}` has no `dimensions`; list the dimensions with answers that can succeed or fail",
        )
    fields = [field.name for field in schema.item.fields]
    if regression.task is not None and regression.task not in fields:
        yield (*path, "task"), f"items have no field `{regression.task}`; use one of: {', '.join(fields) or 'none'}"


def _graded(schema: Schema) -> Sequence[Criterion]:
    return schema.stages.grading.criteria if schema.stages.grading else ()


def _level(schema: Schema, criterion: Criterion) -> str:
    return schema.report.scales.get(criterion.name, kinds.of_criterion(criterion).level)
