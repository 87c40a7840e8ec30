"""Manifests of what Touchstone has written: how one is known, and what it says of a part of a project."""

from __future__ import annotations

import json
from typing import Any

NAME = "manifest.json"
MADE_BY = "touchstone release"


def read(data: bytes) -> dict[str, Any] | None:
    """A manifest of ours; None: it is something else."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and content.get("made_by") == MADE_BY else None


def is_manifest(data: bytes) -> bool:
    """Whether a file is a manifest of ours."""
    return read(data) is not None


def restricted(data: bytes) -> str | None:
    """What a manifest of ours says of it if it is about chosen items of a project; None: it is about all."""
    part = (read(data) or {}).get("restricted")
    return str(part.get("says")) if isinstance(part, dict) else None
