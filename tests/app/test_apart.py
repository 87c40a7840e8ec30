"""Work in a process of its own: what a page hears of how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app import apart
from app.apart import Progress
from db.engine import Store


class Steps:
    """Two short steps, and one with many items."""

    def run(self, store: Store, home: Path, progress: Progress) -> str:
        progress("looking", 0, 1)
        progress("choosing", 0, 1)
        for done in range(1_000):
            progress("writing", done, 1_000)
        return "Done."


def test_each_step_is_told_and_of_many_items_each_hundredth(store: Store, home: Path) -> None:
    told: list[Mapping[str, Any]] = []
    apart.carry_out(Steps(), store, home, told.append)
    assert [each["at"] for each in told[:2]] == ["looking", "choosing"]
    assert [each["done"] for each in told[2:-1]] == list(range(0, 1_000, 10)), "each of a hundred parts once"
    assert told[-1] == {"said": "Done."}
