"""What a release says about itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

NAME = "manifest.json"
MADE_BY = "touchstone release"


def manifest(about: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """The manifest of these files: what the caller says about them, and the SHA-256 of each. Same input, same bytes."""
    sums = [
        {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for path, data in sorted(files.items())
    ]
    content = {"made_by": MADE_BY, **about, "files": sums}
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def is_manifest(data: bytes) -> bool:
    """Whether a file is a manifest of ours."""
    try:
        content = json.loads(data)
    except ValueError:
        return False
    return isinstance(content, dict) and content.get("made_by") == MADE_BY
