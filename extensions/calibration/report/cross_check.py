"""Report the coefficients of other packages for the same ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from agreement.alpha import krippendorff_alpha
from agreement.bootstrap import Bootstrap
from agreement.chance import percent_agreement
from agreement.cross_check import Peer, peers_of, second_opinion
from agreement.kappa import cohen_kappa
from agreement.ratings import LEVELS, Ratings
from agreement.statistic import Statistic
from extensions.calibration.report.people import main_weights
from extensions.calibration.report.study import Slice, Study
from extensions.calibration.statistics.label_peers import label_peers
from reports.content import Block, Cell, Paragraph, ReportTable, Section

_NO_LIMITS = Bootstrap(draws=0)

Line = tuple[str, float | None, Peer]
"""Name of the coefficient, our value (None: undefined), and the value of the other package."""


def cross_check(study: Study) -> Section:
    """Return the section that compares our coefficients with those of scikit-learn and krippendorff."""
    compared = [(part, *line) for part in study.slices for line in _lines(part)]
    opinion = second_opinion((f"{part.name}, {title}", value, (peer,)) for part, title, value, peer in compared)
    rows: list[tuple[Cell, ...]] = [
        (
            *part.where,
            title,
            _digits(value),
            peer.package,
            _digits(peer.value),
            _outcome(value, peer),
            peer.reason or "",
        )
        for part, title, value, peer in compared
        if peer.value is not None or peer.differs
    ]
    blocks: list[Block] = [Paragraph(difference, "warning") for difference in opinion.differences]
    blocks += [Paragraph(sentence, "missing") for sentence in opinion.not_compared]
    blocks.append(
        ReportTable(
            "cross_check",
            "Touchstone and other packages",
            ("criterion", "dimension", "statistic", "Touchstone", "package", "other package", "outcome", "remark"),
            tuple(rows),
            unit="values with twelve digits, from the same ratings",
        )
    )
    return Section(12, "cross_check", "Comparison with other packages", opinion.sentence, tuple(blocks))


def _lines(part: Slice) -> Iterator[Line]:
    """Compare agreement of the people, and of each judge with each person and with most people."""
    weights, level = main_weights(part), part.table.scale.level
    if len(part.humans) > 1:
        for assumed in LEVELS:
            if LEVELS.index(assumed) <= LEVELS.index(level):
                alpha = krippendorff_alpha(part.people, level=assumed, bootstrap=_NO_LIMITS)
                title = f"Krippendorff's alpha ({assumed}) of the people"
                yield from _of_peers(title, "krippendorff_alpha", {"level": assumed}, part.people, alpha)
    pairs = [*combinations(part.humans, 2), *((human, judge) for judge in part.judges for human in part.humans)]
    for one, other in pairs:
        pair, names = part.table.of(one, other), f"{one} and {other}"
        yield from _of_peers(f"equal: {names}", "percent_agreement", {}, pair, percent_agreement(pair))
        for kind in dict.fromkeys(("none", weights)):
            kappa = cohen_kappa(pair, weights=kind)
            title = f"Cohen's kappa{'' if kind == 'none' else f' ({kind} weights)'}: {names}"
            yield from _of_peers(title, "cohen_kappa", {"weights": kind}, pair, kappa)
    names_of_values = [*part.categories, None]
    for judge in part.judges:
        people = [names_of_values[code] for code in part.majority.tolist()]
        judged = [names_of_values[code] for code in part.column(judge).tolist()]
        if any(one is not None and other is not None for one, other in zip(people, judged, strict=True)):
            for title, (value, peer) in label_peers(people, judged).items():
                yield f"{title}: {judge} and the majority of people", value, peer


def _of_peers(title: str, statistic: str, args: Mapping[str, Any], ratings: Ratings, ours: Statistic) -> Iterator[Line]:
    value = ours.value if ours.defined else None
    for peer in peers_of(statistic, args, ratings, value):
        yield title, value, peer


def _outcome(value: float | None, peer: Peer) -> str:
    if peer.differs:
        return "differs"
    return "same" if value is not None and peer.value is not None else "no value"


def _digits(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.12f}"
