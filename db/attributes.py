"""Queries for the attributes that leads record for models and items. They are stored in the event log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from db.tables import EventRow, PredictionRow, RunRow
from domain.run_kinds import RunKind

DESCRIBED, LABELLED = "models.described", "items.labelled"
"""Kinds of events. ``data["said"]`` holds the attributes, by the model's or the item's name."""


def models(session: Session, *, project_id: int) -> Sequence[str]:
    """Return the names of all models that have answered in a project or were asked to, sorted."""
    answered = select(PredictionRow.model).where(PredictionRow.project_id == project_id).distinct()
    asked = select(RunRow.name).where(
        RunRow.project_id == project_id, col(RunRow.kind).in_([kind for kind in RunKind if kind.answers])
    )
    return sorted({*session.exec(answered), *session.exec(asked)})


def recorded_attributes(session: Session, *, project_id: int, kind: str) -> Sequence[Mapping[str, Mapping[str, Any]]]:
    """Return all recorded attributes of a project, oldest first."""
    wanted = select(EventRow.data).where(EventRow.project_id == project_id, EventRow.kind == kind)
    return [data["said"] for data in session.exec(wanted.order_by(col(EventRow.id)))]
