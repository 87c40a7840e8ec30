"""Each key below ``export: shortcuts`` has an effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from extensions.shortcuts import text_check
from extensions.shortcuts.model_check import compare_with_limit
from extensions.shortcuts.model_replies import WITHOUT, ModelReply
from extensions.shortcuts.model_shortcuts import ModelShortcuts, from_replies
from tests.test_keys import KEYS, Row, Seen, must_change, row, stores, world
from workflow.access.projects import access_to
from workflow.releases.text_rules import Choice

__all__ = ["stores"]


def limited(seen: Seen) -> Any:
    """How shortcuts of three items, whose right option is always the first, stand before a release."""
    there = world(seen)
    with there.store.read() as session:
        access = access_to(session, person=None, project="p")
    if access.schema.export.shortcuts is None:
        return None
    result = text_check.measure(there.store, access)
    return result.outcome, result.said, [each.at_most for each in result.limits]


def asked(seen: Seen) -> ModelShortcuts:
    """One item that one model gets right without images in three orders of its options."""
    limits = seen.schema.export.shortcuts
    assert limits is not None
    replies = [ModelReply("m", WITHOUT, str(at), "i", 1.0, "red") for at in range(3)]
    return from_replies(replies, {"i": Choice(("red", "blue"), 0, id="i")}, limits)


def flagged(seen: Seen) -> Any:
    """Which items are flagged."""
    return [each.item for each in asked(seen).flagged]


def flagged_at_most(seen: Seen) -> Any:
    """How the item stands before a release."""
    return compare_with_limit(seen.schema.export.shortcuts, asked(seen))


ROWS: dict[str, Row] = {
    "Export.shortcuts": row(limited, "export.shortcuts", {}),
    "Shortcuts.above_chance": row(limited, "export.shortcuts.above_chance", 0.5, export__shortcuts={}),
    "Shortcuts.at_most": row(limited, "export.shortcuts.at_most", {"longest": 0.9}, export__shortcuts={}),
    "Shortcuts.bound": row(limited, "export.shortcuts.bound", "high", export__shortcuts={}),
    "Shortcuts.score": row(limited, "export.shortcuts.score", 0.01, export__shortcuts={"flagged": 0.5}),
    "Shortcuts.flagged": row(limited, "export.shortcuts.flagged", 0.5, export__shortcuts={"score": 0.01}),
    "Shortcuts.orders": row(flagged, "export.shortcuts.orders", 4, export__shortcuts={}),
    "Shortcuts.models": row(flagged, "export.shortcuts.models", 2, export__shortcuts={}),
    "Shortcuts.without_images": row(flagged_at_most, "export.shortcuts.without_images", 0.5, export__shortcuts={}),
}


def test_every_key_has_a_row() -> None:
    assert set(ROWS) == {key for key, path in KEYS.items() if f"{path}.".startswith("export.shortcuts.")}


@pytest.mark.thorough
@pytest.mark.parametrize("key", ROWS)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)
