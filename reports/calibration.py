"""The calibration report: how far judges can stand in for people, section by section.

Sections say in their first sentence what they found. What cannot be computed says why, and what would be needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations

import numpy as np

from agreement.alpha import krippendorff_alpha
from agreement.chance import fleiss_kappa, percent_agreement
from agreement.correlation import pearson
from agreement.icc import icc
from agreement.kappa import cohen_kappa, light_kappa
from agreement.ratings import MISSING, Ratings
from agreement.statistic import Statistic
from agreement.weights import Named
from reports.content import (
    Bars,
    Behind,
    Block,
    Cell,
    Dots,
    Figure,
    Heat,
    Mark,
    Report,
    Section,
    Source,
    Table,
    Text,
)
from reports.study import Slice, Study

MOST_SHOWN = 12
"""Categories beyond which a confusion matrix is a table only."""


def calibration(study: Study, source: Source) -> Report:
    """The whole report."""
    sections = [
        _design(study),
        _reliability(study),
        _against_people(study),
        _confusion(study),
    ]
    people, judges = _listed(study.humans), _listed(study.judges)
    return Report(
        title=f"Calibration of {judges}",
        subtitle=f"measured against {_count(len(study.humans), 'person', 'people')}: {people}",
        source=source,
        humans=study.humans,
        judges=study.judges,
        sections=tuple(sections),
        made_with=f"Made with Touchstone {_version()}",
        settings={
            "criteria": study.criteria,
            "scales": {name: (scale.level, scale.categories) for name, scale in study.scales.items()},
            "unparsed": sorted(study.unparsed),
        },
    )


def main_statistic(part: Slice) -> tuple[str, Callable[[Ratings], Statistic]]:
    """The coefficient that all comparisons of a criterion use, and its name: Krippendorff's alpha on its scale."""
    level = part.table.scale.level
    return f"Krippendorff's alpha ({level})", lambda ratings: krippendorff_alpha(ratings, level=level)


def main_weights(part: Slice) -> Named:
    """The weights of a kappa that fit the scale."""
    return "none" if part.table.scale.level == "nominal" else "quadratic"


# ---- 1 design -------------------------------------------------------------------------------------------------------


def _design(study: Study) -> Section:
    first = study.slices[0]
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        rated = part.table.rated
        for name in (*part.humans, *part.judges):
            column = part.column(name) != MISSING
            by_people = (part.human_codes != MISSING).any(axis=1)
            rows.append(
                (
                    *part.where,
                    name,
                    "judge" if name in part.judges else "person",
                    int(column.sum()),
                    int((column & by_people).sum()) if name in part.judges else None,
                    int((~column).sum()),
                    part.failed.get(name, 0) if name in part.judges else None,
                )
            )
        del rated
    columns = ("criterion", "dimension", "rater", "is a", "rated", "of these also by people", "not rated", "unreadable")
    blocks: list[Block] = [
        Table(
            "design",
            "Who rated how much",
            columns,
            tuple(rows),
            unit="counts of units; a unit is one thing that is rated",
            note="Unreadable: replies of a judge without a readable rating. They are counted, and left out below.",
        )
    ]
    scales = {part.criterion: part for part in study.slices if part.dimension is None}
    for name, part in scales.items():
        told = ", ".join(part.categories) if len(part.categories) <= MOST_SHOWN else f"{len(part.categories)} values"
        assumed = " This was assumed, as nobody declared it." if part.table.scale.inferred else ""
        blocks.append(Text(f"{name}: {part.table.scale.level} scale ({told}).{assumed}", "note"))
    if study.left_aside:
        told = ", ".join(f"{name} ({count:,} ratings)" for name, count in sorted(study.left_aside.items()))
        blocks.append(Text(f"Neither named as a person nor as a judge, and so left aside: {told}.", "warning"))
    failed = sum(sum(part.failed.values()) for part in study.slices if part.dimension is None)
    blocks.append(
        Text(
            "If the judge's prompt was tuned on any of these units, everything below looks better than it is. "
            "The ratings do not say so; make sure that the units are held out.",
            "note",
        )
    )
    lead = (
        f"{_count(len(study.humans), 'person', 'people')} and {_count(len(study.judges), 'judge', 'judges')} rated "
        f"{len(first.table.units):,} units; people and judges are never counted together."
    )
    if failed:
        lead += f" {failed:,} replies of judges could not be read."
    return Section(1, "design", "Who rated what", lead, tuple(blocks))


