"""The manifest next to exported files of chosen items."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from domain.manifests import MADE_BY

_ROWS = ("items",)
"""Lists that may be long. Each entry is written on its own line."""


def manifest(about: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """Return the manifest of these files: the caller's facts about them, and the SHA-256 of each. Same input, same
    bytes.
    """
    sums = [
        {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for path, data in sorted(files.items())
    ]
    content = {"made_by": MADE_BY, **about, "files": sums}
    parts = [f"  {json.dumps(name)}: {_written(name, value)}" for name, value in content.items()]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _written(name: str, value: Any) -> str:
    if name in _ROWS and value:
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in value)
        return f"[\n    {rows}\n  ]"
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n  ")  # a text has no line break in JSON
