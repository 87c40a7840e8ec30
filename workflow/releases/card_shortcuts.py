"""What a data card says of shortcuts that were looked for before the release: what each came to, and what it might."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reports.content import Block, Cell, Figure, Table, Text
from workflow.releases.shortcut_gate import NONE, UNKNOWN, Gate

_BOUNDS = {
    "value": "The share itself must not be more.",
    "low": "The lower end of its interval must not be more.",
    "high": "The upper end of its interval must not be more.",
}


def blocks(told: Mapping[str, Any]) -> Iterator[Block]:
    """The lines of the schema's limits, as the manifest has them (``shortcuts``)."""
    gate, private = Gate.from_json(told), told.get("figures") == "private"
    if private and gate.outcome == UNKNOWN:
        yield Text("The limits of the schema cannot be computed.", "missing")
    elif gate.outcome in (UNKNOWN, NONE):
        yield Text(f"The limits of the schema: {gate.said}.", "missing")
    if not gate.limits:
        return
    heads = ("Rule", *(() if private else ("Right",)), "At most", "How it stands")
    rows: list[tuple[Cell, ...]] = []
    for each in gate.limits:
        figure = Figure(each.value, each.low, each.high, "", each.n, share=True)
        rows.append((each.title, *(() if private else (figure,)), f"{100 * each.at_most:.1f} %", each.outcome))
    yield Table(
        "shortcut_limits",
        f"Looked for before the release, in {gate.items:,} items",
        heads,
        tuple(rows),
        note=f"{_BOUNDS[gate.bound]} A blind draw is right in {100 * (gate.chance or 0):.1f} %.",
    )
    if private:
        yield Text("The figures are in the private part, as they would tell of answers that are private.", "note")
        return
    how = (
        "stand out from what keys drawn anew come to"
        if gate.score is None
        else f"have a right option that the classifier takes to be likelier than {100 * gate.score:g} %"
    )
    yield Text(f"{gate.flagged:,} of {gate.items:,} items {how}: their text may give the answer away.")
