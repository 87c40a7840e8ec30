"""Commands and queries on candidates: their groups and the decisions of triage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import func, literal_column, or_, update
from sqlmodel import Session, col, select

from db.candidate_images import is_free, is_waiting
from db.records import StoredAsset, StoredCandidate, StoredMediaObject, StoredTriageDecision
from db.tables import (
    LOOK_PARTS,
    AssetRow,
    CandidateRow,
    MediaObjectRow,
    PersonRow,
    PickRow,
    SourceRow,
    TriageDecisionRow,
)
from domain.policies import LEASE
from domain.states import TriageState


def give(session: Session, *, rows: Iterable[StoredCandidate], person_id: int, now: datetime) -> None:
    """Lease locked candidates to a person."""
    for row in rows:
        row.person_id, row.lease_until = person_id, now + LEASE
        session.add(row)
    session.flush()


def group(session: Session, *, rows: Iterable[StoredCandidate], group_id: int) -> None:
    """Show locked candidates together, as one group."""
    for row in rows:
        row.group_id = group_id
        session.add(row)
    session.flush()


def looks(
    session: Session, *, project_id: int, look: int, now: datetime, per_source: int | None
) -> list[tuple[int, int]]:
    """Return (asset, hash) of free candidates that share one of the seven parts of the hash ``look``.

    They include every candidate whose hash differs in at most six bits. Each part is looked up in an index.
    """
    hashes: dict[int, int] = {}
    for at, part in enumerate(LOOK_PARTS):
        same = (look >> 9 * at) & (511 if at < 6 else 1023)
        wanted = (
            select(CandidateRow.asset_id, CandidateRow.look)
            .join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
            .where(*is_waiting(project_id, per_source), is_free(now), literal_column(part) == same)
        )
        hashes |= {asset: hash for asset, hash in session.exec(wanted) if hash is not None}
    return sorted(hashes.items())


def lock_free(session: Session, *, asset_ids: Sequence[int], now: datetime) -> Sequence[StoredCandidate]:
    """Return those of these candidates that still wait and have no lease, locked."""
    wanted = (
        select(CandidateRow)
        .where(col(CandidateRow.asset_id).in_(asset_ids), CandidateRow.state == TriageState.WAITING, is_free(now))
        .order_by(col(CandidateRow.asset_id))
        .with_for_update(skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return session.exec(wanted).all()


def release(session: Session, *, project_id: int, person_id: int) -> None:
    """End all leases of a person on candidates."""
    session.exec(
        update(CandidateRow)
        .where(
            col(CandidateRow.project_id) == project_id,
            col(CandidateRow.person_id) == person_id,
            col(CandidateRow.state) == TriageState.WAITING,
        )
        .values(person_id=None, lease_until=None)
    )


def ids_of(session: Session, *, project_id: int, public_ids: Iterable[str]) -> dict[str, int]:
    """Return the ids of the candidates behind public ids."""
    wanted = (
        select(AssetRow.public_id, AssetRow.id)
        .join(CandidateRow, col(CandidateRow.asset_id) == AssetRow.id)
        .where(CandidateRow.project_id == project_id, col(AssetRow.public_id).in_(list(public_ids)))
    )
    return {public: id for public, id in session.exec(wanted) if id is not None}


def take_out(session: Session, *, asset: StoredAsset) -> bool:
    """Take an image out of the pool again. Return False if someone has begun an item about it."""
    taken = session.exec(
        update(AssetRow)
        .where(col(AssetRow.id) == asset.id, col(AssetRow.in_pool))
        .values(in_pool=False)
        .returning(col(AssetRow.id))
    ).first()
    if taken is None or session.get(PickRow, asset.id) is not None:
        return False
    if asset.source_id is not None:
        session.exec(update(SourceRow).where(col(SourceRow.id) == asset.source_id).values(kept=SourceRow.kept - 1))
    return True


def by_key(session: Session, *, person_id: int, key: str) -> Sequence[StoredTriageDecision]:
    """Return the decisions that a person sent under an idempotency key."""
    wanted = select(TriageDecisionRow).where(
        TriageDecisionRow.person_id == person_id, TriageDecisionRow.submit_key == key
    )
    return session.exec(wanted).all()


def last_standing(session: Session, *, project_id: int, person_id: int) -> StoredTriageDecision | None:
    """Return the latest decision of a person that was not replaced."""
    wanted = (
        select(TriageDecisionRow)
        .join(CandidateRow, col(CandidateRow.decision_id) == TriageDecisionRow.id)
        .where(
            TriageDecisionRow.project_id == project_id,
            TriageDecisionRow.person_id == person_id,
            col(CandidateRow.state) != TriageState.WAITING,
        )
        .order_by(col(TriageDecisionRow.id).desc())
        .limit(1)
    )
    return session.exec(wanted).first()


def last_of(session: Session, *, project_id: int, person_id: int) -> int:
    """Return the id of a person's last decision, or 0."""
    wanted = select(func.max(TriageDecisionRow.id)).where(
        TriageDecisionRow.project_id == project_id, TriageDecisionRow.person_id == person_id
    )
    return session.exec(wanted).one() or 0


def sharpness_of(session: Session, *, source_id: int) -> list[float]:
    """Return the sharpness of all candidates of a source."""
    wanted = select(CandidateRow.sharpness).where(CandidateRow.source_id == source_id)
    return [value for value in session.exec(wanted) if value is not None]


def assets_by_id(
    session: Session, *, asset_ids: Sequence[int]
) -> dict[int, tuple[StoredAsset, StoredMediaObject | None]]:
    """Return assets with their files, by asset id."""
    wanted = (
        select(AssetRow, MediaObjectRow)
        .join(MediaObjectRow, col(MediaObjectRow.sha256) == AssetRow.sha256, isouter=True)
        .where(col(AssetRow.id).in_(asset_ids))
    )
    return {asset.id: (asset, media) for asset, media in session.exec(wanted)}


