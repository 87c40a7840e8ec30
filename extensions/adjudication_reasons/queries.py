"""Queries on reasons that people gave with their votes, on decisions of seniors, and on what answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Text, cast, exists, func
from sqlalchemy import select as plain_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from db import reworded
from db.many_rows import insert_or_ignore
from db.tables import AnnotationRow, ItemRow, ReasonAnswerRow
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
    votes = []
    for item, dimension, answers, reasons, version in session.execute(wanted).all():
        about: dict[str, Any] = {"project_id": project_id, "version": version}
        answers_now = reworded.answers(session, **about, stage=Stage.VERIFICATION, given=answers)
        votes.append(ReasonVote(item, dimension, answers_now, reworded.reasons(session, **about, given=reasons)))
    return votes


def has_reasons(session: Session, *, project_id: int) -> bool:
    """Tell whether a senior has settled an item, or a verifier has given a reason."""
    voted = col(AnnotationRow.stage).in_(VERIFICATIONS) & (
        func.length(cast(col(AnnotationRow.reasons), Text)) > len("{}")
    )
    wanted = plain_select(col(AnnotationRow.id)).where(
        col(AnnotationRow.project_id) == project_id, (col(AnnotationRow.stage) == Stage.ADJUDICATION) | voted
    )
    return session.execute(wanted.limit(1)).first() is not None


class SeniorDecision(NamedTuple):
    """A senior's decision about an item, and the lead's response to its reason."""

    id: int
    item: str
    """The item's external id."""
    dimension: str
    revision: int
    answers: dict[str, Any]
    note: str
    guideline_hash: str
    created_at: datetime
    version_id: int | None
    """The guideline version that answers the decision, or None if it is open."""
    why: str | None
    """The reason why the guideline was left unchanged, if it was."""

    @property
    def cause(self) -> str:
        """The reason of the decision, or an empty string."""
        return str(self.answers.get("cause") or "")


def decisions(session: Session, *, project_id: int) -> list[SeniorDecision]:
    """Return the decisions of seniors, oldest first."""
    columns: tuple[Any, ...] = (
        AnnotationRow.id,
        ItemRow.external_id,
        ItemRow.dimension,
        AnnotationRow.revision,
        AnnotationRow.answers,
        AnnotationRow.note,
        AnnotationRow.guideline_hash,
        AnnotationRow.created_at,
        ReasonAnswerRow.guideline_version_id,
        ReasonAnswerRow.why,
    )
    wanted = (
        plain_select(*columns)
        .join(ItemRow, col(ItemRow.id) == AnnotationRow.item_id)
        .join(ReasonAnswerRow, col(ReasonAnswerRow.annotation_id) == AnnotationRow.id, isouter=True)
        .where(col(AnnotationRow.project_id) == project_id, col(AnnotationRow.stage) == Stage.ADJUDICATION)
        .order_by(col(AnnotationRow.id))
    )
    return [SeniorDecision._make(row) for row in session.execute(wanted)]


def add_answers(session: Session, *, rows: Sequence[Mapping[str, Any]]) -> None:
    """Record which decisions a version answers. A decision that is answered already stays unchanged."""
    insert_or_ignore(session, ReasonAnswerRow, rows)
