"""Does a judge agree with itself: asked again, with the answers in the other order, and in an earlier version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from agreement.chance import percent_agreement
from agreement.corrected import clustered_mean
from agreement.icc import icc
from agreement.ratings import MISSING, Floats
from agreement.statistic import Statistic
from reports.content import Block, Cell, Dots, Figure, Mark, Section, Table, Text
from reports.people import main_statistic
from reports.study import Slice, Study
from reports.words import count, listed, mark, nothing, said, some

MOST_VALUES = 12


def repeats(study: Study) -> Section:
    """Section 8: the judge against itself."""
    title = "Does the judge agree with itself?"
    asked = study.runs.repeats
    if not asked:
        return nothing(
            8,
            "repeats",
            title,
            "No judge was asked twice. Run the judge again on the same units with the same prompt and name the "
            "second run "
            "with --repeat; how far it agrees with itself bounds everything above.",
        )
    rows: list[tuple[Cell, ...]] = []
    told: list[str] = []
    for part in study.slices:
        name, statistic = main_statistic(part)
        for judge, others in asked.items():
            runs = [judge, *(other for other in others if other in part.table.raters)]
            if judge not in part.judges or len(runs) < 2:
                continue
            table = part.table.of(*runs)
            equal = Figure.of(percent_agreement(table), share=True)
            alpha = Figure.of(statistic(table))
            rows.append((*part.where, judge, len(runs), "Share of equal pairs of runs", equal))
            rows.append((*part.where, judge, len(runs), name, alpha))
            if part.numeric:
                rows.append((*part.where, judge, len(runs), "ICC(1,1)", Figure.of(icc(table))))
            if part.dimension is None:
                told.append(f"{judge}, {part.criterion}: {said(alpha)} over {count(len(runs), 'run', 'runs')}")
    if not rows:
        return nothing(8, "repeats", title, "The repeated runs share no unit with the judge.")
    lead = (
        "A judge that contradicts itself cannot agree with anybody. "
        f"Krippendorff's alpha of its runs, 1 is always the same: {some(told)}."
    )
    columns = ("criterion", "dimension", "judge", "runs", "statistic", "value")
    return Section(8, "repeats", title, lead, (Table("repeats", "The judge against itself", columns, tuple(rows)),))


def position(study: Study) -> list[Block]:
    """The part of section 7 about the order in which answers are shown."""
    if not study.runs.swapped:
        return [
            Text(
                "Position: no run with the answers in the other order was named. Swap them, map the verdicts back "
                "to the "
                "original order, and name that run with --swapped.",
                "missing",
            )
        ]
    same: list[tuple[Cell, ...]] = []
    moved: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    for part in study.slices:
        for judge, others in study.runs.swapped.items():
            for other in others:
                if judge not in part.judges or other not in part.table.raters:
                    continue
                pair = part.table.of(judge, other)
                equal = Figure.of(percent_agreement(pair), share=True)
                same.append((*part.where, judge, other, equal))
                marks = []
                for label, shift, before, after in _shifts(part, judge, other):
                    moved.append((*part.where, judge, label, before, after, shift))
                    marks.append(mark(label, shift))
                name = judge if len(study.slices) == 1 else f"{judge} · {part.name}"
                lines.append((name, tuple(marks)))
    blocks: list[Block] = []
    told = [f"{row[2]} says the same in both orders on {said(row[-1])}" for row in same if isinstance(row[-1], Figure)]
    blocks.append(Text(f"Position: {some(told)}. The rest depends on which answer stands first."))
    if lines:
        blocks.append(
            Dots(
                "position",
                "How much more often each value is given in the original order than in the swapped one",
                "difference of shares; 0 means that the order does not matter",
                tuple(lines),
                zero=True,
                first=1,
            )
        )
    blocks.append(
        Table(
            "position",
            "The same verdict in both orders",
            ("criterion", "dimension", "judge", "run in the other order", "same verdict"),
            tuple(same),
        )
    )
    columns = ("criterion", "dimension", "judge", "value given", "original order", "swapped", "difference")
    blocks.append(
        Table(
            "position_shift",
            "What the order changes",
            columns,
            tuple(moved),
            unit="shares of units on which both runs gave a verdict (for numbers: means); verdicts are mapped back "
            "to the "
            "original order, so a judge without a position bias has differences around 0",
        )
    )
    return blocks


def drift(study: Study) -> Section:
    """Section 9: earlier versions of a judge on the same units."""
    title = "Has the judge changed?"
    if not study.runs.earlier:
        return nothing(
            9,
            "drift",
            title,
            "No earlier version was named. When the judge's model or prompt changes, run both versions on the same "
            "units "
            "and name the old one with --earlier.",
        )
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    told: list[str] = []
    for part in study.slices:
        for judge, others in study.runs.earlier.items():
            for other in others:
                if judge not in part.judges or other not in part.table.raters:
                    continue
                equal = Figure.of(percent_agreement(part.table.of(judge, other)), share=True)
                gain = matches(part, judge) - matches(part, other)
                found = Figure.of(_mean(part, gain), share=True)
                label = f"{judge} against {other}"
                rows.append((*part.where, label, "Share of units with the same rating", equal))
                rows.append((*part.where, label, "Change of the share of people's ratings that it meets", found))
                if part.numeric:
                    shift = Figure.of(_mean(part, part.numbers(judge) - part.numbers(other)))
                    rows.append((*part.where, label, "Change of the mean rating", shift))
                lines.append((f"{label} · {part.name}", (mark("change", found),)))
                if part.dimension is None:
                    told.append(f"{label}, {part.criterion}: {said(found)}")
    if not rows:
        return nothing(9, "drift", title, "The versions share no unit.")
    lead = f"Change in how often the judge says what people say, since the earlier version: {some(told)}."
    blocks: tuple[Block, ...] = (
        Dots(
            "drift",
            "Change since the earlier version",
            "change of the share of people's ratings met",
            tuple(lines),
            True,
        ),
        Table(
            "drift", "Versions of the judge", ("criterion", "dimension", "versions", "statistic", "value"), tuple(rows)
        ),
    )
    return Section(9, "drift", title, lead, blocks)


def matches(part: Slice, rater: str) -> Floats:
    """(units,) the share of the people's ratings that a machine gives, too; nan where one of both is missing."""
    mine = part.column(rater)
    rated = part.human_codes != MISSING
    equal = (part.human_codes == mine[:, None]) & rated
    n = rated.sum(axis=1)
    known = (n > 0) & (mine != MISSING)
    found: Floats = np.where(known, equal.sum(axis=1) / np.maximum(n, 1), np.nan)
    return found


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
    found = []
    for code, label in enumerate(part.categories):
        a, b = (np.where(both, given == code, np.nan) for given in (one, two))
        found.append((label, Figure.of(_mean(part, a - b)), float(a[both].mean()), float(b[both].mean())))
    return found


def runs_of(runs: Mapping[str, Sequence[str]]) -> str:
    """Runs in words."""
    return "; ".join(f"{judge}: {listed(list(others))}" for judge, others in runs.items())
