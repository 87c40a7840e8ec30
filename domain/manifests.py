"""Reading the manifests of Touchstone's exports."""

from __future__ import annotations

import json
from typing import Any

NAME = "manifest.json"
MADE_BY = "touchstone release"


def read_manifest(data: bytes) -> dict[str, Any] | None:
    """Return the content of a Touchstone manifest, or None for any other file."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and content.get("made_by") == MADE_BY else None


def is_manifest(data: bytes) -> bool:
    """Whether a file is a Touchstone manifest."""
    return read_manifest(data) is not None


def restricted(data: bytes) -> str | None:
    """Return the manifest's sentence about a restriction to chosen items, or None if it covers the whole project."""
    part = (read_manifest(data) or {}).get("restricted")
    return str(part.get("says")) if isinstance(part, dict) else None
