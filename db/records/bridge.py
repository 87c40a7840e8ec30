"""Records of work in another tool: its server, the people, the sent tasks and the received answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.bridge import BridgeOutcome, BridgeState
from domain.states import Stage


class StoredBridge(SQLModel):
    """A server to which a project sends work, and its synchronization. Tokens are never stored here."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    address: str
    """The address, as ``FrontEnd.address`` writes it."""
    stages: list[str] = Field(default_factory=list, sa_type=JSON)
    """The stages whose work goes to the server."""
    ahead: int = Field(default=3, sa_column_kwargs={"server_default": "3"})
    """The number of tasks that a person has on the server at once, in each stage."""
    hold_hours: float = Field(default=8.0, sa_column_kwargs={"server_default": "8"})
    """The hours that a task stays with a person who does not answer."""
    stay: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether answered tasks stay on the server for the same time, so that their rater can change the answers.

    This is for a server with only one rater.
    """
    pulled_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The last time that everything on the server was read."""
    pushed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The last time that all waiting work was sent."""
    woken_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The last time that the server announced something to fetch."""
    said: str = Field(default="", sa_type=Text)
    """The reason why the last synchronization stopped early, as a sentence, or an empty string."""
    busy_by: str | None = None
    busy_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time until which ``busy_by`` synchronizes the server. Only one process does so at a time."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredBridgePerson(SQLModel):
    """A person whose work goes to a server, and their account on the server."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    email: str
    """The email address in lower case."""
    outside_user: int | None = None
    """The user's id on the server. None until someone with this email address has an account there."""
    why: str = Field(default="", sa_type=Text)
    """The reason why nothing more was sent to the person, as a sentence. Empty: there was no problem."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredBridgeProject(SQLModel):
    """A project on the server: the work of one person in one stage, as one labeling configuration shows it."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    labeling_hash: str
    key: str = Field(default_factory=public_id, unique=True)
    """The key by which the project is found on the server."""
    outside_user: int
    """The person's user id on the server."""
    outside_id: int | None = None
    """The project's id on the server. None: it is about to be created, or its creation was not confirmed."""
    strangers: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of tasks in the project that Touchstone did not send. The project is not removed while there are any.
    """
    created_at: datetime = Field(sa_type=UTCDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredBridgeTask(SQLModel):
    """A slot of work that was sent to the server once. Each further attempt is a row of its own."""

    id: int = row_id()
    bridge_project_id: int = Field(foreign_key="bridge_project.id")
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    key: str = Field(default_factory=public_id, unique=True)
    """The key by which the task is found on the server. It reveals nothing about the slot."""
    number: int = 1
    """The number of times that the slot was sent to this person after a refusal, from 1."""
    state: BridgeState = Field(sa_column=word_column(BridgeState, BridgeState.SENDING))
    says: str = Field(default="", sa_type=Text)
    """The message above the task that says why it was sent again."""
    suggestion: list[dict[str, Any]] | None = Field(
        default=None, sa_column=Column("suggestion", JSON(none_as_null=True), nullable=True)
    )
    """The rater's own earlier answer, for them to correct."""
    outside_id: int | None = None
    """The task's id on the server. None until the task was seen there."""
    guideline: str = ""
    """The hash of the guideline that was in force when the task was sent."""
    revision: int | None = None
    """The revision of the item that the task shows."""
    why: str = Field(default="", sa_type=Text)
    """The reason why the task ended."""
    annotation_id: int | None = Field(default=None, foreign_key="annotation.id")
    """The stored annotation that counts."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    gone_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time when the task was removed, or was found to be missing."""


class StoredBridgeAnswer(SQLModel):
    """An annotation found on the server, unchanged, with its outcome. Append-only."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    bridge_task_id: int = Field(foreign_key="bridge_task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    """The person whose task it was."""
    outside_annotation: int
    """The annotation's id on the server. 0: the row is about the task itself."""
    outside_user: int | None = None
    updated: str
    outcome: BridgeOutcome = Field(sa_column=word_column(BridgeOutcome, BridgeOutcome.STORED))
    why: str = Field(default="", sa_type=Text)
    raw: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    annotation_id: int | None = Field(default=None, foreign_key="annotation.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