# ---- 2 people -------------------------------------------------------------------------------------------------------


def _reliability(study: Study) -> Section:
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    pairs: list[tuple[Cell, ...]] = []
    behind: list[Behind] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    leads: list[str] = []
    if len(study.humans) < 2:
        reason = "Only one person was named, so nobody knows how far people agree; at least two are needed."
        return Section(2, "people", "How far people agree with each other", reason, (Text(reason, "missing"),))
    for part in study.slices:
        name, statistic = main_statistic(part)
        if len(part.humans) < 2:
            rows.append((*part.where, name, Figure.without("Only one person rated this.")))
            continue
        people = part.people
        found = Figure.of(statistic(people))
        lines.append((part.name, (_mark("people among themselves", found),)))
        if part.dimension is None:
            leads.append(f"{part.criterion}: {_said(found)} on {found.n_units:,} units")
        for title, of in _reliability_statistics(part):
            rows.append((*part.where, title, Figure.of(of(people), share=title == "Percent agreement")))
        for one, other in combinations(part.humans, 2):
            pair = people.of(one, other)
            behind.append(Behind(part.dimension, (one, other)))
            pairs.append(
                (
                    *part.where,
                    f"{one} and {other}",
                    Figure.of(percent_agreement(pair), share=True),
                    Figure.of(cohen_kappa(pair, weights=main_weights(part))),
                    Figure.of(statistic(pair)),
                )
            )
    statistic_name = "Krippendorff's alpha"
    lead = (
        f"This is the ceiling: no judge can be expected to agree with people more than people agree with each other. "
        f"{statistic_name} of the people, 1 is perfect and 0 is chance: {'; '.join(leads)}."
    )
    if len(lines) > 1:
        blocks.append(
            Dots("people", "Agreement of the people, by dimension", statistic_name, tuple(lines), within=(0, 1))
        )
    columns = ("criterion", "dimension", "statistic", "value")
    blocks.append(
        Table(
            "people",
            "Agreement among people",
            columns,
            tuple(rows),
            unit="agreement; 1 is perfect, 0 is what chance would give (percent agreement: share of equal pairs)",
        )
    )
    weights = main_weights(study.slices[0])
    kappa = "Cohen's kappa" if weights == "none" else f"Cohen's kappa ({weights} weights)"
    blocks.append(
        Table(
            "people_pairs",
            "Each pair of people",
            ("criterion", "dimension", "pair", "equal", kappa, statistic_name),
            tuple(pairs),
            unit="each value with its 95 % interval and the units it rests on",
            behind=tuple(behind),
        )
    )
    blocks += _raters(study)
    return Section(2, "people", "How far people agree with each other", lead, tuple(blocks))


def _reliability_statistics(part: Slice) -> Iterator[tuple[str, Callable[[Ratings], Statistic]]]:
    level = part.table.scale.level
    yield "Percent agreement", percent_agreement
    weights = main_weights(part)
    suffix = "" if weights == "none" else f", {weights} weights"
    if len(part.humans) == 2:
        yield f"Cohen's kappa{suffix}", lambda ratings: cohen_kappa(ratings, weights=weights)
    else:
        yield f"Mean of Cohen's kappa over pairs (Light){suffix}", lambda ratings: light_kappa(ratings, weights=weights)
    yield "Fleiss' kappa", fleiss_kappa
    yield f"Krippendorff's alpha ({level})", lambda ratings: krippendorff_alpha(ratings, level=level)
    if part.numeric:
        yield "ICC(1,1)", icc


