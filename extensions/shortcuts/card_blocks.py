"""What the data card says of the two release checks: how often each rule and model is right, and the limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.english import with_noun
from extensions.shortcuts.model_check import ModelResult
from extensions.shortcuts.text_check import NONE, UNKNOWN, TextResult
from reports.content import Block, Cell, Figure, Paragraph, ReportTable

_BOUNDS = {
    "value": "The share itself must not exceed the limit.",
    "low": "The lower end of the share's interval must not exceed the limit.",
    "high": "The upper end of the share's interval must not exceed the limit.",
}


def model_blocks(told: Mapping[str, Any]) -> Iterator[Block]:
    """Yield what models got right without images, from the manifest's entry."""
    gate = ModelResult.from_json(told)
    by = "one model" if gate.wanted_models == 1 else f"{gate.wanted_models} models"
    limit = (
        f"Without images, {by} may get at most {100 * gate.at_most:.1f} % of the items right in every order of "
        f"options (number of orders: at least {gate.orders})"
    )
    if told.get("figures") == "private":
        named = f" Asked: {', '.join(model.model for model in gate.models)}." if gate.models else ""
        yield Paragraph(f"{limit}: {gate.outcome}.{named} The figures are in the private part.", "note")
        return
    yield Paragraph(
        f"{limit}. {gate.said[:1].upper()}{gate.said[1:]}.", "missing" if gate.outcome in (UNKNOWN, NONE) else "plain"
    )
    if not gate.models:
        return
    rows: list[tuple[Cell, ...]] = []
    for model in gate.models:
        figure = Figure(model.value, model.low, model.high, "", model.n, share=True)
        chance = "-" if model.chance is None else f"{100 * model.chance:.1f} %"
        rows.append((model.model, model.items, model.orders, figure, chance))
    heads = ("Model", "Items", "Orders", "Right in all orders", "By chance")
    yield ReportTable("shortcut_models", "Models tested without images before the release", heads, tuple(rows))


def text_blocks(told: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the limits for rules and the classifier, from the manifest's entry."""
    gate, private = TextResult.from_json(told), told.get("figures") == "private"
    if private and gate.outcome == UNKNOWN:
        yield Paragraph("Touchstone cannot check the limits of the schema.", "missing")
    elif gate.outcome in (UNKNOWN, NONE):
        yield Paragraph(f"The limits of the schema: {gate.said}.", "missing")
    if not gate.limits:
        return
    heads = ("Rule", *(() if private else ("Right",)), "At most", "How it stands")
    rows: list[tuple[Cell, ...]] = []
    for limit in gate.limits:
        figure = Figure(limit.value, limit.low, limit.high, "", limit.n, share=True)
        rows.append((limit.title, *(() if private else (figure,)), f"{100 * limit.at_most:.1f} %", limit.outcome))
    yield ReportTable(
        "shortcut_limits",
        f"Shortcuts checked before the release, in {with_noun(gate.items, 'item')}",
        heads,
        tuple(rows),
        note=f"{_BOUNDS[gate.bound]} A random choice is right in {100 * (gate.chance or 0):.1f} % of the items.",
    )
    if private:
        yield Paragraph("The figures are in the private part because they would reveal private answers.", "note")
        return
    how = (
        "a key that stands out among randomly drawn keys"
        if gate.score is None
        else f"a right option that the classifier rates above {100 * gate.score:g} %"
    )
    yield Paragraph(
        f"Items with {how}: {gate.flagged:,} of {gate.items:,}. The text of these items may reveal the answer."
    )
