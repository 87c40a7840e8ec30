"""Read the answers in a Label Studio result, and write the result for given answers, for a stage of a schema.

A *result* is the JSON list of an annotation or a prediction there: an object for each answered control (``from_name``,
``to_name``, ``type``, ``value``). Label Studio checks no result against its labeling configuration, so ``read_result``
trusts nothing. Each unreadable part is a problem with a sentence for the rater. ``kinds`` decides whether an answer is
complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Schema
from domain.errors import Problem
from extensions.labelstudio.answers import note_written, read_part, write_part
from extensions.labelstudio.codes import ABOUT, EDITED, NONE, NOTE, OTHER, SKIP
from extensions.labelstudio.page import DECISION, FIELDS, REASON, drawn_on, parts, refusal, require
from extensions.labelstudio.parts import Context, FormPart, Result, SortedResult

__all__ = [
    "ABOUT",
    "NONE",
    "NOTE",
    "OTHER",
    "SKIP",
    "FormPart",
    "ParsedResult",
    "drawn_on",
    "parts",
    "read_result",
    "refusal",
    "require",
    "write_result",
]


@dataclass(frozen=True)
class ParsedResult:
    """The answers in a result, for ``workflow.annotate.submissions``, and the problems."""

    values: dict[str, Any]
    """By criterion; in authoring the item's fields; in adjudication ``decision``, ``cause`` and ``fields``."""
    reasons: dict[str, Any]
    note: str
    problems: tuple[Problem, ...]


def read_result(
    schema: Schema,
    stage: str,
    dimension: str | None,
    result: Sequence[Mapping[str, Any]],
    item_fields: Mapping[str, Any] | None = None,
) -> ParsedResult:
    """Return the answers in a result.

    ``item_fields`` are the fields that the page showed, with the model's answer as ``prediction``. Answers to criteria
    that are not asked after the earlier answers are left out, as on our own pages.
    """
    page = parts(schema, stage, dimension)
    given = SortedResult(
        {name: kind for part in page for name, kind in part.controls().items()} | {NOTE: "textarea"}, page
    )
    given.take(result)
    texts = dict(item_fields or {})
    (note,) = given.words(NOTE, NOTE) or ("",)
    parsed = _read_parts(page, given, texts)
    values, reasons = parsed.values, parsed.reasons
    if stage == "adjudication":
        edited = {name.removeprefix(EDITED): values.pop(name) for name in list(values) if name.startswith(EDITED)}
        if DECISION in values:
            values.setdefault(REASON, None)
        if values.get(DECISION) == "edit":
            values[FIELDS] = edited
    return ParsedResult(values, reasons, note.strip(), tuple(given.problems))


def write_result(
    schema: Schema,
    stage: str,
    dimension: str | None,
    values: Mapping[str, Any],
    reasons: Mapping[str, Any] | None = None,
    note: str = "",
    item_fields: Mapping[str, Any] | None = None,
    *,
    sizes: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> list[Result]:
    """Return the result for these answers. Values that answer nothing in the stage are left out.

    ``sizes`` are width and height of the images by role, for readers that count in pixels.

    Raises
    ------
    NotAvailableError
        Label Studio cannot show one of the criteria.
    """
    given = dict(values)
    if stage == "adjudication":
        given |= {EDITED + name: value for name, value in (given.pop(FIELDS, None) or {}).items()}
    texts = dict(item_fields or {})
    results: list[Result] = []
    for part in parts(schema, stage, dimension):
        if part.name in given:
            context = Context(texts, given, sizes or {})
            results += write_part(part, given[part.name], (reasons or {}).get(part.name), context)
    if note:
        results.append(note_written(note))
    return results


def _read_parts(page: Sequence[FormPart], given: SortedResult, texts: Mapping[str, Any]) -> ParsedResult:
    values: dict[str, Any] = {}
    reasons: dict[str, Any] = {}
    for part in sorted(page, key=lambda part: part.after is not None):  # picks come after their list
        if not kinds.is_shown(part.criterion, values) or not _is_edited(part, values):
            continue
        answer = read_part(part, given, Context(texts, values, {}))
        if answer is None:
            continue
        values[part.name], reason = answer
        if reason is not None:
            reasons[part.name] = reason
    in_order = {part.name: values[part.name] for part in page if part.name in values}
    return ParsedResult(in_order, reasons, "", ())


def _is_edited(part: FormPart, values: Mapping[str, Any]) -> bool:
    return not part.name.startswith(EDITED) or values.get(DECISION) == "edit"
