"""The harnesses whose files of answers ``predictions`` recognizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import Takes, reading
from importers import egoplan_submission
from importers.answer_files import Harness

HARNESSES: Mapping[str, Any] = {
    "egoplan_submission": egoplan_submission.read,
}
"""By the format's name. A format of an extension has its harness in its row."""


def harnesses() -> list[Harness]:
    """Return the harnesses whose files can be read, in the order of their rows."""
    found = (HARNESSES.get(row.name, row.reads) for row in reading(Takes.ANSWERS))
    return [each for each in found if isinstance(each, Harness)]
