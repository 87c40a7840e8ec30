"""Biases of a judge as sentences of its verdict."""

from __future__ import annotations

from collections.abc import Mapping

from agreement.ranking_bias import ALPHA, MODEL_LIMITS, MOST_POINTS, Kind, RankingBias, RankingBiases

LACKS: Mapping[Kind, str] = {
    "family": "family (name the models of its own family)",
    "length": "length (no answer has a length)",
    "position": "position (no run with the answers in the other order)",
    "model": "model (fewer than two models are known)",
}
"""The data that a test of each kind of bias needs."""

BLOCKED, QUALIFIED, NOT_YET = "A bias keeps it", "Do not rank models by it:", "Do not rank models by it yet:"
BIAS_STARTS = (BLOCKED, QUALIFIED, NOT_YET)
"""The beginning of a sentence about each kind of bias."""


def bias_first(biases: RankingBiases) -> str | None:
    """Return the sentence that comes first in a verdict: what keeps it from being one without limits; None: nothing."""
    found = biases.gravest
    if found is not None:
        p = "p < 0.001" if found.p_corrected < 0.001 else f"p = {found.p_corrected:.3f}"
        shown = f"{_bias(found)} ({p} after correction{_behind(biases)})"
        if not found.blocks:
            return f"{QUALIFIED} {shown}{_reached(found)}."
        changed = ""
        if found.exchanges is not None:
            first, second = found.exchanges
            changed = f"; without this bias {second} would rank above {first}"
        return f"{BLOCKED} from standing in for a person: {shown}{changed}."
    found = biases.widest_open
    if found is None:
        return None
    low, high = found.limits
    sure = f"{MODEL_LIMITS:.0%}".replace("%", " %") if found.kind == "model" else "95 %"
    size = f"{found.points.value:.1f} points, {sure} limits [{low:.1f}, {high:.1f}]"
    return f"{NOT_YET} a bias of {MOST_POINTS:g} points {_toward(found)} is not ruled out ({size}{_behind(biases)})."


def biases_tested(biases: RankingBiases) -> str:
    """Return the sentence that lists the tested and the untested kinds of bias."""
    kinds = list(dict.fromkeys(each.kind for each in biases.tested))
    lacking = [LACKS[kind] for kind in biases.untested]
    not_tested = f" Not tested: {'; '.join(lacking)}." if lacking else ""
    if not kinds:
        return f"No bias was tested.{not_tested}"
    shown = sum(each.is_significant for each in biases.tested)
    many = f"{shown} of {len(biases.tested)} tests" if shown else f"none of {len(biases.tested)} tests"
    return f"Significant biases by {_listed(kinds)} at {ALPHA:g} after correction: {many}.{not_tested}"


def _bias(found: RankingBias) -> str:
    size = f"{abs(found.points.value):.1f} points"
    more = found.points.value > 0
    ends = (found.points.low, found.points.high) if more else (-found.points.high, -found.points.low)
    limits = f"[{ends[0]:.1f}, {ends[1]:.1f}]"
    if found.kind == "family":
        return f"it {'favors' if more else 'rates down'} its own family by {size} {limits}"
    if found.kind == "length":
        return f"it gives long answers {size} {'more' if more else 'less'} than short ones {limits}"
    if found.kind == "position":
        return f"its scores move by {size} {limits} when the answers change places"
    return f"it {'favors' if more else 'rates down'} {found.toward} by {size} {limits}"


def _toward(found: RankingBias) -> str:
    return {
        "family": "for or against its own family",
        "length": "for long or short answers",
        "position": "by the place of an answer",
        "model": f"for or against {found.toward}",
    }[found.kind]


def _reached(found: RankingBias) -> str:
    if found.reaches is None:
        return ", and which models the answers come from is not known"
    first, second, between = found.reaches
    return f", and {second} is only {between:.1f} points behind {first}"


def _behind(biases: RankingBiases) -> str:
    if biases.n_clusters is None:
        return f", {biases.n_units:,} answers"
    return f", {biases.n_clusters:,} questions"


def _listed(names: list[Kind]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
