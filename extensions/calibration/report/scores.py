"""Sections 6 and 7: a judge's scores of models, after correction, and the judge's biases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.corrected import CorrectedMean, clustered_mean, ppi_mean, rogan_gladen
from agreement.ratings import MISSING, Floats
from domain.english import with_noun
from extensions.calibration.report.people import MOST_VALUES
from extensions.calibration.report.study import Slice, Study
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, Paragraph, ReportTable, Section
from reports.words import figure_in_words, first_parts, mark, nothing, number


@dataclass(frozen=True)
class UnitMeasure:
    """A number for each unit that people and a judge both give: a score, or whether a value was given."""

    name: str
    people: Floats
    judge: Callable[[str], Floats]
    yes_no: bool


def outcomes(part: Slice) -> list[UnitMeasure]:
    """Return the score itself for numeric values.

    Otherwise return the share of each value, by the majority of people.
    """
    if part.numeric:
        binary = {*part.table.categories} <= {0.0, 1.0}
        people = part.human_mean
        if binary:
            people = np.where(
                part.majority == MISSING, np.nan, np.array([*part.table.categories, np.nan])[part.majority]
            )
        return [UnitMeasure("mean", people, part.numbers, binary)]
    if len(part.categories) > MOST_VALUES:
        return []

    def indicator(code: int) -> Callable[[str], Floats]:
        def of(rater: str) -> Floats:
            return _is(part.column(rater), code)

        return of

    return [
        UnitMeasure(f"share of {label}", _is(part.majority, code), indicator(code), True)
        for code, label in enumerate(part.categories)
    ]


def _is(codes: Any, code: int) -> Floats:
    indicators: Floats = np.where(codes == MISSING, np.nan, (codes == code).astype(float))
    return indicators


def models_of(study: Study, part: Slice) -> dict[str, Any]:
    """Return a mask of each model's answers, by model.

    Shape: (units,). Without known models, all units have one name.
    """
    named = [study.about[unit].model if unit in study.about else None for unit in part.table.units]
    by_model: dict[str, Any] = {}
    for model in dict.fromkeys(name for name in named if name is not None):
        by_model[model] = np.array([name == model for name in named])
    return by_model or {"all units": np.ones(len(named), dtype=bool)}


# ---- 6 corrected scores ---------------------------------------------------------------------------------------------


def corrected(study: Study, *, by_class: bool = False) -> Section:
    """Return section 6."""
    title = "Scores, corrected by people"
    rows: list[tuple[Cell, ...]] = []
    charts: list[Block] = []
    clauses: list[str] = []
    beyond = 0
    for part in study.slices:
        for outcome in outcomes(part):
            if outcome.yes_no and not part.numeric and part.dimension is not None:
                continue
            lines: list[tuple[str, tuple[Mark, ...]]] = []
            for model, chosen in models_of(study, part).items():
                for judge in part.judges:
                    lost = _lost(study, part, judge, model)
                    by_method = dict(_scores(part, outcome, judge, chosen, lost, by_class=by_class))
                    beyond += by_method["judge alone"].n_units - by_method["people alone"].n_units
                    name = model if outcome.name == "mean" else f"{model}, {outcome.name}"
                    rows += [
                        (*part.where, name, judge, method, note, figure)
                        for method, figure, note in _scores_told(part, outcome, judge, chosen, lost, by_class=by_class)
                    ]
                    label = f"{name} · {judge}" if len(part.judges) > 1 else name
                    lines.append((label, tuple(mark(method, figure) for method, figure in by_method.items())))
                    if part.dimension is None:
                        clauses.append(_in_words(f"{part.criterion}, {label}", by_method))
            if part.dimension is None and part.numeric:
                charts.append(
                    Dots(
                        f"scores_{len(charts) + 1}",
                        f"{part.criterion}: scores before and after the correction",
                        "mean score",
                        tuple(lines[:40]),
                    )
                )
    if not rows:
        return nothing(
            6,
            "scores",
            title,
            "Touchstone cannot average the ratings, because the ratings are names with too many different "
            "values. Group the values.",
        )
    known = any(about.model for about in study.about.values())
    blocks: list[Block] = [*charts]
    if not known:
        blocks.append(
            Paragraph(
                "The models of the answers are unknown, so there is one score over all units. Name the models in a "
                "file with --units (columns unit, item, model, length).",
                "note",
            )
        )
    blocks.append(
        ReportTable(
            "scores",
            "Scores by model",
            ("criterion", "dimension", "model", "judge", "how", "valid if", "score"),
            tuple(rows),
            unit="points of the scale, or shares",
            note=(
                "PPI++ uses people's scores on the graded units to correct the judge's mean over all "
                "units. The interval of PPI++ is narrower than the interval of people alone only if the "
                "judge scored many units that people did not grade."
            ),
        )
    )
    lead = f"Score by people, with the judge's help: {first_parts(clauses)}."
    if beyond <= 0:
        lead += (
            " The judge scored almost no units beyond the graded units, so the judge adds nothing to the people's mean."
        )
    return Section(6, "scores", title, lead, tuple(blocks))


def _in_words(name: str, by_method: Mapping[str, Figure]) -> str:
    """Return a score in words: by PPI++ if it is known, otherwise by people alone, and by the judge alone."""
    method = "PPI++" if "PPI++" in by_method and by_method["PPI++"].defined else "people alone"
    score, alone = by_method[method], by_method["judge alone"]
    units = with_noun(score.n_units, "unit")
    return f"{name} {figure_in_words(score)} on {units}, judge alone {figure_in_words(alone)}"


def _scores(
    part: Slice, outcome: UnitMeasure, judge: str, chosen: Any, lost: int, *, by_class: bool
) -> Iterator[tuple[str, Figure]]:
    for method, figure, _ in _scores_told(part, outcome, judge, chosen, lost, by_class=by_class):
        yield method, figure


def _scores_told(
    part: Slice, outcome: UnitMeasure, judge: str, chosen: Any, lost: int, *, by_class: bool
) -> Iterator[tuple[str, Figure, str]]:
    people, scored = outcome.people[chosen], outcome.judge(judge)[chosen]
    clusters = None if part.table.clusters is None else [part.table.clusters[at] for at in np.flatnonzero(chosen)]
    graded = ~np.isnan(people)
    yield "people alone", Figure.of(clustered_mean(people, clusters=clusters)), "the graded units are a random sample"
    yield (
        "judge alone",
        Figure.of(clustered_mean(scored, clusters=clusters)),
        f"the judge makes no errors{_rest(part, outcome, scored, lost)}",
    )
    rest = scored[~graded]
    if not (~np.isnan(rest)).any():
        return
    of_graded = None if clusters is None else [clusters[at] for at in np.flatnonzero(graded)]
    of_rest = None if clusters is None else [clusters[at] for at in np.flatnonzero(~graded)]
    estimate = ppi_mean(people[graded], scored[graded], rest, clusters=of_graded, clusters_unlabelled=of_rest)
    yield "PPI++", Figure.of(estimate.mean), _valid(estimate)
    if outcome.yes_no:
        estimate = rogan_gladen(people[graded], scored[graded], scored)
        yield "Rogan-Gladen", Figure.of(estimate.mean), _valid(estimate)


def _lost(study: Study, part: Slice, judge: str, model: str) -> int:
    """Return how many of a judge's replies to a model's answers have no score, whether or not people rated them."""
    known = any(study.about[unit].model for unit in part.table.units if unit in study.about)
    return sum(
        not known or (unit in study.about and study.about[unit].model == model) for unit in part.failed.get(judge, {})
    )


def _rest(part: Slice, outcome: UnitMeasure, scored: Floats, lost: int) -> str:
    """Return the scored share behind a judge's mean, and the bounds of the mean over the values of lost replies."""
    ends = list(map(float, part.ends or part.table.categories)) if outcome.name == "mean" else [0.0, 1.0]
    if not lost or not ends:
        return ""
    known = scored[~np.isnan(scored)]
    n, total = len(known) + lost, float(known.sum())
    low, high = (number((total + lost * end) / n) for end in (min(ends), max(ends)))
    return (
        f"; replies with a score: {len(known):,} of {n:,}; the mean is {low} to {high} if the other replies had the "
        "lowest or highest value"
    )


def _valid(found: CorrectedMean) -> str:
    return found.valid_if
