"""Biases and near-copies of a study's judges: their effect on the verdict, and their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from agreement.ratings import MISSING, Floats
from extensions.calibration.report.judging import human_table, numbers_or_codes
from extensions.calibration.report.people import MOST_VALUES
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.near_copies import JudgePair, compare_judges, effective_number, group_copies
from extensions.calibration.statistics.ranking_bias import RankingBias, RankingBiases, find_ranking_biases
from reports.content import Cell, Figure, ReportTable


def biases_of(study: Study, part: Slice, judge: str) -> RankingBiases | None:
    """Return the biases of a judge that its verdict depends on.

    For values without an order, the biases are those of the share of people's most frequent value. None for values
    without an order that are too many to count.
    """
    if judge in part.biases:
        return part.biases[judge]
    biases = None
    if part.numeric or len(part.categories) <= MOST_VALUES:
        people, scale = _people(part)
        about = [study.about.get(unit) for unit in part.table.units]
        lengths = [facts.length if facts and facts.length else np.nan for facts in about]
        family = study.families.get(judge)
        biases = find_ranking_biases(
            people,
            _numbers(part, judge),
            scale=scale,
            models=[facts.model if facts else None for facts in about],
            family=None
            if family is None
            else [np.nan if not facts or facts.model is None else float(facts.model in family) for facts in about],
            lengths=None if np.isnan(lengths).all() else lengths,
            shift=_shift(study, part, judge),
            clusters=part.table.clusters,
            value="" if part.numeric else str(part.categories[_frequent(part)]),
        )
    part.biases[judge] = biases
    return biases


def _frequent(part: Slice) -> int:
    """Return the code that people give most often."""
    codes = part.human_codes
    return int(np.bincount(codes[codes != MISSING], minlength=1).argmax())


def _people(part: Slice) -> tuple[Floats, tuple[float, float]]:
    """Return people's value for each unit as a number, and the lowest and highest such number."""
    if part.numeric:
        known = [float(value) for value in (part.ends or part.table.categories)]
        low, high = min(known), max(known)
        return part.human_mean, (low, high if low < high else low + 1)
    rated = part.human_codes != MISSING
    hits = (part.human_codes == _frequent(part)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.where(rated.any(axis=1), hits / rated.sum(axis=1), np.nan), (0.0, 1.0)


def _numbers(part: Slice, rater: str) -> Floats:
    if part.numeric:
        return part.numbers(rater)
    column = part.column(rater)
    indicators: Floats = np.where(column == MISSING, np.nan, (column == _frequent(part)).astype(float))
    return indicators


def _shift(study: Study, part: Slice, judge: str) -> Floats | None:
    """Return the change of the judge's value when the answers swap places.

    The change is in points of the scale. For a comparison of two answers, it is 1 if the first place won in both
    orders.
    """
    other = next((rater for rater in study.runs.swapped.get(judge, ()) if rater in part.table.raters), None)
    if other is None:
        return None
    if part.numeric or not 2 <= len(part.categories) <= 3:
        return _numbers(part, judge) - _numbers(part, other)
    step = np.array([1.0, -1.0, 0.0, np.nan])  # first, second, tie, no value
    one, two = (step[np.where(part.column(name) == MISSING, 3, part.column(name))] for name in (judge, other))
    shift: Floats = (one - two) / 2
    return shift


def copies_of(study: Study) -> Mapping[str, Sequence[tuple[str, ...]]]:
    """Return the judges by criterion, in groups of near-copies."""
    return {part.criterion: group_copies(part.judges, _pairs(part)) for part in study.slices if part.dimension is None}


def _pairs(part: Slice) -> Sequence[JudgePair]:
    if len(part.judges) < 2:
        return ()
    return compare_judges(human_table(part), {name: numbers_or_codes(part, name) for name in part.judges})


def copies_table(study: Study) -> list[ReportTable]:
    """Return tables of the similarity of the judges, and of the number of independent judges that they are worth."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        pairs = _pairs(part) if part.dimension is None else ()
        for pair in pairs:
            rows.append(
                (
                    *(part.criterion, f"{pair.first} and {pair.second}", pair.n_units, pair.same),
                    *(pair.n_errors, pair.n_shared, _known(pair.correlation)),
                    *(_known(effective_number(2, pair.correlation)), "yes" if pair.is_copy else "no"),
                )
            )
        correlations = [pair.correlation for pair in pairs if not np.isnan(pair.correlation)]
        if len(pairs) > 1 and len(correlations) == len(pairs):
            mean, m = float(np.mean(correlations)), len(part.judges)
            rows.append(
                (part.criterion, f"all {m}", *(None,) * 4, mean, _known(effective_number(m, mean)), None),
            )
    if not rows:
        return []
    columns = (
        *("criterion", "judges", "units", "same replies", "errors", "shared errors"),
        *("correlation of errors", "independent judges", "one judge"),
    )
    return [
        ReportTable(
            "judges_alike",
            "Shared errors of judges",
            columns,
            tuple(rows),
            note="An error is a reply that differs from the unanimous value of at least two people. Judges with "
            "nearly the same replies and errors count as one judge. The column “independent judges” shows how "
            "many independent judges would give as much information as these judges.",
        )
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def biases_table(study: Study) -> list[ReportTable]:
    """Return tables of all biases that were tested for the verdicts."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        for judge in part.judges:
            biases = biases_of(study, part, judge)
            for bias in biases.tested if biases else ():
                first, second, between = bias.reaches or (None, None, None)
                rows.append(
                    (
                        *(*part.where, judge, bias.kind, bias.toward, Figure.of(bias.points)),
                        *(bias.points.test.p_value if bias.points.test else None, bias.p_corrected),
                        biases.n_clusters if biases else None,
                        *(f"{second} to {first}" if bias.reaches else "", between),
                        f"{bias.exchanges[1]} above {bias.exchanges[0]}" if bias.exchanges else "",
                        _meaning(bias),
                    )
                )
    if not rows:
        return []
    columns = (
        *("criterion", "dimension", "judge", "bias", "toward", "points", "p", "p corrected", "questions"),
        *("models that the bias could swap", "points between", "order without it", "for the verdict"),
    )
    return [
        ReportTable(
            "bias_verdict",
            "Biases that the verdict depends on",
            columns,
            tuple(rows),
            unit=(
                "points out of 100 (the distance from the lowest to the highest value), with 95 % "
                "intervals (CR2, by question)"
            ),
            note="p is corrected for the kinds of bias (Bonferroni) and for the models (Holm). Length compares a "
            "long answer (90th percentile) with a short answer (10th percentile). The rule says which biases "
            "block the verdict.",
        )
    ]


def _meaning(found: RankingBias) -> str:
    """Return the effect of a bias on the verdict, for a cell."""
    if found.blocks:
        return "blocks"
    if found.qualifies:
        return "no ranking"
    return "5 points not ruled out" if found.is_open else "none"
