"""The harnesses whose files of answers ``predictions`` recognizes."""

from __future__ import annotations

from collections.abc import Mapping

from annotation_schemas.formats import Takes, reading
from domain.registers import function_of
from importers.answer_files import Harness

HARNESSES: Mapping[str, str] = {
    "egoplan_submission": "importers.egoplan_submission:read",
}
"""The harness of each format as ``module:function``. A format of an extension has its harness in its row."""


def harnesses() -> list[Harness]:
    """Return the harnesses whose files can be read, in the order of their rows."""
    found = (function_of(HARNESSES.get(row.name)) or row.reads for row in reading(Takes.ANSWERS))
    return [each for each in found if isinstance(each, Harness)]
