"""Answers in the shape that a benchmark's own server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping


def egoplan_submission(labels: Mapping[int, str]) -> bytes:
    """EgoPlan's: an array of ``sample_id`` and ``label`` by rising ids, four spaces deep, without a last line end."""
    rows = [{"sample_id": id, "label": labels[id]} for id in sorted(labels)]
    return json.dumps(rows, indent=4, ensure_ascii=False).encode()
