"""Tables of projects: their schemas, guidelines and members."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from db.records.projects import (
    StoredEntryBudget,
    StoredGuidelineVersion,
    StoredGuidelineVisit,
    StoredMember,
    StoredProject,
    StoredSchedule,
    StoredSchemaChange,
    StoredSchemaVersion,
)


class SchemaVersionRow(StoredSchemaVersion, table=True):
    __tablename__ = "schema_version"


class ProjectRow(StoredProject, table=True):
    __tablename__ = "project"


class SchemaChangeRow(StoredSchemaChange, table=True):
    __tablename__ = "schema_change"
    __table_args__ = (UniqueConstraint("project_id", "number"),)


class GuidelineVersionRow(StoredGuidelineVersion, table=True):
    __tablename__ = "guideline_version"
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        UniqueConstraint("project_id", "hash"),
    )


class GuidelineVisitRow(StoredGuidelineVisit, table=True):
    __tablename__ = "guideline_seen"


class ScheduleRow(StoredSchedule, table=True):
    __tablename__ = "schedule"
    __table_args__ = (UniqueConstraint("project_id", "number"),)


class EntryBudgetRow(StoredEntryBudget, table=True):
    __tablename__ = "entry_budget"
    __table_args__ = (UniqueConstraint("project_id", "number"),)


class MemberRow(StoredMember, table=True):
    __tablename__ = "member"
    __table_args__ = (UniqueConstraint("project_id", "person_id"),)
