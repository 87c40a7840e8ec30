"""Queries on the answers that are shown in refinement, and on what people decide about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlmodel import Session, col, select

from db import reworded
from db.tables import AnnotationRow, ItemRow, PredictionRow, TaskRow
from domain.states import Purpose, Stage, TaskState


def answers_in_refinement(session: Session, *, project_id: int, ever: bool = False) -> dict[int, set[int]]:
    """Return the models' answers shown in refinement next to the current revision, by item id.

    ``ever``: next to any revision. Withdrawn slots do not count.
    """
    wanted = (
        select(TaskRow.item_id, TaskRow.prediction_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(
            TaskRow.project_id == project_id,
            TaskRow.stage == Stage.REFINEMENT,
            TaskRow.purpose == Purpose.LIVE,
            TaskRow.state != TaskState.WITHDRAWN,
        )
    )
    if not ever:
        wanted = wanted.where(TaskRow.revision == ItemRow.current_revision)
    by_item: dict[int, set[int]] = {}
    for item_id, prediction_id in session.exec(wanted):
        by_item.setdefault(item_id or 0, set()).add(prediction_id or 0)
    return by_item


def decided_in_refinement(session: Session, *, project_id: int) -> dict[int, dict[int, Mapping[str, Any]]]:
    """Return the latest decision about each model's answer on any revision, by item id and prediction id."""
    wanted = (
        select(
            AnnotationRow.item_id, AnnotationRow.prediction_id, AnnotationRow.answers, AnnotationRow.schema_version_id
        )
        .where(
            AnnotationRow.project_id == project_id,
            AnnotationRow.stage == Stage.REFINEMENT,
            AnnotationRow.purpose == Purpose.LIVE,
        )
        .order_by(col(AnnotationRow.id))
    )
    by_item: dict[int, dict[int, Mapping[str, Any]]] = {}
    about: dict[str, Any] = {"project_id": project_id, "stage": Stage.REFINEMENT}
    for item_id, prediction_id, given, version in session.exec(wanted):
        answers = reworded.answers(session, **about, version=version, given=given)
        by_item.setdefault(item_id, {})[prediction_id or 0] = answers
    return by_item


def edited_in_refinement(session: Session, *, project_id: int) -> set[int]:
    """Return the items that someone edited next to a model's answer."""
    wanted = select(AnnotationRow.item_id, AnnotationRow.answers).where(
        AnnotationRow.project_id == project_id,
        AnnotationRow.stage == Stage.REFINEMENT,
        AnnotationRow.purpose == Purpose.LIVE,
    )
    return {item_id for item_id, answers in session.exec(wanted) if "fields" in answers}


def refinement_of_run(session: Session, *, run_id: int) -> list[tuple[int, int, int, str]]:
    """Return a run's answers that were ever shown in refinement.

    Each has prediction id, item id, the item's current revision, and dimension.
    """
    wanted = (
        select(TaskRow.prediction_id, ItemRow.id, ItemRow.current_revision, ItemRow.dimension)
        .join(PredictionRow, col(PredictionRow.id) == TaskRow.prediction_id)
        .join(ItemRow, col(ItemRow.id) == TaskRow.item_id)
        .where(PredictionRow.run_id == run_id, TaskRow.stage == Stage.REFINEMENT)
        .distinct()
        .order_by(col(TaskRow.prediction_id))
    )
    return [(id or 0, item_id, revision, dimension) for id, item_id, revision, dimension in session.exec(wanted)]


def refinement_units(session: Session, *, project_id: int) -> set[str]:
    """Return the units of refinement in a project."""
    wanted = select(TaskRow.unit).where(TaskRow.project_id == project_id, TaskRow.stage == Stage.REFINEMENT)
    return set(session.exec(wanted))
