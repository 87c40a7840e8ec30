"""Sections 8 and 9: a judge's agreement with itself, in repeated runs, in the other order, and in earlier versions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.chance import percent_agreement
from agreement.corrected import clustered_mean
from agreement.icc import icc
from agreement.ratings import MISSING, Floats
from agreement.statistic import Statistic
from domain.english import with_noun
from extensions.calibration.report.judging import MEASURES, main_measure, numbers_or_codes
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.judge_bias import position_bias
from extensions.calibration.statistics.judge_drift import drift as compared
from extensions.calibration.statistics.judge_drift import self_consistency
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, Paragraph, ReportTable, Section
from reports.words import count, figure_in_words, first_parts, mark, nothing

MOST_VALUES = 12


def repeats(study: Study) -> Section:
    """Return section 8: the judge against itself."""
    title = "Does the judge agree with itself?"
    asked = study.runs.repeats
    if not asked:
        return nothing(
            8,
            "repeats",
            title,
            "No judge rated the same units twice. Run the judge again on the same units with the same prompt, and "
            "name the second run with --repeat.",
        )
    rows: list[tuple[Cell, ...]] = []
    clauses: list[str] = []
    for part in study.slices:
        for judge, others in asked.items():
            runs = [judge, *(other for other in others if other in part.table.raters)]
            if judge not in part.judges or len(runs) < 2:
                continue
            level = part.table.scale.level
            consistency = self_consistency(
                np.stack([numbers_or_codes(part, run) for run in runs], axis=1),
                level=level,
                clusters=part.table.clusters,
            )
            alpha = Figure.of(consistency.alpha)
            rows += [
                (*part.where, judge, len(runs), "The same in all runs", Figure.of(consistency.always_same, share=True)),
                (*part.where, judge, len(runs), "Pairs of runs that differ", Figure.of(consistency.flips, share=True)),
                (*part.where, judge, len(runs), f"Krippendorff's alpha ({level})", alpha),
            ]
            if part.numeric:
                rows.append((*part.where, judge, len(runs), "ICC(1,1)", Figure.of(icc(part.table.of(*runs)))))
            if part.dimension is None:
                clauses.append(
                    f"{judge}, {part.criterion}: {figure_in_words(alpha)} over {count(len(runs), 'run', 'runs')} of "
                    f"{with_noun(alpha.n_units, 'unit')}"
                )
    if not rows:
        return nothing(
            8,
            "repeats",
            title,
            "The repeated runs and the judge have no unit in common. Run the judge again on the same units.",
        )
    lead = f"Krippendorff's alpha between the judge's runs (1 means identical ratings): {first_parts(clauses)}."
    columns = ("criterion", "dimension", "judge", "runs", "statistic", "value")
    return Section(
        8, "repeats", title, lead, (ReportTable("repeats", "The judge compared with itself", columns, tuple(rows)),)
    )


def position(study: Study) -> list[Block]:
    """Return the part of section 7 about the order in which answers are shown."""
    if not study.runs.swapped:
        return [
            Paragraph(
                "Position: no run shows the answers in the other order. Run the judge with swapped answers, map the "
                "verdicts back to the original order, and name this run with --swapped.",
                "missing",
            )
        ]
    same: list[tuple[Cell, ...]] = []
    moved: list[tuple[Cell, ...]] = []
    clauses: list[str] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    for part in study.slices:
        for judge, others in study.runs.swapped.items():
            for other in others:
                if judge not in part.judges or other not in part.table.raters:
                    continue
                rows, equal = _in_both_orders(part, judge, other)
                same += rows
                clauses.append(
                    f"{judge} gives the same verdict in both orders for {figure_in_words(equal)} of the units"
                )
                marks = []
                for label, shift, before, after in _shifts(part, judge, other):
                    moved.append((*part.where, judge, label, before, after, shift))
                    marks.append(mark(label, shift))
                name = judge if len(study.slices) == 1 else f"{judge} · {part.name}"
                lines.append((name, tuple(marks)))
    blocks: list[Block] = [
        Paragraph(
            f"Position: {first_parts(clauses)}. On the other units, the verdict depends on the order of the answers."
        )
    ]
    if lines:
        blocks.append(
            Dots(
                "position",
                "Share of each value: original order minus swapped order",
                "difference of shares; 0 means that the order does not matter",
                tuple(lines),
                zero=True,
                first=1,
            )
        )
    blocks.append(
        ReportTable(
            "position",
            "The two orders compared",
            ("criterion", "dimension", "judge", "run in the other order", "what", "value"),
            tuple(same),
            note="A judge leans toward a position if the answer in this position wins in both orders, or wins once "
            "and ties once. The first two values of the scale are the two answers in the original order.",
        )
    )
    columns = ("criterion", "dimension", "judge", "value given", "original order", "swapped", "difference")
    blocks.append(
        ReportTable(
            "position_shift",
            "Effect of the order",
            columns,
            tuple(moved),
            unit="shares of units with a verdict in both runs (for numbers: means); a judge without a position bias "
            "has differences around 0",
        )
    )
    return blocks


def _in_both_orders(part: Slice, judge: str, other: str) -> tuple[list[tuple[Cell, ...]], Figure]:
    """Return the rows of a judge and its run in the other order, and the share of equal verdicts."""
    places = _places(part, judge, other)
    if places is None:
        equal = Figure.of(percent_agreement(part.table.of(judge, other)), share=True)
        return [(*part.where, judge, other, "the same value in both orders", equal)], equal
    bias = position_bias(*places, clusters=part.table.clusters)
    equal = Figure.of(bias.consistency, share=True)
    rows = [
        ("the same verdict in both orders", equal),
        ("leans toward the first position", Figure.of(bias.primacy, share=True)),
        ("leans toward the second position", Figure.of(bias.recency, share=True)),
        ("leaning (1: always first, -1: always second)", Figure.of(bias.lean)),
    ]
    return [(*part.where, judge, other, what, value) for what, value in rows], equal


def drift(study: Study, margin: float) -> Section:
    """Return section 9: earlier versions of a judge on the same units."""
    title = "Has the judge changed?"
    if not study.runs.earlier:
        return nothing(
            9,
            "drift",
            title,
            "You named no earlier version. When the judge's model or prompt changes, run both versions on the same "
            "units, and name the earlier version with --earlier.",
        )
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    clauses: list[str] = []
    for part in study.slices:
        for judge, others in study.runs.earlier.items():
            for other in others:
                if judge not in part.judges or other not in part.table.raters:
                    continue
                people = np.stack([numbers_or_codes(part, name) for name in part.humans], axis=1)
                comparison = compared(
                    people,
                    numbers_or_codes(part, other),
                    numbers_or_codes(part, judge),
                    measure=main_measure(part),
                    margin=margin or None,
                    clusters=part.table.clusters,
                )
                label = f"{judge} after {other}"
                measure = MEASURES[main_measure(part)]
                change = Figure.of(comparison.agreement_change)
                rows += [
                    (*part.where, label, f"before: {measure} with people", Figure.of(comparison.old), None),
                    (*part.where, label, f"now: {measure} with people", Figure.of(comparison.new), None),
                    (*part.where, label, "change", change, comparison.verdict),
                ]
                if part.numeric:
                    rows.append((*part.where, label, "change of the mean rating", Figure.of(comparison.change), None))
                lines.append((part.name, (mark(label, change),)))
                if part.dimension is None:
                    clauses.append(
                        f"{label}, {part.criterion}: {figure_in_words(change)} on "
                        f"{with_noun(change.n_units, 'unit')}, {comparison.verdict}"
                    )
    if not rows:
        return nothing(9, "drift", title, "The versions have no unit in common. Run both versions on the same units.")
    lead = f"Change of agreement with people: {first_parts(clauses)}."
    blocks: tuple[Block, ...] = (
        Dots(
            "drift", "Change since the earlier version", "change of agreement with people", tuple(lines), True, first=1
        ),
        ReportTable(
            "drift",
            "Versions of the judge",
            ("criterion", "dimension", "versions", "what", "value", "verdict"),
            tuple(rows),
            note=f"The versions are equivalent if the whole interval lies within the margin of the rule, ±{margin:g}"
            ". The judge has changed if the whole interval lies outside this margin.",
        ),
    )
    return Section(9, "drift", title, lead, blocks)


def _mean(part: Slice, values: Floats) -> Statistic:
    return clustered_mean(values, clusters=part.table.clusters)


def _shifts(part: Slice, judge: str, other: str) -> Sequence[tuple[str, Figure, float, float]]:
    one, two = part.column(judge), part.column(other)
    both = (one != MISSING) & (two != MISSING)
    if not both.any():
        return []
    if len(part.categories) > MOST_VALUES:
        if not part.numeric:
            return []
        a, b = part.numbers(judge), part.numbers(other)
        return [("mean", Figure.of(_mean(part, a - b)), float(a[both].mean()), float(b[both].mean()))]
    shifts = []
    for code, label in enumerate(part.categories):
        a, b = (np.where(both, given == code, np.nan) for given in (one, two))
        shifts.append((label, Figure.of(_mean(part, a - b)), float(a[both].mean()), float(b[both].mean())))
    return shifts


def _places(part: Slice, judge: str, other: str) -> tuple[list[str | None], list[str | None]] | None:
    """Return which place won in each order. None unless the values are two answers and perhaps a tie."""
    if part.numeric or not 2 <= len(part.categories) <= 3:
        return None
    forward, swapped = ("first", "second", "tie", None), ("second", "first", "tie", None)
    return (
        [forward[code] for code in part.column(judge).tolist()],
        [swapped[code] for code in part.column(other).tolist()],
    )
