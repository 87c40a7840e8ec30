"""The drafting report in words and numbers, for the command and the page *Model drafts*."""

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
    "not shown": "The data do not show whether proposals change how often items are kept.",
    "unknown": "There is not enough data to tell whether proposals change how often items are kept.",
}


def sentence(found: DraftingReport) -> str:
    """Return the conclusion about the outcome that a study is planned for."""
    kept = next((comparison for comparison in found.compared if comparison.outcome.name == "kept"), None)
    text = _KEPT[kept.claim if kept is not None else "unknown"]
    if found.needed is not None:
        text += (
            f" With {found.needed:,} verdicts in each arm, four of five studies would detect a difference of ten "
            "points."
        )
    return f"{text} By chance alone, about 1 in 20 of the other outcomes shows a difference."


def limits(each: OutcomeComparison) -> str:
    """Return the limits of a difference, or why it has none."""
    of, difference = each.outcome, each.difference
    if math.isnan(difference.low):
        return difference.reason or ""
    low, high = (number(value, share=of.share, signed=True) for value in (difference.low, difference.high))
    return f"{low} to {high}"


def number(value: float, *, share: bool, signed: bool = False) -> str:
    """Return a mean or a difference as text.

    >>> number(0.5, share=True), number(-0.05, share=True, signed=True), number(12.0, share=False)
    ('50.0 %', '-5.0 %', '12.0')
    """
    if math.isnan(value):
        return "-"
    sign = "+" if signed else ""
    return f"{100 * value:{sign}.1f} %" if share else f"{value:{sign}.1f}"


def chance(each: OutcomeComparison) -> str:
    """Return the p-value of the randomization test as text."""
    return "-" if math.isnan(each.by_chance) else "< 0.001" if each.by_chance < 0.001 else f"{each.by_chance:.3f}"


def edited(each: FieldEdits, arm: Arm) -> str:
    """Return the changes of a field from the proposal and the seconds, as text."""
    return "; ".join(cells(each, arm))


def cells(each: FieldEdits, arm: Arm) -> tuple[str, str, str]:
    """Return the same values one by one."""
    return percent(each.changed[arm]), percent(each.untouched[arm]), number(each.seconds[arm], share=False)


def percent(value: float) -> str:
    """Return a fraction in whole percent."""
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"


def as_json(found: DraftingReport, *, indent: int | None = None) -> str:
    """Return the report as JSON; nan becomes null."""
    compared = [
        {
            "outcome": comparison.outcome.name,
            "meaning": comparison.outcome.meaning,
            "means": comparison.means,
            "n": comparison.n,
            "difference": {
                name: getattr(comparison.difference, name)
                for name in ("value", "low", "high", "se", "method", "reason")
            },
            "by_chance": comparison.by_chance,
            "claim": comparison.claim,
        }
        for comparison in found.compared
    ]
    plain = {name: getattr(found, name) for name in ("models", "assigned", "begun", "written", "n_sources", "needed")}
    edited_ = [asdict(edits) for edits in found.edited]
    values = _plain({**plain, "refusal": found.refusal, "compared": compared, "edited": edited_})
    return json.dumps(values, allow_nan=False, indent=indent)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return None if isinstance(value, float) and math.isnan(value) else value
