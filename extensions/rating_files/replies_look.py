"""A preview of an import of judges' replies. Nothing is stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from annotation_schemas.formats import FORMATS
from db.engine import Store
from domain.judging import JudgePlan
from domain.records import Person
from extensions.rating_files.import_judgements import look_at_judgements
from importers.items import refusal
from workflow.files.rows_look import FIRST, RowsLook, losses_told


def look_at_replies(
    store: Store, *, by: Person | None, project: str, path: Path, plan: JudgePlan, format: str
) -> RowsLook:
    """Preview an import of replies by the import's own rules.

    Raises
    ------
    InvalidFileError
        The file cannot be read.
    """
    seen = look_at_judgements(store, by=by, project=project, path=path, plan=plan, format=format)
    notes, warnings = losses_told(seen.losses, new=len(seen.new), repeated=seen.repeated, noun="replies")
    if scored := sum(reply.record.has_score for reply in seen.new):
        same = scored - len(seen.differ)
        notes.append(f"Readings that agree with the scores in the file: {same:,} of {same + len(seen.differ):,}.")
    refused = seen.refused
    if refused is not None and seen.contradict:
        refused = str(refusal(seen.contradict, "Nothing can be imported. Give this judge another name."))
    heads = ("Judge", "Item", "Model", "Reply", "Read as")
    by_judge = Counter(reply.record.judge for reply in seen.new)
    return RowsLook(
        FORMATS[format],
        "reply",
        len(seen.new),
        seen.repeated,
        seen.contradict,
        seen.bad,
        heads,
        seen.told(plan, FIRST),
        by_judge,
        [*notes, *seen.notes, *seen.differ[:FIRST]],
        [*warnings, *seen.warnings],
        refused,
    )
