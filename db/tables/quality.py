"""Tables of qualification and gold."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.quality import (
    StoredGold,
    StoredGoldPardon,
    StoredQualification,
    StoredQualificationReview,
    StoredQualificationSet,
)


class QualificationSetRow(StoredQualificationSet, table=True):
    __tablename__ = "qualification_set"
    __table_args__ = (UniqueConstraint("project_id", "stage", "number"),)


class QualificationRow(StoredQualification, table=True):
    __tablename__ = "qualification"
    __table_args__ = (UniqueConstraint("project_id", "stage", "person_id", "number"),)


class QualificationReviewRow(StoredQualificationReview, table=True):
    __tablename__ = "qualification_review"


class GoldRow(StoredGold, table=True):
    __tablename__ = "gold"
    __table_args__ = (Index("ix_gold_project_id_stage", "project_id", "stage"),)


class GoldPardonRow(StoredGoldPardon, table=True):
    __tablename__ = "gold_pardon"
