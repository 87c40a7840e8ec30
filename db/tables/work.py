"""Tables of work: slots, submissions and drafts."""

from __future__ import annotations

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint

from db.records.work import (
    StoredAnnotation,
    StoredDraft,
    StoredPostponement,
    StoredQueueCursor,
    StoredTask,
    StoredWorkCount,
)


class TaskRow(StoredTask, table=True):
    __tablename__ = "task"
    __table_args__ = (
        UniqueConstraint("unit", "slot"),
        UniqueConstraint("unit", "person_id"),
        Index("ix_task_next", "project_id", "stage", "state", "awaits_media", "rank", "shuffle"),
        Index("ix_task_next_dimension", "project_id", "stage", "state", "dimension", "awaits_media", "rank", "shuffle"),
        Index("ix_task_opened", "project_id", "stage", "state", "awaits_media", "opened", "id"),
        Index("ix_task_lease", "project_id", "stage", "state", "lease_until"),
        Index("ix_task_mine", "person_id", "project_id", "stage", "state", "dimension", "purpose"),
        Index("ix_task_correcting", "person_id", "project_id", "stage", "correcting"),
    )


class QueueCursorRow(StoredQueueCursor, table=True):
    __tablename__ = "walk"
    __table_args__ = (UniqueConstraint("project_id", "person_id", "stage", "dimension"),)


class PostponementRow(StoredPostponement, table=True):
    __tablename__ = "aside"
    __table_args__ = (
        UniqueConstraint("person_id", "unit"),
        Index("ix_aside_person_id", "person_id", "project_id", "stage", "at"),
    )


class WorkCountRow(StoredWorkCount, table=True):
    __tablename__ = "tally"
    __table_args__ = (UniqueConstraint("project_id", "person_id", "stage"),)


class AnnotationRow(StoredAnnotation, table=True):
    __tablename__ = "annotation"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key"),
        UniqueConstraint("supersedes_id"),
        ForeignKeyConstraint(["item_id", "revision"], ["revision.item_id", "revision.number"]),
        Index("ix_annotation_item", "item_id", "stage", "revision"),
        Index("ix_annotation_person", "person_id", "project_id", "stage", "id"),
        Index("ix_annotation_project_id_stage", "project_id", "stage"),
        Index(
            "ix_annotation_pace",
            *("person_id", "project_id", "stage", "purpose", "created_at", "supersedes_id", "seconds", "schema_change"),
        ),
    )


class DraftRow(StoredDraft, table=True):
    __tablename__ = "draft"
    __table_args__ = (UniqueConstraint("task_id", "person_id"), Index("ix_draft_lost", "lost", "saved_at"))
