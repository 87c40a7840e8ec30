"""Tables of media: sources, files, pools, and triage decisions."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, text

from db.records.media import (
    StoredAsset,
    StoredCandidate,
    StoredMediaObject,
    StoredPick,
    StoredSource,
    StoredTriageDecision,
)


class SourceRow(StoredSource, table=True):
    __tablename__ = "source"
    __table_args__ = (UniqueConstraint("project_id", "name"),)


class MediaObjectRow(StoredMediaObject, table=True):
    __tablename__ = "media_object"


class AssetRow(StoredAsset, table=True):
    __tablename__ = "asset"
    __table_args__ = (
        Index("ix_asset_project_id_name", "project_id", "name"),
        Index("ix_asset_pool", "project_id", "in_pool", "id"),
        Index("ix_asset_project_id_sha256", "project_id", "sha256"),
        Index("ix_asset_sha256", "sha256"),
        Index("ix_asset_group", "project_id", "group_name", "place", unique=True),
    )


class PickRow(StoredPick, table=True):
    __tablename__ = "pick"


LOOK_PARTS = tuple(f"((look >> {9 * at}) & {511 if at < 6 else 1023})" for at in range(7))
"""The 64 bits of a hash in seven parts. Two hashes that differ in at most six bits have an equal part."""


class CandidateRow(StoredCandidate, table=True):
    __tablename__ = "candidate"
    __table_args__ = (
        Index("ix_candidate_waiting", "project_id", "state", "asset_id"),
        Index("ix_candidate_mine", "person_id", "project_id", "state"),
        *(Index(f"ix_candidate_look_{at}", "project_id", "state", text(part)) for at, part in enumerate(LOOK_PARTS)),
    )


class TriageDecisionRow(StoredTriageDecision, table=True):
    __tablename__ = "sift_decision"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key", "asset_id"),
        Index("ix_sift_decision_project_id_id", "project_id", "id"),
    )
