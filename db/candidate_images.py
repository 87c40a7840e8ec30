"""Queries on candidate images in triage: who holds them, and the decisions about them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import ColumnElement, or_, update
from sqlmodel import Session, col, select

from db.records import (
    StoredAsset,
    StoredCandidate,
    StoredSource,
    StoredTriageDecision,
)
from db.tables import (
    AssetRow,
    CandidateRow,
    SourceRow,
    TriageDecisionRow,
)
from domain.states import TriageState

_BECOMES = {"kept": TriageState.KEPT, "dropped": TriageState.DROPPED}
"""The state of a candidate after a decision. After a decision that is taken back, the candidate waits again."""


def add(session: Session, *, asset: StoredAsset, sharpness: float | None, look: int | None) -> None:
    """Make an image a candidate. Someone has to keep it before it enters the pool."""
    session.add(
        CandidateRow(
            asset_id=asset.id, project_id=asset.project_id, source_id=asset.source_id, sharpness=sharpness, look=look
        )
    )
    session.flush()


def decide(
    session: Session,
    *,
    row: StoredCandidate,
    person_id: int | None,
    key: str,
    action: str,
    reason: str = "",
    typed: bool = False,
    schema_version_id: int,
    guideline_hash: str,
    now: datetime,
) -> StoredTriageDecision:
    """Store a decision about a locked candidate and end its lease."""
    decision = TriageDecisionRow(
        project_id=row.project_id,
        asset_id=row.asset_id,
        person_id=person_id,
        submit_key=key,
        action=action,
        reason=reason,
        typed=typed and bool(reason),
        schema_version_id=schema_version_id,
        guideline_hash=guideline_hash,
        created_at=now,
    )
    session.add(decision)
    session.flush()
    row.state, row.decision_id = _BECOMES.get(action, TriageState.WAITING), decision.id
    row.person_id, row.lease_until = None, None
    session.add(row)
    session.flush()
    return decision


def first_free(session: Session, *, project_id: int, now: datetime, per_source: int | None) -> StoredCandidate | None:
    """Return the first candidate without a lease, locked. Candidates that other transactions hold are skipped."""
    wanted = (
        select(CandidateRow)
        .join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
        .where(*is_waiting(project_id, per_source), is_free(now))
        .order_by(col(CandidateRow.asset_id))
        .limit(1)
        .with_for_update(skip_locked=True, of=CandidateRow)
    )
    return session.exec(wanted).first()


def lock(session: Session, *, project_id: int, asset_ids: Iterable[int]) -> list[tuple[StoredCandidate, StoredAsset]]:
    """Return candidates with their assets, locked in the order that all transactions use."""
    wanted = (
        select(CandidateRow, AssetRow)
        .join(AssetRow, col(AssetRow.id) == CandidateRow.asset_id)
        .where(col(CandidateRow.asset_id).in_(list(asset_ids)), CandidateRow.project_id == project_id)
        .order_by(col(CandidateRow.source_id), col(CandidateRow.asset_id))
        .with_for_update(of=CandidateRow)
        .execution_options(populate_existing=True)
    )
    return [(candidate, asset) for candidate, asset in session.exec(wanted)]


def add_to_pool(session: Session, *, asset: StoredAsset, per_source: int | None) -> bool:
    """Put an image into the pool. Return False if its source has given as many images as it may."""
    session.exec(update(AssetRow).where(col(AssetRow.id) == asset.id).values(in_pool=True))
    if asset.source_id is None:
        return True
    room = [] if per_source is None else [col(SourceRow.kept) < per_source]
    counted = session.exec(
        update(SourceRow)
        .where(col(SourceRow.id) == asset.source_id, *room)
        .values(kept=SourceRow.kept + 1)
        .returning(col(SourceRow.id))
    ).first()
    return counted is not None


def source(session: Session, *, id: int) -> StoredSource | None:
    """Return a source, read afresh."""
    return session.get(SourceRow, id, populate_existing=True)


def is_waiting(project_id: int, per_source: int | None) -> list[ColumnElement[bool]]:
    conditions = [col(CandidateRow.project_id) == project_id, col(CandidateRow.state) == TriageState.WAITING]
    if per_source is not None:
        conditions.append(or_(col(CandidateRow.source_id).is_(None), col(SourceRow.kept) < per_source))
    return conditions


def is_free(now: datetime) -> ColumnElement[bool]:
    return or_(col(CandidateRow.person_id).is_(None), col(CandidateRow.lease_until) < now)
