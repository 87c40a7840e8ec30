"""Section 3: judges against people, on the same footing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from agreement.chance import percent_agreement
from agreement.correlation import pearson, spearman
from agreement.kappa import cohen_kappa
from agreement.ratings import MISSING, Floats, Ratings
from domain.english import with_noun
from extensions.calibration.report.people import MOST_VALUES, main_statistic, main_weights
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.ceiling import Ceiling, Measure, ceiling_by_certainty, human_ceiling
from extensions.calibration.statistics.constant import ConstantComparison, compare_with_constant
from extensions.calibration.statistics.noise_ceiling import noise_ceiling
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, ReportTable, Section, UnitSelection
from reports.words import figure_in_words, first_parts, mark

MEASURES: dict[Measure, str] = {
    "agreement": "Share of equal ratings",
    "kappa": "Cohen's kappa",
    "linear": "Cohen's kappa, linear weights",
    "quadratic": "Cohen's kappa, quadratic weights",
    "pearson": "Pearson's correlation",
}

_MOST_LEVELS = 20
"""Number of values beyond which ratings count as measurements and are correlated."""


def main_measure(part: Slice) -> Measure:
    """Return the measure that fits the scale. Judge and people are compared by the same measure."""
    if not part.numeric:
        return "kappa"
    return "quadratic" if len(part.categories) <= _MOST_LEVELS else "pearson"


def numbers_or_codes(part: Slice, rater: str) -> Floats:
    """Return the values of a rater for comparisons. Shape: (units,). Missing values are nan.

    The values are numbers if the scale is numeric, and codes otherwise.
    """
    if part.table.numeric:
        return part.numbers(rater)
    column = part.column(rater)
    numbers: Floats = np.where(column == MISSING, np.nan, column.astype(float))
    return numbers


def human_table(part: Slice) -> Floats:
    """Return the values of all people for comparisons. Shape: (units, people)."""
    return np.stack([numbers_or_codes(part, name) for name in part.humans], axis=1)


def ceiling_of(part: Slice, judge: str) -> Ceiling:
    """Return the comparison of a judge with the people, by the measure that fits the scale.

    It is cached for each judge.
    """
    kept = part.kept.get(judge)
    if kept is None:
        people, mine = human_table(part), numbers_or_codes(part, judge)
        kept = human_ceiling(people, mine, measure=main_measure(part), clusters=part.table.clusters)
        part.kept[judge] = kept
    return kept


def constant_of(part: Slice, judge: str) -> ConstantComparison:
    """Return the comparison of a judge with a constant judge, which always gives people's most frequent value."""
    return compare_with_constant(human_table(part), numbers_or_codes(part, judge), clusters=part.table.clusters)


def said_always(part: Slice, constant: ConstantComparison) -> str:
    """Return the value of the constant judge, in words."""
    if math.isnan(constant.value):
        return "nothing"
    return f"{constant.value:g}" if part.table.numeric else part.categories[int(constant.value)]


