"""Sections 1 and 2: who rated what, and how well people agree with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from agreement.alpha import krippendorff_alpha
from agreement.chance import fleiss_kappa, gwet_ac, percent_agreement
from agreement.icc import icc
from agreement.kappa import cohen_kappa, light_kappa
from agreement.limits import wilson
from agreement.ratings import MISSING, Ratings
from agreement.statistic import Statistic
from agreement.weights import Named
from domain.english import with_noun
from extensions.calibration.report.losses import loss_blocks, losses_of_study
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.judge_drift import unparsed
from reports.charts import Dots
from reports.content import Block, Cell, Figure, Mark, Paragraph, ReportTable, Section, UnitSelection
from reports.words import capital, count, figure_in_words, first_parts, mark, name_list

MOST_FOR_REML = 5000
"""Number of units beyond which a mixed model takes too long for a report."""
MOST_VALUES = 12
"""Number of values beyond which the values of a scale are not listed one by one."""


def main_statistic(part: Slice) -> tuple[str, Callable[[Ratings], Statistic]]:
    """Return the name and the function of the coefficient for all comparisons of a criterion.

    The coefficient is Krippendorff's alpha on the criterion's scale.
    """
    level = part.table.scale.level
    return f"Krippendorff's alpha ({level})", lambda ratings: krippendorff_alpha(ratings, level=level)


def main_weights(part: Slice) -> Named:
    """Return the weights of kappa that fit the scale."""
    return "none" if part.table.scale.level == "nominal" else "quadratic"


# ---- 1 design -------------------------------------------------------------------------------------------------------


def design(study: Study) -> Section:
    first = study.slices[0]
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
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
                    len(part.failed.get(name, ())) if name in part.judges else None,
                )
            )
    columns = ("criterion", "dimension", "rater", "is a", "rated", "also rated by people", "not rated", "unreadable")
    blocks: list[Block] = [
        ReportTable(
            "design",
            "Units rated by each rater",
            columns,
            tuple(rows),
            unit="counts of units; a unit is one rated item or answer",
            note=(
                "An unreadable reply is a judge's reply in which Touchstone cannot read a rating. All "
                "statistics below exclude these replies."
            ),
        )
    ]
    scales = {part.criterion: part for part in study.slices if part.dimension is None}
    for name, part in scales.items():
        listed = ", ".join(part.categories) if len(part.categories) <= MOST_VALUES else f"{len(part.categories)} values"
        assumed = " Touchstone assumed this scale, because no scale was declared." if part.table.scale.inferred else ""
        blocks.append(Paragraph(f"{name}: {part.table.scale.level} scale ({listed}).{assumed}", "note"))
    if study.left_aside:
        listed = ", ".join(f"{name} ({with_noun(n, 'rating')})" for name, n in sorted(study.left_aside.items()))
        blocks.append(
            Paragraph(f"Excluded raters, because you did not name them as people or judges: {listed}.", "warning")
        )
    if study.one_sided:
        listed = ", ".join(study.one_sided[:20])
        blocks.append(
            Paragraph(
                "No comparison is possible for these criteria and dimensions, because only people or only judges gave "
                f"ratings: {listed}.",
                "warning",
            )
        )
    blocks += replies(study)
    blocks += loss_blocks(losses_of_study(study))
    blocks += _unread(study)
    blocks += judges_are(study)
    blocks.append(
        Paragraph(
            "If the judge's prompt was tuned on these units, all results are too optimistic. Touchstone cannot "
            "check for this problem, so use other units for tuning.",
            "note",
        )
    )
    lead = capital(
        f"{count(len(study.humans), 'person', 'people')} and {count(len(study.judges), 'judge', 'judges')} rated "
        f"{with_noun(len(first.table.units), 'unit')}."
    )
    failed = [
        reply for reply in study.replies if reply.dimension is None and reply.judge in study.judges and reply.failures
    ]
    if failed:
        listed = first_parts([f"{failure.judge}, {failure.criterion}: {failure.words}" for failure in failed])
        lead += f" Some replies have no score: {listed}."
    return Section(1, "design", "Who rated what", lead, tuple(blocks))


def replies(study: Study) -> Iterator[Block]:
    """Yield the outcomes of all requests to judges, and the bounds of their means over the values of lost replies."""
    reasons: list[tuple[Cell, ...]] = []
    rows: list[tuple[Cell, ...]] = []
    bounds: list[tuple[Cell, ...]] = []
    for reply in study.replies:
        where = (reply.criterion, reply.dimension or "all", reply.judge)
        share = reply.scored / reply.asked
        limits = wilson(share, reply.asked)
        rows.append(
            (
                *where,
                reply.asked,
                reply.with_people,
                reply.scored,
                ", ".join(f"{n:,} {why}" for why, n in reply.failures.items()) or None,
                Figure(share, limits.low, limits.high, limits.method, reply.asked, share=True),
            )
        )
        reasons += [(*where, why, n) for why, n in reply.failures.items()]
        for bound in reply.bounds:
            bounds.append(
                (*where, bound.what, f"{reply.scored:,} of {reply.asked:,}", bound.value, bound.lowest, bound.highest)
            )
    columns = ("criterion", "dimension", "judge", "asked", "rated by people", "scored", "not scored", "share scored")
    yield ReportTable(
        "replies",
        "Outcomes of the judges' replies",
        columns,
        tuple(rows),
        unit="counts of units; repeated runs and runs in the other order have their own rows",
        note=("All statistics below use only scored replies. A reply without a score never counts as a low score."),
    )
    yield ReportTable(
        "failures",
        "Reasons for replies without a score",
        ("criterion", "dimension", "judge", "why", "replies"),
        tuple(reasons),
    )
    yield ReportTable(
        "bounds",
        "Bounds of the judges' means with unscored replies",
        ("criterion", "dimension", "judge", "what", "scored", "of those scored", "the rest lowest", "the rest highest"),
        tuple(bounds),
        unit="points of the scale, or shares; includes all units that the judge was asked to rate",
        note="The bounds assume that unscored replies have the lowest or the highest value of the declared scale. "
        "Without a declared scale, the bounds use the given values.",
    )
    for failure in study.scoreless:
        words = (
            f"{failure.judge} has not scored any unit on {failure.criterion}, so the report excludes this judge for "
            f"this criterion: {failure.words}."
        )
        yield Paragraph(words, "warning")
    more = [
        f"{reply.judge} was asked to rate {with_noun(reply.asked, 'unit')} on {reply.criterion}, and people rated "
        f"{reply.with_people:,} of these units"
        for reply in study.replies
        if reply.dimension is None and reply.judge in study.judges and reply.asked > reply.with_people
    ]
    if more:
        rest = "Agreement uses the units that people rated. The judge's means use all units."
        sentence = f"{first_parts(more)}. {rest}"
        yield Paragraph(sentence, "note")


def judges_are(study: Study) -> Iterator[Block]:
    """Yield the identity of each judge: model, template, parser, and the outcomes of its run."""
    rows: list[tuple[Cell, ...]] = [
        (run.judge, what, value) for run in study.judge_runs for what, value in run.told() if value is not None
    ]
    yield ReportTable(
        "judges_are",
        "The judges",
        ("judge", "what", "is"),
        tuple(rows),
        note="The results apply only to these models, templates and parsers.",
    )
    known = {run.judge for run in study.judge_runs}
    unknown = [name for name in study.judges if name not in known and name not in study.metrics]
    if unknown:
        yield Paragraph(
            f"The ratings of {name_list(unknown)} have no stored replies. The model, the prompt and the number of "
            "replies without a score are unknown.",
            "note",
        )


def _unread(study: Study) -> Iterator[Block]:
    """Yield the effect of unreadable replies in the worst and in the best case."""
    rows: list[tuple[Cell, ...]] = []
    for part in study.slices:
        for judge in part.judges:
            if not part.failed.get(judge):
                continue
            given = part.column(judge)
            lost = np.array([unit in part.failed[judge] for unit in part.table.units])
            asked = (part.majority != MISSING) & ((given != MISSING) | lost)
            right = np.where(lost, np.nan, (given == part.majority).astype(float))[asked]
            clusters = None
            if part.table.clusters is not None:
                clusters = [part.table.clusters[at] for at in np.flatnonzero(asked)]
            unread = unparsed(right, clusters=clusters)
            for what, share in (
                ("unreadable replies", unread.share),
                ("readable replies equal to the majority", unread.parsed),
                ("equal to the majority if all unreadable replies were wrong", unread.worst),
                ("equal to the majority if all unreadable replies were right", unread.best),
            ):
                rows.append((*part.where, judge, what, Figure.of(share, share=True)))
    if rows:
        yield ReportTable(
            "unread",
            "Possible effect of unreadable replies",
            ("criterion", "dimension", "judge", "what", "share"),
            tuple(rows),
            unit="shares of the units that have a majority among people",
        )


# ---- 2 people -------------------------------------------------------------------------------------------------------


def reliability(study: Study) -> Section:
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    pairs: list[tuple[Cell, ...]] = []
    behind: list[UnitSelection] = []
    lines: list[tuple[str, tuple[Mark, ...]]] = []
    leads: list[str] = []
    if len(study.humans) < 2:
        reason = "You named only one person. To measure agreement among people, name at least two people."
        return Section(2, "people", "Agreement among people", reason, (Paragraph(reason, "missing"),))
    shown = {"equal": study.shows("percent_agreement"), "kappa": study.shows("cohen_kappa", "light_kappa")}
    for part in study.slices:
        name, statistic = main_statistic(part)
        if len(part.humans) < 2:
            rows.append((*part.where, name, Figure.without("Only one person gave ratings.")))
            continue
        people = part.people
        agreement = Figure.of(statistic(people))
        lines.append((part.name, (mark("people among themselves", agreement),)))
        if part.dimension is None:
            leads.append(f"{part.criterion}: {figure_in_words(agreement)} on {with_noun(agreement.n_units, 'unit')}")
        for names, title, of in _reliability_statistics(part):
            if not study.shows(*names):
                continue
            rows.append((*part.where, title, Figure.of(of(people), share=title == "Percent agreement")))
        for one, other in combinations(part.humans, 2):
            pair = people.of(one, other)
            behind.append(UnitSelection(part.dimension, (one, other), part.criterion))
            pairs.append(
                (
                    *part.where,
                    f"{one} and {other}",
                    *([Figure.of(percent_agreement(pair), share=True)] if shown["equal"] else []),
                    *([Figure.of(cohen_kappa(pair, weights=main_weights(part)))] if shown["kappa"] else []),
                    Figure.of(statistic(pair)),
                )
            )
    statistic_name = "Krippendorff's alpha"
    lead = (
        f"{statistic_name} of people (1 is perfect, 0 is chance): {first_parts(leads)}. Compare a judge with this "
        "agreement. People's ratings contain errors, so even a perfect judge disagrees with some ratings."
    )
    if len(lines) > 1:
        blocks.append(
            Dots("people", "Agreement among people, by dimension", statistic_name, tuple(lines), within=(0, 1))
        )
    columns = ("criterion", "dimension", "statistic", "value")
    blocks.append(
        ReportTable(
            "people",
            "Coefficients of agreement among people",
            columns,
            tuple(rows),
            unit="agreement; 1 is perfect, 0 is chance (percent agreement: share of equal pairs)",
        )
    )
    weights = main_weights(study.slices[0])
    kappa = "Cohen's kappa" if weights == "none" else f"Cohen's kappa ({weights} weights)"
    blocks.append(
        ReportTable(
            "people_pairs",
            "Each pair of people",
            (
                *("criterion", "dimension", "pair"),
                *(["equal"] if shown["equal"] else []),
                *([kappa] if shown["kappa"] else []),
                statistic_name,
            ),
            tuple(pairs),
            unit="each value with its 95 % interval and the number of units",
            behind=tuple(behind),
        )
    )
    blocks += _raters(study)
    return Section(2, "people", "Agreement among people", lead, tuple(blocks))


def _reliability_statistics(part: Slice) -> Iterator[tuple[tuple[str, ...], str, Callable[[Ratings], Statistic]]]:
    """Yield the coefficients of people: names in the registry, title, and function."""
    level = part.table.scale.level
    yield ("percent_agreement",), "Percent agreement", percent_agreement
    weights = main_weights(part)
    suffix = "" if weights == "none" else f", {weights} weights"
    kappa = ("cohen_kappa", "light_kappa")
    if len(part.humans) == 2:
        yield kappa, f"Cohen's kappa{suffix}", lambda ratings: cohen_kappa(ratings, weights=weights)
    else:
        light = f"Mean of Cohen's kappa over pairs (Light){suffix}"
        yield kappa, light, lambda ratings: light_kappa(ratings, weights=weights)
    yield ("fleiss_kappa",), "Fleiss' kappa", fleiss_kappa
    alpha = f"Krippendorff's alpha ({level})"
    yield ("krippendorff_alpha",), alpha, lambda ratings: krippendorff_alpha(ratings, level=level)
    yield (
        ("gwet_ac",),
        "Gwet's AC1" if weights == "none" else f"Gwet's AC2{suffix}",
        lambda ratings: gwet_ac(ratings, weights=weights),
    )
    if part.numeric:
        yield ("icc",), "ICC(1,1), ignoring who rated", lambda ratings: icc(ratings, form="ICC(1,1)")
        yield ("icc",), "ICC(2,1), absolute agreement", lambda ratings: icc(ratings, form="ICC(2,1)")
        yield ("icc",), "ICC(3,1), order only", lambda ratings: icc(ratings, form="ICC(3,1)")
        if not part.people.rated.all() and len(part.table.units) <= MOST_FOR_REML:
            yield (
                ("icc",),
                "ICC(2,1) of all ratings, with missing ratings (REML)",
                lambda ratings: icc(ratings, form="ICC(2,1)", missing="reml"),
            )


def _raters(study: Study) -> Iterator[Block]:
    """Yield the mean and the use of categories of each rater, which show who is lenient."""
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
            if len(part.categories) <= MOST_VALUES and len(codes):
                counts = np.bincount(codes, minlength=len(part.categories))
                shares = ", ".join(
                    f"{label} {count / len(codes):.0%}" for label, count in zip(part.categories, counts, strict=True)
                )
            kind = "judge" if name in part.judges else "person"
            asked = study.reply(part, name)
            rest = next((bound for bound in asked.bounds if bound.what == "mean"), None) if asked else None
            rows.append(
                (
                    *part.where,
                    name,
                    kind,
                    len(codes),
                    asked.asked if asked else None,
                    mean if part.numeric else None,
                    rest.lowest if rest and part.numeric and not rest.sure else None,
                    rest.highest if rest and part.numeric and not rest.sure else None,
                    shares or None,
                )
            )
    yield ReportTable(
        "raters",
        "How each rater used the scale",
        (
            "criterion",
            "dimension",
            "rater",
            "is a",
            "units",
            "asked",
            "mean",
            "lowest possible mean",
            "highest possible mean",
            "shares of the values",
        ),
        tuple(rows),
        unit="all units that the rater rated, which may differ between raters; for the possible means, a judge's "
        "unscored replies get the lowest or the highest value",
    )
