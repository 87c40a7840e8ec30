"""Run records: every attempt of a model's run and every reply of a judge's run, one by one and as files.

``attempts`` is the part *Answers* of a run on the page *Models*, and ``replies`` the part *Replies* of a run on the
page *Judges*. Core keeps what was asked and answered, and shows the newest of it, also without this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.extensions import Extension


def _run_sections() -> Sequence[Any]:
    from extensions.run_records import attempts, replies

    return (("models", attempts.SECTION), ("judges", replies.SECTION))


EXTENSION = Extension(name="run_records", title="Run records", run_sections=_run_sections)
