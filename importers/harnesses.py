"""The harnesses whose files of answers ``predictions`` recognizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.formats import Takes, reading
from importers import answer_map, egoplan_submission, inspect_log, lmms_eval_samples
from importers.answer_files import Harness

HARNESSES: Mapping[str, Any] = {
    "answer_map": answer_map.read,
    "egoplan_submission": egoplan_submission.read,
    "inspect_log": inspect_log.read,
    "lmms_eval_samples": lmms_eval_samples.read,
}
"""By the format's name. A format of an extension has its harness in its row."""


def harnesses() -> list[Harness]:
    """Return the harnesses whose files can be read, in the order of their rows."""
    found = (HARNESSES.get(row.name, row.reads) for row in reading(Takes.ANSWERS))
    return [each for each in found if isinstance(each, Harness)]