def base_rate_table(study: Study) -> ReportTable:
    """Return a table that compares every judge with a constant judge."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        for judge in part.judges:
            constant = constant_of(part, judge)
            mine, always, gap = (
                Figure.of(statistic, share=True)
                for statistic in (constant.judge, constant.constant, constant.difference)
            )
            base = Figure(constant.base_rate, None, None, "none", constant.judge.n_units, share=True)
            shown = base if constant.judge.defined else Figure.without(constant.judge.reason or "")
            rows.append((*part.where, judge, said_always(part, constant), shown, mine, always, gap))
    return ReportTable(
        "constant",
        "Each judge compared with a constant judge",
        (
            "criterion",
            "dimension",
            "judge",
            "most frequent value",
            "share of this value among people's ratings",
            "judge gives the same value as a person",
            "always that value",
            "difference",
        ),
        tuple(rows),
        unit="shares of units, each with its 95 % interval",
        note=(
            "If one value is frequent, a judge that always gives this value often agrees with people, "
            "but cannot tell units apart. A constant judge is not usable."
        ),
    )


# ---- 3 on the same footing ------------------------------------------------------------------------------------------


def against_people(study: Study) -> Section:
    """Return section 3."""
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    gaps: list[tuple[str, tuple[Mark, ...]]] = []
    clauses: list[str] = []
    several = len(study.humans) > 1
    for part in study.slices:
        marks: list[Mark] = []
        differences: list[Mark] = []
        for judge in part.judges:
            if len(part.humans) < 2:
                continue
            ceiling = ceiling_of(part, judge)
            mine, people, gap = (
                Figure.of(statistic) for statistic in (ceiling.judge, ceiling.people, ceiling.difference)
            )
            measure = MEASURES[main_measure(part)]
            rows += [
                (*part.where, judge, measure, "judge with a person", mine),
                (*part.where, judge, measure, "person with a person", people),
                (*part.where, judge, measure, "difference", gap),
            ]
            if not marks:
                marks.append(mark("a person with a person", people))
            marks.append(mark(f"{judge} with a person", mine))
            differences.append(mark(judge, gap))
            if part.dimension is None:
                clauses.append(
                    f"{judge} {figure_in_words(mine)}, people {figure_in_words(people)} on "
                    f"{with_noun(mine.n_units, 'unit')}"
                )
        if marks:
            lines.append((part.name, tuple(marks)))
            gaps.append((part.name, tuple(differences)))
    if lines:
        measures = {MEASURES[main_measure(part)] for part in study.slices}
        axis = measures.pop() if len(measures) == 1 else "agreement (the measure depends on the scale)"
        blocks += [
            Dots("ceiling", "Judges compared with people", f"{axis}; 1 is perfect", tuple(lines)),
            Dots(
                "gap",
                "Difference between each judge and people",
                f"judge minus people, {axis}",
                tuple(gaps),
                True,
                first=1,
            ),
            ReportTable(
                "ceiling",
                "Judge and people on the same units",
                ("criterion", "dimension", "judge", "measure", "who", "value"),
                tuple(rows),
                unit="mean over pairs, on the units that the judge and at least two people rated; the interval of the "
                "difference may exclude 0 although the other two intervals overlap",
                note="The table compares the judge with individual people, and people with each other. A comparison "
                "with the majority would favor the judge, because a majority has less noise.",
            ),
        ]
        blocks += _by_certainty(study)
        blocks += _noise(study)
    blocks.append(base_rate_table(study))
    blocks += _pairs(study)
    blocks += _by_level(study)
    blocks += _majority(study)
    blocks += _judges(study)
    if not several:
        lead = (
            "You named only one person. The numbers below show the judge's agreement with this person. To measure "
            "agreement among people, name at least two people."
        )
    else:
        lead = f"Agreement with one person: {first_parts(clauses)}."
    return Section(3, "judges", "Judge against people", lead, tuple(blocks))


def _by_certainty(study: Study) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if len(part.humans) < 2 or len(part.categories) > MOST_VALUES:
            continue
        for judge in part.judges:
            ceiling = ceiling_by_certainty(
                human_table(part), numbers_or_codes(part, judge), clusters=part.table.clusters
            )
            for where, who, agreement in (
                ("people agree", "judge", ceiling.unanimous.judge),
                ("people are split", "judge", ceiling.split.judge),
                ("people are split", "person", ceiling.split.people),
            ):
                if who == "judge" or len(part.humans) > 2:  # two people who are split never agree
                    rows.append((*part.where, judge, where, who, Figure.of(agreement, share=True)))
    if not rows:
        return []
    return [
        ReportTable(
            "certainty",
            "Agreement where people agree or are split",
            ("criterion", "dimension", "judge", "units", "who", "share equal to a person's rating"),
            tuple(rows),
            note="If people are split on a unit, agreement on this unit says little about the judge.",
        )
    ]


def _noise(study: Study) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if len(part.humans) < 2 or not part.numeric:
            continue
        ceiling = noise_ceiling(human_table(part), clusters=part.table.clusters)
        rows += [
            (*part.where, "Reliability of the people's mean, ICC(3,k)", Figure.of(ceiling.reliability_of_mean)),
            (
                *part.where,
                "Highest correlation that a judge can have with the people's mean",
                Figure.of(ceiling.highest),
            ),
            (*part.where, "Agreement of one person with the others (leave one out)", Figure.of(ceiling.leave_one_out)),
        ]
        for judge in part.judges:
            at = _with_mean(part, judge)
            rows.append((*part.where, f"{judge}, Pearson's correlation with the people's mean", at))
    if not rows:
        return []
    return [
        ReportTable(
            "noise",
            "Noise ceiling: the highest possible correlation",
            ("criterion", "dimension", "what", "value"),
            tuple(rows),
            unit="correlation, which does not show leniency",
        )
    ]


def _with_mean(part: Slice, judge: str) -> Figure:
    pair = np.stack([part.human_mean, part.numbers(judge)], axis=1)
    return Figure.of(pearson(Ratings.from_array(pair, raters=("people", "judge"))))


def _pairs(study: Study) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    behind: list[UnitSelection] = []
    numeric = any(part.numeric for part in study.slices)
    titles = {
        "percent_agreement": "equal",
        "cohen_kappa": "Cohen's kappa",
        "krippendorff_alpha": "Krippendorff's alpha",
    }
    titles |= {"pearson": "Pearson's r", "spearman": "Spearman's rho"} if numeric else {}
    shown = {name: title for name, title in titles.items() if study.shows(name)}
    for part in study.slices:
        for judge in part.judges:
            for human in part.humans:
                pair = part.table.of(human, judge)
                behind.append(UnitSelection(part.dimension, (human, judge), part.criterion))
                rows.append((*part.where, judge, human, *(_coefficient(name, pair, part) for name in shown)))
    columns = ["criterion", "dimension", "judge", "person", *shown.values()]
    weighted = " Kappa has quadratic weights if the scale has an order." if numeric else ""
    return [
        ReportTable(
            "judge_pairs",
            "Each judge with each person",
            tuple(columns),
            tuple(rows),
            unit=f"each value with its 95 % interval and the number of units that both raters rated.{weighted}",
            behind=tuple(behind),
        )
    ]


def _by_level(study: Study) -> list[Block]:
    """Return tables of each judge against the people's mean: by answer, and by means of dimensions and models."""
    dimensions = {row.unit: row.dimension or "no dimension" for row in study.rows}
    models = {unit: about.model for unit, about in study.about.items() if about.model is not None}
    keys: list[tuple[str, Callable[[str], object]]] = [("answer by answer", lambda unit: unit)]
    if len(set(dimensions.values())) > 1:
        keys.append(("means of a model in a dimension", lambda unit: (models.get(unit), dimensions[unit])))
    if models:
        keys.append(("means of a model", models.get))
    whole = [part for part in study.slices if part.dimension is None and part.numeric]
    blocks: list[Block] = []
    for judge in study.judges if len(keys) > 1 else ():
        rows: list[tuple[Cell, ...]] = []
        for part in whole:
            if judge not in part.judges:
                continue
            pairs = np.stack([part.human_mean, part.numbers(judge)], axis=1)
            both = ~np.isnan(pairs).any(axis=1)
            for level, key in keys if both.any() else ():
                lots: dict[object, list[int]] = {}
                for at in np.flatnonzero(both).tolist():
                    lots.setdefault(key(part.table.units[at]), []).append(at)
                means = Ratings.from_array(
                    np.array([pairs[lot].mean(axis=0) for lot in lots.values()]).reshape(-1, 2),
                    raters=("people", "judge"),
                )
                rows.append((part.criterion, level, Figure.of(pearson(means)), Figure.of(spearman(means))))
        if rows:
            blocks.append(
                ReportTable(
                    f"judge_levels_{len(blocks) + 1}",
                    f"{judge} compared with the people's mean, by level",
                    ("criterion", "level", "Pearson's r", "Spearman's rho"),
                    tuple(rows),
                    unit="answers that people and the judge rated; do not compare the levels with each other",
                )
            )
    return blocks


