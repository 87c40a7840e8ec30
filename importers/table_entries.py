"""How the manifest of an archive, or of a bundle of evidence, describes a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

MIB = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class TableEntry:
    """The manifest's entry of a table."""

    name: str
    columns: tuple[str, ...]
    rows: int
    bytes: int
    sha256: str


def is_table_entry(told: dict[str, Any]) -> bool:
    """Return whether a manifest's entry of a table has the required parts and types."""
    columns: Any = told.get("columns")
    numbers = [told.get("rows"), told.get("bytes")]
    return (
        isinstance(columns, list)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
        and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers)
        and _SHA256.fullmatch(str(told.get("sha256"))) is not None
    )
