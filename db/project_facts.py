"""Whether a project has something, and how much: queries that the menu asks together on each page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Integer, bindparam, exists, func, or_, select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db.tables import (
    AnnotationRow,
    AssetRow,
    ImportedRatingRow,
    ItemRow,
    MemberRow,
    PredictionRow,
    ReleaseRow,
    RunRow,
    TaskRow,
)
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.states import Stage, TaskState


@dataclass(frozen=True)
class Viewer:
    """A person who looks at a project. The ids are parameters of the statement, which is built once."""

    role: Role
    project_id: Any = field(default_factory=lambda: bindparam("project_id", type_=Integer))
    person_id: Any = field(default_factory=lambda: bindparam("person_id", type_=Integer))


FactQuery = Callable[[Viewer], Any]
"""Returns an expression that is selected as one value."""


def read(session: Session, queries: Sequence[FactQuery], *, project_id: int, person_id: int, role: Role) -> list[Any]:
    """Return the value of each query, all read by one statement."""
    wanted = _statement(tuple(queries), role)
    return list(session.connection().execute(wanted, {"project_id": project_id, "person_id": person_id}).one())


@lru_cache(maxsize=128)
def _statement(queries: tuple[FactQuery, ...], role: Role) -> Any:
    viewer = Viewer(role)
    return select(*(query(viewer) for query in queries))


def count_members(viewer: Viewer) -> Any:
    """Count the members."""
    return select(func.count()).where(col(MemberRow.project_id) == viewer.project_id).scalar_subquery()


def count_models(viewer: Viewer) -> Any:
    """Count the models that have answered."""
    answered = select(func.count(func.distinct(col(PredictionRow.model)))).where(
        col(PredictionRow.project_id) == viewer.project_id
    )
    return answered.scalar_subquery()


def has_media(viewer: Viewer) -> Any:
    """Tell whether there is an image or clip."""
    return exists().where(col(AssetRow.project_id) == viewer.project_id)


def has_clips(viewer: Viewer) -> Any:
    """Tell whether there is a clip."""
    return exists().where(col(AssetRow.project_id) == viewer.project_id, col(AssetRow.kind) == "clip")


def has_items(viewer: Viewer) -> Any:
    """Tell whether there is an item."""
    return exists().where(col(ItemRow.project_id) == viewer.project_id)


def has_answers(viewer: Viewer) -> Any:
    """Tell whether a model has answered an item."""
    return exists().where(col(PredictionRow.project_id) == viewer.project_id)


def has_imported_ratings(viewer: Viewer) -> Any:
    """Tell whether ratings were imported."""
    return exists().where(col(ImportedRatingRow.project_id) == viewer.project_id)


def has_scores(viewer: Viewer) -> Any:
    """Tell whether there is an answer of a model, or an imported rating."""
    return or_(has_answers(viewer), has_imported_ratings(viewer))


def has_judges(viewer: Viewer) -> Any:
    """Tell whether a judge was run, or ratings were imported."""
    kinds = [kind for kind in RunKind if kind.page == "judges"]
    run = exists().where(col(RunRow.project_id) == viewer.project_id, col(RunRow.kind).in_(kinds))
    return or_(run, has_imported_ratings(viewer))


def has_overlap(viewer: Viewer) -> Any:
    """Tell whether two people have answered about the same unit, or ratings were imported."""
    done = (col(TaskRow.project_id) == viewer.project_id, col(TaskRow.state) == TaskState.DONE)
    other = aliased(TaskRow)
    pair = exists().where(
        *done,
        col(TaskRow.slot) > 0,
        col(other.unit) == col(TaskRow.unit),
        col(other.slot) < col(TaskRow.slot),
        col(other.state) == TaskState.DONE,
    )
    return or_(pair, has_imported_ratings(viewer))


def has_decisions(viewer: Viewer) -> Any:
    """Tell whether a senior has settled an item."""
    return exists().where(
        col(AnnotationRow.project_id) == viewer.project_id, col(AnnotationRow.stage) == Stage.ADJUDICATION
    )


def has_ten_submissions(viewer: Viewer) -> Any:
    """Tell whether people have submitted ten answers or more."""
    tenth = select(col(AnnotationRow.id)).where(col(AnnotationRow.project_id) == viewer.project_id).offset(9).limit(1)
    return exists(tenth)


def has_releases(viewer: Viewer) -> Any:
    """Tell whether there is a release."""
    return exists().where(col(ReleaseRow.project_id) == viewer.project_id)


def has_own_submissions(viewer: Viewer) -> Any:
    """Tell whether the person has submitted an answer."""
    return exists().where(
        col(AnnotationRow.person_id) == viewer.person_id, col(AnnotationRow.project_id) == viewer.project_id
    )


def has_own_work(viewer: Viewer) -> Any:
    """Tell whether the person has submitted an answer, or holds a task."""
    holds = exists().where(col(TaskRow.person_id) == viewer.person_id, col(TaskRow.project_id) == viewer.project_id)
    return or_(has_own_submissions(viewer), holds)
