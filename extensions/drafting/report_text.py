"""What drafting does to items, in words and numbers: as the command prints it and the page *Drafting* shows it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from extensions.drafting.arms import Arm

if TYPE_CHECKING:
    from extensions.drafting.arm_report import DraftingReport, FieldEdits, OutcomeComparison

_KEPT = {
    "higher": "Items are kept more often with proposals than without.",
    "lower": "Items are kept less often with proposals than without.",
    "not shown": "That proposals change how often items are kept is not shown, nor that they do not.",
    "unknown": "Whether proposals change how often items are kept cannot be said.",
}


def sentence(found: DraftingReport) -> str:
    """What may be said of the outcome that a study is planned for."""
    kept = next((each for each in found.compared if each.outcome.name == "kept"), None)
    said = _KEPT[kept.claim if kept is not None else "unknown"]
    if found.needed is not None:
        said += f" A difference of ten points shows in four studies of five with {found.needed:,} verdicts in each arm."
    return f"{said} Of the other lines one in twenty is this far apart by chance."


def limits(each: OutcomeComparison) -> str:
    """The limits of a difference, or why there are none."""
    of, difference = each.outcome, each.difference
    if math.isnan(difference.low):
        return difference.reason or ""
    low, high = (number(value, share=of.share, signed=True) for value in (difference.low, difference.high))
    return f"{low} to {high}"


def number(value: float, *, share: bool, signed: bool = False) -> str:
    """A mean or a difference.

    >>> number(0.5, share=True), number(-0.05, share=True, signed=True), number(12.0, share=False)
    ('50.0 %', '-5.0 %', '12.0')
    """
    if math.isnan(value):
        return "-"
    sign = "+" if signed else ""
    return f"{100 * value:{sign}.1f} %" if share else f"{value:{sign}.1f}"


def chance(each: OutcomeComparison) -> str:
    """How often chance alone has the arms as far apart."""
    return "-" if math.isnan(each.by_chance) else "< 0.001" if each.by_chance < 0.001 else f"{each.by_chance:.3f}"


def edited(each: FieldEdits, arm: Arm) -> str:
    """How far a field is from the proposal (the share of characters, and of fields that are the proposal), and the
    seconds."""
    return "; ".join(cells(each, arm))


def cells(each: FieldEdits, arm: Arm) -> tuple[str, str, str]:
    """The same one by one."""
    return percent(each.changed[arm]), percent(each.untouched[arm]), number(each.seconds[arm], share=False)


def percent(value: float) -> str:
    """A share in whole percents."""
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"


def as_json(found: DraftingReport, *, indent: int | None = None) -> str:
    """All of it for programs: nan is null."""
    compared = [
        {
            "outcome": each.outcome.name,
            "meaning": each.outcome.meaning,
            "means": each.means,
            "n": each.n,
            "difference": {
                name: getattr(each.difference, name) for name in ("value", "low", "high", "se", "method", "reason")
            },
            "by_chance": each.by_chance,
            "claim": each.claim,
        }
        for each in found.compared
    ]
    plain = {name: getattr(found, name) for name in ("models", "assigned", "begun", "written", "n_sources", "needed")}
    edited_ = [asdict(each) for each in found.edited]
    told = _plain({**plain, "refusal": found.refusal, "compared": compared, "edited": edited_})
    return json.dumps(told, allow_nan=False, indent=indent)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
