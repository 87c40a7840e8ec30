"""The manifest next to files that a command made: how they were made, and the SHA-256 of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def manifest_file(facts: Mapping[str, Any], files: Mapping[str, bytes], *, made_by: str) -> bytes:
    """Return the manifest: the command, the facts, and the SHA-256 of the written files."""
    written = [{"path": name, "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())]
    return (json.dumps({"made_by": made_by, **facts, "files": written}, indent=2, ensure_ascii=False) + "\n").encode()
