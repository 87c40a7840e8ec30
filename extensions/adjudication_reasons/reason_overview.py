"""Adjudication reasons and skips of a project together, and as CSV files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation_schemas import registry
from db import files
from db.engine import Store
from domain import csv_text
from domain.records import AdjudicationReason, Person, SkipReasonRow
from domain.states import VERIFICATIONS, Stage
from workflow.access.projects import require_lead
from workflow.lead.adjudication_reasons import reasons, skips


@dataclass(frozen=True)
class Overview:
    """The content of the page about a project's reasons."""

    lines: Sequence[AdjudicationReason]
    file: str
    """``reasons_csv`` of them."""
    skipped: Sequence[SkipReasonRow]


def overview(store: Store, *, by: Person | None, project: str) -> Overview:
    """Return reasons and skips together. With ``by`` None, the caller checks that the person may see them."""
    lines = reasons(store, by=by, project=project)
    return Overview(lines, reasons_csv(lines), skips(store, by=by, project=project))


def size(store: Store, *, by: Person | None, project: str) -> int:
    """Return the number of counted rows: decisions, and votes in stages where verifiers may skip."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        voted = [
            stage for stage in VERIFICATIONS if any(each.skip for each in registry.criteria_of(access.schema, stage))
        ]
        counted = (Stage.ADJUDICATION, *voted)
        return sum(files.n_ratings(session, project_id=access.project_id, stage=stage) for stage in counted)


def skips_csv(lines: Iterable[SkipReasonRow]) -> str:
    """Return a CSV file with one row per skip."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(["criterion", "reason", "dimension", "item"])
    for line in lines:
        for item in line.items:
            writer.writerow([line.criterion, line.reason, line.dimension, item])
    return out.getvalue()


def reasons_csv(lines: Iterable[AdjudicationReason]) -> str:
    """Return a CSV file with one row per decision, from which every count can be computed."""
    out = io.StringIO(newline="")
    writer = csv_text.Writer(out)
    writer.writerow(
        [
            "reason",
            "dimension",
            "item",
            "revision",
            "decision",
            "note",
            "at",
            "guideline",
            "state",
            "answered_by",
            "answer",
        ]
    )
    for line in lines:
        for case in line.cases:
            done = case.answered_by is not None
            writer.writerow(
                [
                    line.reason,
                    line.dimension,
                    case.item,
                    case.revision,
                    case.decision,
                    case.note,
                    case.at.isoformat(),
                    case.guideline,
                    "done" if done else "open",
                    case.answered_by if done else "",
                    case.answer,
                ]
            )
    return out.getvalue()