def counts(
    session: Session, *, project_id: int, per_source: int | None
) -> list[tuple[str | None, TriageState, str, bool, int]]:
    """Count the candidates by source, state and reason, and tell whether their source may give more."""
    reason = func.coalesce(col(TriageDecisionRow.reason), "")
    wanted = (
        select(SourceRow.name, CandidateRow.state, reason, func.count())
        .select_from(CandidateRow)
        .join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
        .join(TriageDecisionRow, col(TriageDecisionRow.id) == CandidateRow.decision_id, isouter=True)
        .where(CandidateRow.project_id == project_id)
        .group_by(col(SourceRow.name), col(CandidateRow.state), reason)
    )
    full: frozenset[str] = frozenset()
    if per_source is not None:
        given = select(SourceRow.name).where(SourceRow.project_id == project_id, SourceRow.kept >= per_source)
        full = frozenset(session.exec(given))
    return [
        (name or None, TriageState(state), why if state is TriageState.DROPPED else "", name not in full, n)
        for name, state, why, n in session.exec(wanted)
    ]


def decisions(
    session: Session, *, project_id: int
) -> list[tuple[StoredTriageDecision, StoredAsset, StoredCandidate, str | None, str | None]]:
    """Return every decision, oldest first, with the name of its source and the login of the person who decided."""
    sources = select(SourceRow.id, SourceRow.name).where(SourceRow.project_id == project_id)
    names = {id: name for id, name in session.exec(sources)}
    wanted = (
        select(TriageDecisionRow, AssetRow, CandidateRow, PersonRow.login)
        .join(AssetRow, col(AssetRow.id) == TriageDecisionRow.asset_id)
        .join(CandidateRow, col(CandidateRow.asset_id) == AssetRow.id)
        .join(PersonRow, col(PersonRow.id) == TriageDecisionRow.person_id, isouter=True)
        .where(TriageDecisionRow.project_id == project_id)
        .order_by(col(TriageDecisionRow.id))
    )
    return [
        (decision, asset, candidate, names.get(candidate.source_id or 0), login)
        for decision, asset, candidate, login in session.exec(wanted)
    ]


def in_hand(
    session: Session, *, project_id: int, person_id: int, now: datetime, per_source: int | None
) -> Sequence[StoredCandidate]:
    """Return the candidates leased to a person that still wait and may still be kept."""
    wanted = (
        select(CandidateRow)
        .join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
        .where(
            *is_waiting(project_id, per_source),
            CandidateRow.person_id == person_id,
            col(CandidateRow.lease_until) > now,
        )
        .order_by(col(CandidateRow.asset_id))
    )
    return session.exec(wanted).all()


def count_open(session: Session, *, project_id: int, per_source: int | None) -> int:
    """Count the candidates that wait and may still be kept."""
    wanted = select(func.count()).select_from(CandidateRow)
    if per_source is not None:
        wanted = wanted.join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
    return session.exec(wanted.where(*is_waiting(project_id, per_source))).one()


def decided_by(session: Session, *, project_id: int, person_id: int) -> int:
    """Count the candidates whose current decision a person made."""
    wanted = (
        select(func.count())
        .select_from(CandidateRow)
        .join(TriageDecisionRow, col(TriageDecisionRow.id) == CandidateRow.decision_id)
        .where(
            CandidateRow.project_id == project_id,
            TriageDecisionRow.person_id == person_id,
            CandidateRow.state != TriageState.WAITING,
        )
    )
    return session.exec(wanted).one()


def dropped(
    session: Session, *, project_id: int, words: str, reasons: Sequence[str], limit: int
) -> tuple[list[tuple[StoredAsset, StoredTriageDecision]], int]:
    """Return dropped candidates with the decision that dropped them, latest first, and their total number.

    A candidate matches if its name, source or reason contains the ``words``, or its reason is one of the ``reasons``.
    """
    has = [
        col(column).icontains(words, autoescape=True)
        for column in (AssetRow.name, SourceRow.name, TriageDecisionRow.reason)
    ]
    query = (
        select(AssetRow, TriageDecisionRow)
        .join(CandidateRow, col(CandidateRow.asset_id) == AssetRow.id)
        .join(TriageDecisionRow, col(TriageDecisionRow.id) == CandidateRow.decision_id)
        .join(SourceRow, col(SourceRow.id) == CandidateRow.source_id, isouter=True)
        .where(CandidateRow.project_id == project_id, CandidateRow.state == TriageState.DROPPED)
        .where(or_(*has, col(TriageDecisionRow.reason).in_(list(reasons))))
    )
    n: int = session.execute(query.with_only_columns(func.count())).scalar_one()
    latest = query.order_by(col(TriageDecisionRow.id).desc()).limit(limit)
    return [(asset, decision) for asset, decision in session.exec(latest)], n


def kept_by_source(session: Session, *, project_id: int) -> list[tuple[str, int, int]]:
    """Return (source, number of kept candidates, the source's stored count)."""
    n = func.count(col(CandidateRow.asset_id))
    wanted = (
        select(SourceRow.name, n, SourceRow.kept)
        .join(
            CandidateRow,
            (col(CandidateRow.source_id) == SourceRow.id) & (col(CandidateRow.state) == TriageState.KEPT),
            isouter=True,
        )
        .where(SourceRow.project_id == project_id)
        .group_by(col(SourceRow.id), col(SourceRow.name), col(SourceRow.kept))
        .order_by(col(SourceRow.name))
    )
    return [(name, kept, counted) for name, kept, counted in session.exec(wanted)]
