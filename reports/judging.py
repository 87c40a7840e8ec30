"""Sections 3, 4 and 5: judges against people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from agreement.alternative import AlternativeTest, alternative_test, winning_rates
from agreement.ceiling import Ceiling, Measure, ceiling_by_certainty, human_ceiling, noise_ceiling
from agreement.chance import percent_agreement
from agreement.classification import classification_rates
from agreement.constant import ConstantComparison, compare_with_constant
from agreement.corrected import clustered_mean
from agreement.correlation import pearson, spearman
from agreement.kappa import cohen_kappa
from agreement.ratings import MISSING, Floats, Ratings
from reports.content import (
    Bars,
    Block,
    Cell,
    Dots,
    Figure,
    Heat,
    LineChart,
    Mark,
    Point,
    ReportTable,
    Section,
    UnitSelection,
)
from reports.people import MOST_VALUES, main_statistic, main_weights
from reports.study import Slice, Study
from reports.words import count, figure_in_words, first_parts, mark, nothing, p_value

MEASURES: dict[Measure, str] = {
    "agreement": "Share of equal ratings",
    "kappa": "Cohen's kappa",
    "linear": "Cohen's kappa, linear weights",
    "quadratic": "Cohen's kappa, quadratic weights",
    "pearson": "Pearson's correlation",
}
EPSILON, OMEGA, RHO = "\N{GREEK SMALL LETTER EPSILON}", "\N{GREEK SMALL LETTER OMEGA}", "\N{GREEK SMALL LETTER RHO}"
_MOST_LEVELS = 20
"""Number of values beyond which ratings count as measurements and are correlated."""


def main_measure(part: Slice) -> Measure:
    """Return the measure that fits the scale. Judge and people are compared by the same measure."""
    if not part.numeric:
        return "kappa"
    return "quadratic" if len(part.categories) <= _MOST_LEVELS else "pearson"


def numbers_or_codes(part: Slice, rater: str) -> Floats:
    """Return the values of a rater for comparisons. Shape: (units,). Missing values are nan.

    The values are numbers if the scale is numeric, else codes.
    """
    if part.table.numeric:
        return part.numbers(rater)
    column = part.column(rater)
    found: Floats = np.where(column == MISSING, np.nan, column.astype(float))
    return found


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
            found = constant_of(part, judge)
            mine, always, gap = (
                Figure.of(each, share=True) for each in (found.judge, found.constant, found.difference)
            )
            base = Figure(found.base_rate, None, None, "none", found.judge.n_units, share=True)
            shown = base if found.judge.defined else Figure.without(found.judge.reason or "")
            rows.append((*part.where, judge, said_always(part, found), shown, mine, always, gap))
    return ReportTable(
        "constant",
        "Each judge compared with one that always says the same",
        (
            "criterion",
            "dimension",
            "judge",
            "most frequent value",
            "its share among people's ratings",
            "judge says what a person says",
            "always that value",
            "difference",
        ),
        tuple(rows),
        unit="shares of units, each with its 95 % interval",
        note="Where one value is frequent, a judge that always says it agrees often and tells no unit from another;"
        " read all coefficients of agreement together with this. A judge that always says the same is not usable,"
        " however often it is right.",
    )


# ---- 3 on the same footing ------------------------------------------------------------------------------------------


def against_people(study: Study) -> Section:
    """Return section 3."""
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    gaps: list[tuple[str, tuple[Mark, ...]]] = []
    told: list[str] = []
    several = len(study.humans) > 1
    for part in study.slices:
        marks: list[Mark] = []
        differences: list[Mark] = []
        for judge in part.judges:
            if len(part.humans) < 2:
                continue
            found = ceiling_of(part, judge)
            mine, people, gap = (Figure.of(each) for each in (found.judge, found.people, found.difference))
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
                told.append(f"{judge} {figure_in_words(mine)} where people reach {figure_in_words(people)}")
        if marks:
            lines.append((part.name, tuple(marks)))
            gaps.append((part.name, tuple(differences)))
    if lines:
        measures = {MEASURES[main_measure(part)] for part in study.slices}
        axis = measures.pop() if len(measures) == 1 else "agreement in the measure of the scale"
        blocks += [
            Dots("ceiling", "Judges and the human ceiling", f"{axis}; 1 is perfect", tuple(lines)),
            Dots("gap", "How far each judge stays behind", f"judge minus people, {axis}", tuple(gaps), True, first=1),
            ReportTable(
                "ceiling",
                "On the same footing",
                ("criterion", "dimension", "judge", "measure", "who", "value"),
                tuple(rows),
                unit="mean over pairs, on the units that the judge and at least two people rated; the difference is "
                "resampled together, so its interval may exclude 0 although the two others overlap",
                note="A judge is compared with single people, as people are with each other. Against a majority it "
                "would "
                "look better than any of them, as a majority has less noise.",
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
            "Only one person was named, so there is no human ceiling to compare with; the numbers below are plain "
            "agreement with that person."
        )
    else:
        lead = f"Agreement with a person, judge and people on the same units: {first_parts(told)}."
    return Section(3, "judges", "Judge against people", lead, tuple(blocks))


def _by_certainty(study: Study) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if len(part.humans) < 2 or len(part.categories) > MOST_VALUES:
            continue
        for judge in part.judges:
            found = ceiling_by_certainty(human_table(part), numbers_or_codes(part, judge), clusters=part.table.clusters)
            for where, who, each in (
                ("people agree", "judge", found.unanimous.judge),
                ("people are split", "judge", found.split.judge),
                ("people are split", "person", found.split.people),
            ):
                if who == "judge" or len(part.humans) > 2:  # two people who are split never agree
                    rows.append((*part.where, judge, where, who, Figure.of(each, share=True)))
    if not rows:
        return []
    return [
        ReportTable(
            "certainty",
            "Where people agree, and where they do not",
            ("criterion", "dimension", "judge", "units", "who", "share of a person's ratings met"),
            tuple(rows),
            note="Agreement on units that split the people is no merit: there is nothing to agree with.",
        )
    ]


def _noise(study: Study) -> list[Block]:
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if len(part.humans) < 2 or not part.numeric:
            continue
        found = noise_ceiling(human_table(part), clusters=part.table.clusters)
        rows += [
            (*part.where, "Reliability of the people's mean, ICC(3,k)", Figure.of(found.reliability_of_mean)),
            (*part.where, "Highest correlation that a judge can have with it", Figure.of(found.highest)),
            (*part.where, "What one person reaches (leave one out)", Figure.of(found.leave_one_out)),
        ]
        for judge in part.judges:
            at = _with_mean(part, judge)
            rows.append((*part.where, f"{judge}, Pearson's correlation with the people's mean", at))
    if not rows:
        return []
    return [
        ReportTable(
            "noise",
            "The noise ceiling: what correlation is possible at all",
            ("criterion", "dimension", "what", "value"),
            tuple(rows),
            unit="correlation; says nothing about leniency",
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
    weighted = " Kappa has quadratic weights where the scale has an order." if numeric else ""
    return [
        ReportTable(
            "judge_pairs",
            "Each judge with each person",
            tuple(columns),
            tuple(rows),
            unit=f"each value with its 95 % interval and the units that both rated.{weighted}",
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
                    f"{judge} with the people's mean, level by level",
                    ("criterion", "level", "Pearson's r", "Spearman's rho"),
                    tuple(rows),
                    unit="all levels on the answers that people and the judge rated; a number of one level says "
                    "nothing of another",
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
            "Each judge with most of the people",
            ("criterion", "dimension", "judge", *(["equal"] if equal else []), *(["Cohen's kappa"] if kappa else [])),
            tuple(rows),
            unit="each value with its 95 % interval and the units that count",
            note="Comparable with published kappas of a judge and a majority. Units on which no value has most votes "
            "are left out, and a majority has less noise than a person: this says nothing about replacing one. Kappa "
            "has quadratic weights where the scale has an order; with two values they make no difference.",
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
            note="Judges of one family may share their errors: agreeing with each other is no sign of being right.",
        )
    ]


# ---- 4 alternative annotator test -----------------------------------------------------------------------------------


def alternative(study: Study, epsilon: float) -> Section:
    """Return section 4."""
    title = "Could the judge take a person's place?"
    if len(study.humans) < 3:
        return nothing(
            4,
            "alternative",
            title,
            f"The alternative annotator test needs at least three people, and these are {len(study.humans)}: each "
            "person "
            "is compared with the others, and with fewer the others are one person only.",
        )
    rows: list[tuple[Cell, ...]] = []
    people: list[tuple[Cell, ...]] = []
    lines: dict[str, tuple[Point, ...]] = {}
    told: list[str] = []
    for part in study.slices:
        score = "neg_rmse" if part.numeric else "accuracy"
        for judge in part.judges:
            table, mine = human_table(part), numbers_or_codes(part, judge)
            found = alternative_test(table, mine, raters=part.humans, score=score, epsilon=epsilon)  # type: ignore[arg-type]
            rows.append((*part.where, judge, f"winning rate {OMEGA}", Figure.of(found.winning_rate)))
            rows.append((*part.where, judge, f"advantage {RHO}", Figure.of(found.advantage_probability)))
            people += _of_people(part, judge, found)
            constant = constant_of(part, judge)
            always = alternative_test(table, constant.column, raters=part.humans, score=score, epsilon=epsilon)  # type: ignore[arg-type]
            said_ = said_always(part, constant)
            rows.append((*part.where, judge, f"winning rate {OMEGA} of always {said_}", Figure.of(always.winning_rate)))
            if part.dimension is None:
                rates = winning_rates(table, mine, raters=part.humans, score=score)  # type: ignore[arg-type]
                points = tuple(Point(each, rate.value) for each, rate in rates if rate.defined)
                if points:
                    lines[judge if len(study.slices) == 1 else f"{judge} · {part.criterion}"] = points
                if found.winning_rate.defined:
                    replaced = round(found.winning_rate.value * len(found.people))
                    verdict = "passes" if found.passed else "does not pass"
                    as_well = ""
                    if always.winning_rate.defined:
                        n_always = sum(each.rejected for each in always.people)
                        passes = "passes" if always.passed else "does not pass"
                        as_well = f"; one that always says {said_} {passes} ({n_always} of {len(always.people)})"
                    told.append(f"{judge} {verdict} ({replaced} of {len(found.people)}, {part.criterion}){as_well}")
                else:
                    told.append(f"{judge} cannot be tested ({part.criterion}): {found.winning_rate.reason}")
    blocks: list[Block] = []
    if lines:
        blocks.append(
            LineChart(
                "epsilon",
                "The winning rate, depending on how much better a person may be",
                f"{EPSILON}, the handicap that is allowed for a judge costing less",
                f"winning rate {OMEGA}",
                tuple(lines.items()),
            )
        )
    possible = ", ".join(f"{at / len(study.humans):.2f}" for at in range(len(study.humans) + 1))
    blocks += [
        ReportTable(
            "alternative",
            "Alternative annotator test",
            ("criterion", "dimension", "judge", "what", "value"),
            tuple(rows),
            note=f"{OMEGA} passes at 0.5; with {count(len(study.humans), 'person', 'people')} it can only be "
            f"{possible}, "
            f"and has no interval. {RHO} is the mean share of units on which the judge is at least as close to the "
            "other "
            "people as a person is.",
        ),
        ReportTable(
            "alternative_people",
            "Person by person",
            (
                "criterion",
                "dimension",
                "judge",
                "person",
                "judge at least as close",
                "person at least as close",
                "p",
                "may replace",
            ),
            tuple(people),
            note="Closeness to the other people; ties count for both. One-sided t test, Benjamini-Yekutieli at 0.05.",
        ),
    ]
    lead = (
        "For how many of the people it may stand in, if a person may be better by "
        f"{EPSILON} = {epsilon:g}: {first_parts(told)}."
    )
    return Section(4, "alternative", title, lead, tuple(blocks))


def _of_people(part: Slice, judge: str, found: AlternativeTest) -> list[tuple[Cell, ...]]:
    return [
        (
            *part.where,
            judge,
            each.rater,
            Figure.of(each.advantage, share=True),
            each.person_advantage,
            p_value(each.test.p_value) if each.test else None,
            "yes" if each.rejected else "no" if each.test else "not tested",
        )
        for each in found.people
    ]


# ---- 5 where they differ --------------------------------------------------------------------------------------------


def confusion(study: Study) -> Section:
    """Return section 5."""
    title = "Where they differ"
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    rates: list[tuple[Cell, ...]] = []
    bars: list[Block] = []
    told: list[str] = []
    for part in study.slices:
        few = 1 < len(part.categories) <= MOST_VALUES
        for judge in part.judges:
            if not few:
                continue
            given, people = part.column(judge), part.majority
            both = (given != MISSING) & (people != MISSING)
            q = len(part.categories)
            counts = np.bincount(people[both] * q + given[both], minlength=q * q).reshape(q, q)
            table = tuple(tuple(int(each) for each in row) for row in counts)
            for at, row in enumerate(table):
                for to, n in enumerate(row):
                    rows.append((*part.where, judge, part.categories[at], part.categories[to], n))
            rates += _rates(part, judge)
            if part.dimension is None:
                heading = f"{judge}, {part.criterion}: what it says (across) where most people say (down)"
                blocks.append(
                    Heat(
                        f"confusion_{len(blocks) + 1}",
                        heading,
                        "most people",
                        judge,
                        part.categories,
                        part.categories,
                        table,
                    )
                )
                right = int(np.trace(counts))
                total = max(int(counts.sum()), 1)
                told.append(f"{judge} says the same on {right:,} of {int(counts.sum()):,} ({right / total:.0%})")
        if part.dimension is None and (few or part.numeric):
            bars.append(_shares(part, len(bars) + 1))
    blocks += bars
    blocks += _levels(study)
    if rates:
        blocks.append(
            ReportTable(
                "rates",
                "Against what most people say",
                ("criterion", "dimension", "judge", "statistic", "value"),
                tuple(rates),
                note="Precision: of the units that the judge gives this value, the share where most people do. "
                "Recall: of the "
                "units that most people give this value, the share where the judge does. Units on which people are "
                "tied are "
                "left out.",
            )
        )
    if rows:
        columns = ("criterion", "dimension", "judge", "most people", "judge says", "units")
        blocks.append(
            ReportTable("confusion", "The confusion as numbers", columns, tuple(rows), unit="counts of units")
        )
    if not blocks:
        return nothing(
            5,
            "confusion",
            title,
            "There are too many different values for a table; declare a scale with few values, or bin them.",
        )
    lead = (
        f"Next to what most people say, {first_parts(told)}. The diagonal is where both say the same; what is off it "
        "shows "
        "which values are mixed up."
        if told
        else "What people say, at each level of the judge."
    )
    return Section(5, "confusion", title, lead, tuple(blocks))


def _rates(part: Slice, judge: str) -> list[tuple[Cell, ...]]:
    names: list[str | None] = [*part.categories, None]
    said_ = [names[code] for code in part.column(judge).tolist()]
    people = [names[code] for code in part.majority.tolist()]
    if not any(one is not None and other is not None for one, other in zip(said_, people, strict=True)):
        return []
    found = classification_rates(people, said_, labels=part.categories, clusters=part.table.clusters)
    rows: list[tuple[Cell, ...]] = [(*part.where, judge, "Accuracy", Figure.of(found.accuracy, share=True))]
    if part.dimension is None:
        for each in found.classes:
            rows.append((*part.where, judge, f"Precision of {each.label}", Figure.of(each.precision, share=True)))
            rows.append((*part.where, judge, f"Recall of {each.label}", Figure.of(each.recall, share=True)))
    rows.append((*part.where, judge, "F1, mean over the values", Figure.of(found.macro_f1, share=True)))
    return rows


def _shares(part: Slice, number: int) -> Bars:
    """Return a chart of how often each rater gives each value. Many values are grouped into ten equal steps."""
    labels = part.categories
    raters = (*part.humans, *part.judges)
    if len(labels) <= MOST_VALUES:
        given = [part.column(name) for name in raters]
        counts = [np.bincount(codes[codes != MISSING], minlength=len(labels)) for codes in given]
    else:
        values = [part.numbers(name) for name in raters]
        known = np.concatenate(values)
        edges = np.linspace(np.nanmin(known), np.nanmax(known), 11)
        labels = tuple(f"to {edge:.3g}" for edge in edges[1:].tolist())
        counts = [np.histogram(each[~np.isnan(each)], bins=edges)[0] for each in values]
    shares = tuple(
        (name, tuple(float(each) for each in counted / max(int(counted.sum()), 1)))
        for name, counted in zip(raters, counts, strict=True)
    )
    return Bars(
        f"shares_{number}",
        f"{part.criterion}: how often each value is given, by people and by judges",
        "share of its ratings",
        labels,
        shares,
        people=len(part.humans),
    )


def _levels(study: Study) -> list[Block]:
    """Return the calibration curve: people's mean at each level of the judge."""
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if not part.numeric:
            continue
        lines: list[tuple[str, tuple[Point, ...]]] = []
        for judge in part.judges:
            line = []
            for label, at, chosen in _bins(part.numbers(judge)):
                found = Figure.of(
                    clustered_mean(np.where(chosen, part.human_mean, np.nan), clusters=part.table.clusters)
                )
                found = replace(found, n_left_out=0)
                rows.append((*part.where, judge, label, found))
                if found.value is not None:
                    line.append(Point(at, found.value, found.low, found.high))
            if line:
                lines.append((judge, tuple(line)))
        if lines and part.dimension is None:
            blocks.append(
                LineChart(
                    f"levels_{len(blocks) + 1}",
                    f"{part.criterion}: what people say, at each score of the judge",
                    "the judge's score",
                    "mean score of the people",
                    tuple(lines),
                    diagonal=True,
                )
            )
    if rows:
        blocks.append(
            ReportTable(
                "levels",
                "What people say, at each score of the judge",
                ("criterion", "dimension", "judge", "judge's score", "people's mean"),
                tuple(rows),
                unit="points of the scale; on the dashed line both mean the same",
            )
        )
    return blocks


def _bins(values: Floats, most: int = 10) -> Iterator[tuple[str, float, Any]]:
    """Yield (name, middle, mask of units) for each level. Many levels are grouped into bins of equal size."""
    known = values[~np.isnan(values)]
    levels = np.unique(known)
    if len(levels) <= most:
        for level in levels.tolist():
            yield f"{level:g}", level, values == level
        return
    edges = np.unique(np.quantile(known, np.linspace(0, 1, most + 1)))
    for at, (low, high) in enumerate(pairwise(edges.tolist())):
        last = at == len(edges) - 2
        chosen = (values >= low) & ((values <= high) if last else (values < high))
        if chosen.any():
            yield f"{low:.3g} to {high:.3g}", float(values[chosen].mean()), chosen
