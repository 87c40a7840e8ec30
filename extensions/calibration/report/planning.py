"""Section 11: how many more grades by people are needed, and for which units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agreement.ratings import MISSING, Floats
from domain.english import with_noun
from domain.errors import RatingsError
from extensions.calibration.report.charts import LineChart, Point
from extensions.calibration.report.judging import MEASURES, ceiling_of, main_measure
from extensions.calibration.report.scores import UnitMeasure, outcomes
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.next_grades import grades_needed, next_units
from reports.content import Block, Cell, Figure, ReportTable, Section
from reports.words import first_parts, nothing

WANTED = (0.1, 0.05, 0.03)
"""Half widths of intervals that a plan aims at."""
MOST_LISTED = 30


def plan(study: Study) -> Section:
    """Return section 11."""
    title = "How many more grades?"
    rows: list[tuple[Cell, ...]] = []
    charts: list[Block] = []
    clauses: list[str] = []
    for part in study.slices:
        if len(part.humans) < 2:
            continue
        lines = []
        for judge in part.judges:
            agreement = Figure.of(ceiling_of(part, judge).judge)
            half = _half(agreement)
            if half is None or agreement.n_units < 2:
                continue
            needed = [math.ceil(agreement.n_units * (half / wanted) ** 2) for wanted in WANTED]
            rows.append((*part.where, judge, MEASURES[main_measure(part)], agreement.n_units, half, *needed))
            steps = sorted(
                {round(agreement.n_units * factor) for factor in (0.1, 0.15, 0.25, 0.4, 0.6, 1, 1.5, 2.5, 4, 6, 10)}
            )
            lines.append(
                (judge, tuple(Point(float(n), half * math.sqrt(agreement.n_units / n)) for n in steps if n >= 10))
            )
            if part.dimension is None:
                clauses.append(
                    f"{judge} on {part.criterion}: agreement ±{half:.3f} on {with_noun(agreement.n_units, 'unit')}; "
                    f"±0.05 needs about {with_noun(needed[1], 'unit')} graded by the same people"
                )
        if lines and part.dimension is None:
            charts.append(
                LineChart(
                    f"plan_{len(charts) + 1}",
                    f"{part.criterion}: width of the interval by number of units",
                    "units that people grade",
                    "half the width of the 95 % interval",
                    tuple(lines),
                    log_x=True,
                )
            )
    if not rows:
        return nothing(
            11,
            "plan",
            title,
            "A plan needs a confidence interval. Let at least two people and a judge rate at least 30 units.",
        )
    halves = tuple(f"units for \N{PLUS-MINUS SIGN}{wanted:g}" for wanted in WANTED)
    columns = ("criterion", "dimension", "judge", "measure", "units now", "half width now", *halves)
    blocks: list[Block] = [
        *charts,
        ReportTable(
            "plan",
            "Units needed for a narrower interval",
            columns,
            tuple(rows),
            note=(
                "The width falls with the square root of the number of units. Draw new units at random. "
                "The units to grade next, listed below, are not a random sample."
            ),
        ),
    ]
    blocks += _grades(study)
    blocks += _next(study)
    return Section(11, "plan", title, first_parts(clauses) + ".", tuple(blocks))


def _half(found: Figure) -> float | None:
    return None if found.low is None or found.high is None else (found.high - found.low) / 2


def _grades(study: Study) -> list[Block]:
    """Return the number of grades for a narrower corrected score, and the units to grade."""
    rows: list[tuple[Cell, ...]] = []
    units: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if part.dimension is not None:
            continue
        for outcome in outcomes(part)[: None if part.numeric else 1]:
            for judge in part.judges:
                scored = outcome.judge(judge)
                graded = ~np.isnan(outcome.people)
                if not (~np.isnan(scored[~graded])).any():
                    continue
                for wanted in WANTED:
                    rows.append(
                        (part.criterion, judge, outcome.name, wanted, *_needed(outcome, scored, graded, wanted))
                    )
                if judge == part.judges[0]:
                    chosen = next_units(scored, outcome.people, MOST_LISTED)
                    names = part.table.units
                    units += [
                        (part.criterion, names[at], float(scored[at]), "informative") for at in chosen.informative
                    ]
                    units += [(part.criterion, names[at], float(scored[at]), "at random") for at in chosen.random]
    columns = ("criterion", "judge", "score", "half width", "units now", "more units", "without the judge", "remark")
    return [
        ReportTable(
            "grades",
            "Grades needed for a narrower corrected score (PPI++)",
            columns,
            tuple(rows),
            note="These numbers are estimates from the graded units. With few graded units, the true numbers may be "
            "several times larger or smaller.",
        ),
        ReportTable(
            "grade_next",
            "Units to grade next",
            ("criterion", "unit", "judge's score", "chosen"),
            tuple(units),
            note=(
                "Informative units narrow the interval most. Use these units for a score that is "
                "corrected separately at each level of the judge. For PPI++, draw units at random."
            ),
        ),
    ]


def _needed(outcome: UnitMeasure, scored: Floats, graded: Any, wanted: float) -> tuple[Cell, ...]:
    try:
        needed = grades_needed(outcome.people[graded], scored[graded], scored[~graded], half_width=wanted)
    except RatingsError as error:
        return int(graded.sum()), None, None, str(error)
    remark = None if needed.reachable else "not reachable, even with grades for all units"
    return needed.n - needed.more, needed.more, needed.n_without_judge, remark


def _next(study: Study) -> list[Block]:
    """Return the units to check: those on which judges contradict each other, or people and judges do."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        if part.dimension is not None:
            continue
        rows += _worth(part)
    if not rows:
        return []
    return [
        ReportTable(
            "next",
            "Units to check",
            ("criterion", "unit", "people", "judges", "why"),
            tuple(rows),
            note=f"At most {MOST_LISTED} units for each criterion, with the least certain units first.",
        )
    ]


def _worth(part: Slice) -> list[tuple[Cell, ...]]:
    judged = np.stack([part.column(name) for name in part.judges], axis=1)
    ranked = []
    for at, unit in enumerate(part.table.units):
        mine = [code for code in part.human_codes[at].tolist() if code != MISSING]
        theirs = [code for code in judged[at].tolist() if code != MISSING]
        if not theirs:
            continue
        if not mine and len(set(theirs)) > 1:
            rank, why = 0, "no person graded the unit, and the judges differ"
        elif len(mine) == 1 and mine[0] not in theirs and len(part.humans) > 1:
            rank, why = 1, "only one person graded the unit, and the judges differ from this person"
        elif len(set(mine)) > 1 and len(mine) > 1 and len(set(mine)) == len(mine):
            rank, why = 2, "no two people agree"
        elif (
            len(mine) > 1 and len(set(mine)) == 1 and len(set(theirs)) == 1 and theirs[0] != mine[0] and len(theirs) > 1
        ):
            rank, why = 3, "people agree on one value, and judges agree on another value"
        else:
            continue
        words = [", ".join(part.categories[code] for code in codes) or "no one" for codes in (mine, theirs)]
        spread = max(mine or theirs) - min(mine or theirs) if part.table.scale.level != "nominal" else 0
        ranked.append((rank, -spread, at, (part.criterion, unit, words[0], words[1], why)))
    return [row for *_, row in sorted(ranked)[:MOST_LISTED]]
