"""Spans of time in a clip: the kind ``time_span`` of criteria and of fields, and its control on the page.

Core compares spans (``domain.overlap``) and reads them in models' answers (``domain.reading.time_spans``) also without
this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from domain.extensions import Extension


def _kinds() -> Sequence[Any]:
    from extensions.time_spans.kinds import time_span

    return (time_span,)


EXTENSION = Extension(name="time_spans", title="Time spans", kinds=_kinds, web=Path(__file__).parent / "web")
