"""Queries on reasons that people gave with their votes."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Text, cast, exists, func
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db import reworded
from db.tables import AnnotationRow, ItemRow
from domain.states import VERIFICATIONS, Purpose, Stage

_NEWER = aliased(AnnotationRow)


class ReasonVote(NamedTuple):
    """A vote that gives reasons. Some of them may be for skips."""

    item: str
    """The item's external id."""
    dimension: str
    answers: dict[str, Any]
    reasons: dict[str, Any]


def votes_with_reasons(session: Session, *, project_id: int) -> list[ReasonVote]:
    """Return the current verification votes that give a reason, oldest first."""
    columns: tuple[Any, ...] = (
        ItemRow.external_id,
        ItemRow.dimension,
        AnnotationRow.answers,
        AnnotationRow.reasons,
        AnnotationRow.schema_version_id,
    )
    wanted = (
        plain_select(*columns)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .where(
            col(AnnotationRow.project_id) == project_id,
            col(AnnotationRow.stage).in_(VERIFICATIONS),
            col(AnnotationRow.purpose) == Purpose.LIVE,
            func.length(cast(col(AnnotationRow.reasons), Text)) > len("{}"),
            ~exists().where(col(_NEWER.supersedes_id) == col(AnnotationRow.id)),
        )
        .order_by(col(AnnotationRow.id))
    )
    found = []
    for item, dimension, answers, reasons, version in session.execute(wanted).all():
        about: dict[str, Any] = {"project_id": project_id, "version": version}
        said = reworded.answers(session, **about, stage=Stage.VERIFICATION, given=answers)
        found.append(ReasonVote(item, dimension, said, reworded.reasons(session, **about, given=reasons)))
    return found
