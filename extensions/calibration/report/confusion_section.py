"""Section 5: confusions of a judge with people, and the values that each gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.corrected import clustered_mean
from agreement.ratings import MISSING, Floats
from domain.english import with_noun
from extensions.calibration.report.charts import Bars, Heat, LineChart, Point
from extensions.calibration.report.people import MOST_VALUES
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.classification import classification_rates
from reports.content import Block, Cell, Figure, ReportTable, Section
from reports.words import figure_in_words, first_parts, nothing


def confusion(study: Study) -> Section:
    """Return section 5."""
    title = "Where judge and people differ"
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    rates: list[tuple[Cell, ...]] = []
    bars: list[Block] = []
    clauses: list[str] = []
    for part in study.slices:
        few = 1 < len(part.categories) <= MOST_VALUES
        for judge in part.judges:
            if not few:
                continue
            given, people = part.column(judge), part.majority
            both = (given != MISSING) & (people != MISSING)
            q = len(part.categories)
            counts = np.bincount(people[both] * q + given[both], minlength=q * q).reshape(q, q)
            table = tuple(tuple(int(count) for count in row) for row in counts)
            for at, row in enumerate(table):
                for to, n in enumerate(row):
                    rows.append((*part.where, judge, part.categories[at], part.categories[to], n))
            of_judge = _rates(part, judge)
            rates += of_judge
            if part.dimension is None:
                heading = f"{judge}, {part.criterion}: judge (columns) and majority of people (rows)"
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
                accuracy = of_judge[0][-1] if of_judge else None
                share = f", {figure_in_words(accuracy)}" if isinstance(accuracy, Figure) else ""
                units = with_noun(int(counts.sum()), "unit")
                clauses.append(f"{judge} on {int(np.trace(counts)):,} of {units}{share}")
        if part.dimension is None and (few or part.numeric):
            bars.append(_shares(part, len(bars) + 1))
    blocks += bars
    blocks += _levels(study)
    if rates:
        blocks.append(
            ReportTable(
                "rates",
                "Judge compared with the majority of people",
                ("criterion", "dimension", "judge", "statistic", "value"),
                tuple(rates),
                note="Precision is the share of the judge's ratings with this value that the majority of people "
                "also gave. Recall is the share of people's majorities for this value that the judge also "
                "gave. Both shares exclude units without a majority.",
            )
        )
    if rows:
        columns = ("criterion", "dimension", "judge", "most people", "judge says", "units")
        blocks.append(ReportTable("confusion", "Confusion counts", columns, tuple(rows), unit="counts of units"))
    if not blocks:
        return nothing(
            5,
            "confusion",
            title,
            "There are too many different values for a table. Declare a scale with few values, or group the values.",
        )
    lead = (
        f"Same value as most people: {first_parts(clauses)}."
        if clauses
        else (
            "The scale has too many values for a confusion table. Instead, see the mean human score at "
            "each judge score."
        )
    )
    return Section(5, "confusion", title, lead, tuple(blocks))


def _rates(part: Slice, judge: str) -> list[tuple[Cell, ...]]:
    names: list[str | None] = [*part.categories, None]
    said_ = [names[code] for code in part.column(judge).tolist()]
    people = [names[code] for code in part.majority.tolist()]
    if not any(one is not None and other is not None for one, other in zip(said_, people, strict=True)):
        return []
    rates = classification_rates(people, said_, labels=part.categories, clusters=part.table.clusters)
    rows: list[tuple[Cell, ...]] = [(*part.where, judge, "Accuracy", Figure.of(rates.accuracy, share=True))]
    if part.dimension is None:
        for of_label in rates.classes:
            rows.append(
                (*part.where, judge, f"Precision of {of_label.label}", Figure.of(of_label.precision, share=True))
            )
            rows.append((*part.where, judge, f"Recall of {of_label.label}", Figure.of(of_label.recall, share=True)))
    rows.append((*part.where, judge, "F1, mean over the values", Figure.of(rates.macro_f1, share=True)))
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
        counts = [np.histogram(value[~np.isnan(value)], bins=edges)[0] for value in values]
    shares = tuple(
        (name, tuple(float(share) for share in counted / max(int(counted.sum()), 1)))
        for name, counted in zip(raters, counts, strict=True)
    )
    return Bars(
        f"shares_{number}",
        f"{part.criterion}: use of each value by people and judges",
        "share of the rater's ratings",
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
                figure = Figure.of(
                    clustered_mean(np.where(chosen, part.human_mean, np.nan), clusters=part.table.clusters)
                )
                figure = replace(figure, n_left_out=0)
                rows.append((*part.where, judge, label, figure))
                if figure.value is not None:
                    line.append(Point(at, figure.value, figure.low, figure.high))
            if line:
                lines.append((judge, tuple(line)))
        if lines and part.dimension is None:
            blocks.append(
                LineChart(
                    f"levels_{len(blocks) + 1}",
                    f"{part.criterion}: mean human score at each judge score",
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
                "Mean human score at each judge score",
                ("criterion", "dimension", "judge", "judge's score", "people's mean"),
                tuple(rows),
                unit="points of the scale; on the dashed line, judge and people agree",
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
