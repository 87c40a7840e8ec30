"""Tables of work in another tool: servers, people, sent tasks and received answers."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.bridge import (
    StoredBridge,
    StoredBridgeAnswer,
    StoredBridgePerson,
    StoredBridgeProject,
    StoredBridgeTask,
)


class BridgeRow(StoredBridge, table=True):
    __tablename__ = "bridge"
    __table_args__ = (UniqueConstraint("project_id", "address"),)


class BridgePersonRow(StoredBridgePerson, table=True):
    __tablename__ = "bridge_person"
    __table_args__ = (UniqueConstraint("bridge_id", "person_id"), UniqueConstraint("bridge_id", "email"))


class BridgeProjectRow(StoredBridgeProject, table=True):
    __tablename__ = "bridge_project"
    __table_args__ = (
        Index("ix_bridge_project_bridge_id", "bridge_id", "removed_at"),
        Index("ix_bridge_project_person_id", "person_id"),
    )


class BridgeTaskRow(StoredBridgeTask, table=True):
    __tablename__ = "bridge_task"
    __table_args__ = (
        Index("ix_bridge_task_bridge_project_id", "bridge_project_id", "gone_at", "state"),
        Index("ix_bridge_task_task_id", "task_id", "state"),
    )


class BridgeAnswerRow(StoredBridgeAnswer, table=True):
    __tablename__ = "bridge_answer"
    __table_args__ = (
        UniqueConstraint("bridge_task_id", "outside_annotation", "updated", "outcome", name="uq_bridge_answer_once"),
        Index("ix_bridge_answer_bridge_id", "bridge_id", "outcome"),
    )