def _coefficient(name: str, pair: Ratings, part: Slice) -> Figure:
    """Return a coefficient of two raters in a slice, by its name in the registry."""
    if name == "percent_agreement":
        return Figure.of(percent_agreement(pair), share=True)
    if name == "cohen_kappa":
        return Figure.of(cohen_kappa(pair, weights=main_weights(part)))
    if name == "krippendorff_alpha":
        return Figure.of(main_statistic(part)[1](pair))
    return Figure.of(pearson(pair) if name == "pearson" else spearman(pair))


def _majority(study: Study) -> list[Block]:
    """Return tables of each judge against the majority of people, as in PCA-Bench's Table 4."""
    rows: list[tuple[Cell, ...]] = []
    equal, kappa = study.shows("percent_agreement"), study.shows("cohen_kappa")
    if not equal and not kappa:
        return []
    for part in study.slices:
        if len(part.categories) > MOST_VALUES:
            continue
        for judge in part.judges:
            codes = np.stack([part.majority, part.column(judge)], axis=1)
            pair = replace(part.table, raters=("most of the people", judge), codes=codes)
            rows.append(
                (
                    *part.where,
                    judge,
                    *([Figure.of(percent_agreement(pair), share=True)] if equal else []),
                    *([Figure.of(cohen_kappa(pair, weights=main_weights(part)))] if kappa else []),
                )
            )
    if not rows:
        return []
    return [
        ReportTable(
            "judge_majority",
            "Each judge with the majority of people",
            ("criterion", "dimension", "judge", *(["equal"] if equal else []), *(["Cohen's kappa"] if kappa else [])),
            tuple(rows),
            unit="each value with its 95 % interval and the number of units",
            note="Compare these numbers with published kappas of a judge and a majority. These numbers do not show "
            "whether the judge can replace a person, because a majority has less noise than a person. The "
            "table excludes units without a majority. Kappa has quadratic weights if the scale has an order.",
        )
    ]


def _judges(study: Study) -> list[Block]:
    """Return tables of judges against each other, because judges may agree without agreeing with people."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        name, statistic = main_statistic(part)
        for one, other in combinations(part.judges, 2):
            pair = part.table.of(one, other)
            rows.append(
                (*part.where, f"{one} and {other}", "Percent agreement", Figure.of(percent_agreement(pair), share=True))
            )
            rows.append((*part.where, f"{one} and {other}", name, Figure.of(statistic(pair))))
    if not rows:
        return []
    return [
        ReportTable(
            "judges_pairs",
            "Judges among themselves",
            ("criterion", "dimension", "judges", "statistic", "value"),
            tuple(rows),
            note="Judges of one family may share their errors. Agreement among judges does not show that the judges "
            "are right.",
        )
    ]