def _raters(study: Study) -> Iterator[Block]:
    """Who is lenient: the mean and the use of categories of each rater."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        for name in (*part.humans, *part.judges):
            codes = part.column(name)
            codes = codes[codes != MISSING]
            mean = (
                float(part.numbers(name)[part.column(name) != MISSING].mean())
                if part.table.numeric and len(codes)
                else None
            )
            shares = ""
            if len(part.categories) <= MOST_SHOWN and len(codes):
                counts = np.bincount(codes, minlength=len(part.categories))
                shares = ", ".join(
                    f"{label} {count / len(codes):.0%}" for label, count in zip(part.categories, counts, strict=True)
                )
            kind = "judge" if name in part.judges else "person"
            rows.append((*part.where, name, kind, len(codes), mean if part.numeric else None, shares or None))
    yield Table(
        "raters",
        "How each rater used the scale",
        ("criterion", "dimension", "rater", "is a", "units", "mean", "shares of the values"),
        tuple(rows),
        unit="over all units that the rater rated, which need not be the same ones",
    )


# ---- 3 judge against people -----------------------------------------------------------------------------------------


def _against_people(study: Study) -> Section:
    behind: list[Behind] = []
    rows: list[tuple[Cell, ...]] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    for part in study.slices:
        _, statistic = main_statistic(part)
        marks: list[Mark] = []
        if len(part.humans) > 1:
            ceiling = Figure.of(statistic(part.people))
            marks.append(_mark("people among themselves", ceiling))
        for judge in part.judges:
            found = [(human, part.table.of(human, judge)) for human in part.humans]
            for human, pair in found:
                weights = main_weights(part)
                behind.append(Behind(part.dimension, (human, judge)))
                rows.append(
                    (
                        *part.where,
                        judge,
                        human,
                        Figure.of(percent_agreement(pair), share=True),
                        Figure.of(cohen_kappa(pair, weights=weights)),
                        Figure.of(statistic(pair)),
                        Figure.of(pearson(pair)),
                    )
                )
        lines.append((part.name, tuple(marks)))
    columns = (
        "criterion",
        "dimension",
        "judge",
        "person",
        "equal",
        "Cohen's kappa",
        "Krippendorff's alpha",
        "Pearson's r",
    )
    blocks: list[Block] = [
        Table(
            "judge_pairs",
            "Each judge with each person",
            columns,
            tuple(rows),
            unit="each value with its 95 % interval",
            behind=tuple(behind),
        )
    ]
    lead = "How far each judge agrees with each person, beside how far people agree with each other."
    return Section(3, "judges", "Judge against people", lead, tuple(blocks))


# ---- 5 confusion ----------------------------------------------------------------------------------------------------


def _confusion(study: Study) -> Section:
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    bars: list[Bars] = []
    for part in study.slices:
        if part.dimension is not None or not 1 < len(part.categories) <= MOST_SHOWN:
            continue
        for judge in part.judges:
            given = part.column(judge)
            both = (given != MISSING) & (part.majority != MISSING)
            q = len(part.categories)
            counts = np.bincount(part.majority[both] * q + given[both], minlength=q * q).reshape(q, q)
            table = tuple(tuple(int(each) for each in row) for row in counts)
            key = f"confusion_{len(blocks) + 1}"
            blocks.append(
                Heat(
                    key,
                    f"{judge}, {part.criterion}: where it lands when most people say …",
                    "most people",
                    judge,
                    part.categories,
                    part.categories,
                    table,
                )
            )
            for at, row in enumerate(table):
                for to, count in enumerate(row):
                    rows.append((*part.where, judge, part.categories[at], part.categories[to], count))
        shares = []
        for name in (*part.humans, *part.judges):
            codes = part.column(name)
            codes = codes[codes != MISSING]
            counted = np.bincount(codes, minlength=len(part.categories)) / max(len(codes), 1)
            shares.append((name, tuple(float(each) for each in counted)))
        bars.append(
            Bars(
                f"shares_{len(bars) + 1}",
                f"{part.criterion}: how often each value is given",
                "share of the rater's ratings",
                part.categories,
                tuple(shares),
            )
        )
    if not blocks:
        reason = "There are too many different values for a table; bin them, or declare a scale with few values."
        return Section(5, "confusion", "Where they differ", reason, (Text(reason, "missing"),))
    blocks += bars
    columns = ("criterion", "dimension", "judge", "most people", "judge says", "units")
    blocks.append(Table("confusion", "The same as numbers", columns, tuple(rows), unit="counts of units"))
    lead = "Each row holds the units of which most people said the same; the diagonal is where the judge says it, too."
    return Section(5, "confusion", "Where they differ", lead, tuple(blocks))


# ---- words ----------------------------------------------------------------------------------------------------------


def _mark(series: str, found: Figure) -> Mark:
    return Mark(series, found.value, found.low, found.high)


def _said(found: Figure) -> str:
    """A figure in a sentence."""
    if found.value is None:
        return f"undefined ({found.reason})"
    limits = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{found.value:.2f}{limits}".replace("-", "\N{MINUS SIGN}")


def _count(number: int, one: str, many: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    spelled = words[number] if number < len(words) else f"{number:,}"
    return f"{spelled} {one if number == 1 else many}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _version() -> str:
    try:
        return version("touchstone")
    except PackageNotFoundError:  # pragma: no cover - run from a folder that was not installed
        return ""


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
