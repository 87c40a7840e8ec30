"""Section 12, if it was asked for: the same numbers by other packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from agreement.alpha import krippendorff_alpha
from agreement.bootstrap import Bootstrap
from agreement.chance import percent_agreement
from agreement.cross_check import TOLERANCE, Peer, peers_of
from agreement.kappa import cohen_kappa
from agreement.ratings import LEVELS, Ratings
from agreement.statistic import Statistic
from reports.content import Block, Cell, Section, Table, Text
from reports.people import main_weights
from reports.study import Slice, Study
from reports.words import count

_NO_LIMITS = Bootstrap(draws=0)


def cross_check(study: Study) -> Section:
    """Our values compared with what scikit-learn and krippendorff give, and the reason wherever they differ."""
    rows: list[tuple[Cell, ...]] = []
    differing: dict[str, list[str]] = {}
    missing: dict[str, None] = {}
    for part in study.slices:
        for title, value, peer in _checked(part):
            if peer.value is None and not peer.differs and peer.reason and "not installed" in peer.reason:
                missing[peer.reason] = None
                continue
            words = peer.reason or ""
            if peer.differs:
                differing.setdefault(words, []).append(f"{part.name}, {title}")
            state = "differs" if peer.differs else "no value" if peer.value is None else "same"
            rows.append((*part.where, title, _digits(value), peer.package, _digits(peer.value), state, words))
    found = sum(map(len, differing.values()))
    lead = (
        f"{count(len(rows), 'number was', 'numbers were')} asked of other packages; "
        f"{found or 'none'} of them differ by more than {TOLERANCE:g} from ours."
    )
    blocks: list[Block] = [Text(f"{', '.join(where)}: {reason}", "warning") for reason, where in differing.items()]
    blocks += [Text(reason, "missing") for reason in missing]
    blocks.append(
        Table(
            "cross_check",
            "Ours and theirs",
            ("criterion", "dimension", "statistic", "ours", "package", "theirs", "outcome", "why"),
            tuple(rows),
            unit="twelve digits; the same ratings were handed to each package",
        )
    )
    return Section(12, "cross_check", "The same numbers by other packages", lead, tuple(blocks))


def _checked(part: Slice) -> Iterator[tuple[str, float | None, Peer]]:
    weights, level = main_weights(part), part.table.scale.level
    if len(part.humans) > 1:
        for each in LEVELS:
            if LEVELS.index(each) <= LEVELS.index(level):
                alpha = krippendorff_alpha(part.people, level=each, bootstrap=_NO_LIMITS)
                title = f"Krippendorff's alpha ({each}) of the people"
                yield from _of_peers(title, "krippendorff_alpha", {"level": each}, part.people, alpha)
    pairs = [*combinations(part.humans, 2), *((human, judge) for judge in part.judges for human in part.humans)]
    for one, other in pairs:
        pair, names = part.table.of(one, other), f"{one} and {other}"
        yield from _of_peers(f"equal: {names}", "percent_agreement", {}, pair, percent_agreement(pair))
        for kind in dict.fromkeys(("none", weights)):
            kappa = cohen_kappa(pair, weights=kind)
            title = f"Cohen's kappa{'' if kind == 'none' else f' ({kind} weights)'}: {names}"
            yield from _of_peers(title, "cohen_kappa", {"weights": kind}, pair, kappa)


def _of_peers(
    title: str, statistic: str, args: Mapping[str, Any], ratings: Ratings, ours: Statistic
) -> Iterator[tuple[str, float | None, Peer]]:
    value = ours.value if ours.defined else None
    for peer in peers_of(statistic, args, ratings, value):
        yield title, value, peer


def _digits(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.12f}"
