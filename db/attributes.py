"""Queries for what leads say of models and of items besides their content: it stands in the log of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from db.tables import EventRow, PredictionRow, RunRow
from domain.run_kinds import RunKind

DESCRIBED, LABELLED = "models.described", "items.labelled"
"""Kinds of events. ``data["said"]`` has what was said, by the model's or the item's name."""


def models(session: Session, *, project_id: int) -> Sequence[str]:
    """Everyone who has answered in a project or was asked to, by name."""
    answered = select(PredictionRow.model).where(PredictionRow.project_id == project_id).distinct()
    asked = select(RunRow.name).where(
        RunRow.project_id == project_id, col(RunRow.kind).in_([kind for kind in RunKind if kind.answers])
    )
    return sorted({*session.exec(answered), *session.exec(asked)})


def similarities(session: Session, *, project_id: int, name: str) -> Sequence[Mapping[str, Any]]:
    """How a label of items was measured, each time that it was."""
    wanted = select(EventRow.data).where(EventRow.project_id == project_id, EventRow.kind == LABELLED)
    found = [data for data in session.exec(wanted.order_by(col(EventRow.id))) if data.get("name") == name]
    return [data["similarity"] for data in found if "similarity" in data]


def said(session: Session, *, project_id: int, kind: str) -> Sequence[Mapping[str, Mapping[str, Any]]]:
    """All that was said in a project, the oldest first."""
    wanted = select(EventRow.data).where(EventRow.project_id == project_id, EventRow.kind == kind)
    return [data["said"] for data in session.exec(wanted.order_by(col(EventRow.id)))]
