"""Biases of a judge as sentences of its verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping

from domain.english import with_noun
from extensions.calibration.statistics.ranking_bias import ALPHA, LIMITS, MOST_POINTS, Kind, RankingBias, RankingBiases

LACKS: Mapping[Kind, str] = {
    "family": "family (name the judge's own models)",
    "length": "length (the lengths of the answers are unknown)",
    "position": "position (no run has the answers in the other order)",
    "model": "model (fewer than two models are known)",
    "leniency": "leniency (no unit has scores from the judge and people)",
}
"""The data that a test of each kind of bias needs."""

BLOCKED = "A bias blocks this judge"
QUALIFIED, NOT_YET = "Do not rank models with this judge:", "Do not rank models with this judge yet:"
NOT_SURE = "This judge cannot replace a person yet:"
BIAS_STARTS = (BLOCKED, QUALIFIED, NOT_YET, NOT_SURE)
"""The beginning of a sentence about each kind of bias."""

RULED_OUT = (
    f"A bias of {MOST_POINTS:g} points is ruled out if its {LIMITS * 100:g} % limits exclude "
    f"{MOST_POINTS:g} points in both directions (two one-sided tests)."
)
"""How a bias is ruled out, for the rule."""


def bias_first(biases: RankingBiases) -> tuple[str, ...]:
    """Return the sentences that come first in a verdict: the biases that keep it from being green."""
    gravest, unsure = biases.gravest, biases.widest_open
    sentences = [] if gravest is None else [_shown(gravest, biases)]
    if unsure is not None and (gravest is None or (unsure.bars and not gravest.blocks)):
        sentences.append(_not_ruled_out(unsure, biases))
    return tuple(sentences)


def _shown(found: RankingBias, biases: RankingBiases) -> str:
    """The sentence about a significant bias."""
    p = "p < 0.001" if found.p_corrected < 0.001 else f"p = {found.p_corrected:.3f}"
    shown = f"{_bias(found)} ({p} after correction{_behind(biases)})"
    if not found.blocks:
        return f"{QUALIFIED} {shown}{_reached(found)}."
    changed = ""
    if found.exchanges is not None:
        first, second = found.exchanges
        changed = f"; without this bias, {second} would rank above {first}"
    return f"{BLOCKED} from replacing a person: {shown}{changed}."


def _not_ruled_out(found: RankingBias, biases: RankingBiases) -> str:
    """The sentence about a bias that may be large, and the number of questions that would rule it out."""
    low, high = found.limits
    size = f"{found.points.value:.1f} points, {LIMITS * 100:g} % limits [{low:.1f}, {high:.1f}]{_behind(biases)}"
    room = MOST_POINTS - abs(found.points.value)
    more = ""
    if room > 0.5:
        n, what = (biases.n_units, "answers") if biases.n_clusters is None else (biases.n_clusters, "questions")
        needed = math.ceil(n * (found.half_width / room) ** 2 / 10) * 10
        more = f"; about {needed:,} {what} would rule out {MOST_POINTS:g} points"
    start = NOT_SURE if found.bars else NOT_YET
    return f"{start} a bias of {MOST_POINTS:g} points {_toward(found)} is not ruled out ({size}{more})."


def biases_tested(biases: RankingBiases) -> str:
    """Return the sentence that lists the tested and the untested kinds of bias."""
    kinds = list(dict.fromkeys(bias.kind for bias in biases.tested))
    lacking = [LACKS[kind] for kind in biases.untested]
    not_tested = f" Not tested: {'; '.join(lacking)}." if lacking else ""
    if not kinds:
        return f"No test for bias was possible.{not_tested}"
    shown = sum(bias.is_significant for bias in biases.tested)
    tests = f"{len(biases.tested)} {'test' if len(biases.tested) == 1 else 'tests'}"
    return (
        f"{tests} for bias ({_listed(kinds)}): {shown or 'none'} significant at {ALPHA:g} after correction.{not_tested}"
    )


def _bias(found: RankingBias) -> str:
    size = f"{abs(found.points.value):.1f} points"
    more = found.points.value > 0
    ends = (found.points.low, found.points.high) if more else (-found.points.high, -found.points.low)
    limits = f"[{ends[0]:.1f}, {ends[1]:.1f}]"
    if found.kind == "family":
        return f"it {'favors' if more else 'rates down'} its own family by {size} {limits}"
    if found.kind == "length":
        return f"it gives long answers {size} {'more' if more else 'less'} than short answers {limits}"
    if found.kind == "position":
        return f"its scores move by {size} {limits} when the answers swap places"
    if found.kind == "leniency":
        if found.toward:
            return f"it gives {found.toward} {size} {'more' if more else 'less'} often than people {limits}"
        return f"it rates answers {size} {'higher' if more else 'lower'} than people {limits}"
    return f"it {'favors' if more else 'rates down'} {found.toward} by {size} {limits}"


def _toward(found: RankingBias) -> str:
    return {
        "family": "for or against its own family",
        "length": "for long or short answers",
        "position": "due to the position of an answer",
        "model": f"for or against {found.toward}",
        "leniency": f"for or against {found.toward or 'high scores'}",
    }[found.kind]


def _reached(found: RankingBias) -> str:
    if found.reaches is None:
        return ", and the models of the answers are unknown"
    first, second, between = found.reaches
    return f", and {second} is only {between:.1f} points behind {first}"


def _behind(biases: RankingBiases) -> str:
    if biases.n_clusters is None:
        return f", {with_noun(biases.n_units, 'answer')}"
    return f", {with_noun(biases.n_clusters, 'question')}"


def _listed(names: list[Kind]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
