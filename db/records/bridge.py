"""Work that goes out to another tool's screens: its server, whose work it is, what was sent, what came back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.bridge import BridgeOutcome, BridgeState
from domain.states import Stage


class StoredBridge(SQLModel):
    """A server to which a project sends work, and how it is synchronised. Tokens are never stored here."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    address: str
    """As ``FrontEnd.address`` writes it."""
    stages: list[str] = Field(default_factory=list, sa_type=JSON)
    """The stages whose work goes there."""
    ahead: int = Field(default=3, sa_column_kwargs={"server_default": "3"})
    """How many tasks a person has there at once, in each stage."""
    hold_hours: float = Field(default=8.0, sa_column_kwargs={"server_default": "8"})
    """How long a task stays with a person who does not answer."""
    stay: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """What is stored here stays there for as long, so that its rater may change it: for a server of one rater only."""
    pulled_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When everything there was read last."""
    pushed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When work was sent last, or it was found that there is none to send."""
    woken_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was said last that there is something to fetch."""
    said: str = Field(default="", sa_type=Text)
    """Why the last try broke off, as a sentence; empty: it did not."""
    busy_by: str | None = None
    busy_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """With ``busy_by``, who is synchronising it just now: one process at a time."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredBridgePerson(SQLModel):
    """Whose work goes to a server, and who they are there."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    email: str
    """With small letters."""
    outside_user: int | None = None
    """None until someone with this e-mail address has an account there."""
    why: str = Field(default="", sa_type=Text)
    """Why nothing more was sent to them, as a sentence; empty: something was, or they have enough."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredBridgeProject(SQLModel):
    """A project there: the work of one person in one stage, as one labeling shows it."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=word_column(Stage))
    labeling_hash: str
    key: str = Field(default_factory=public_id, unique=True)
    """By which it is found there."""
    outside_user: int
    """Who that person is there."""
    outside_id: int | None = None
    """None: it is about to be made, and perhaps it was."""
    strangers: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many tasks in it are not ours; it is not removed while there are any."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredBridgeTask(SQLModel):
    """A slot of work as it was sent out once; each further try is a row of its own."""

    id: int = row_id()
    bridge_project_id: int = Field(foreign_key="bridge_project.id")
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    key: str = Field(default_factory=public_id, unique=True)
    """By which it is found there; it says nothing about the slot."""
    number: int = 1
    """How often the slot has been sent to this person after a refusal, counted from 1."""
    state: BridgeState = Field(sa_column=word_column(BridgeState, BridgeState.SENDING))
    says: str = Field(default="", sa_type=Text)
    """The sentence above it: why it comes again."""
    suggestion: list[dict[str, Any]] | None = Field(
        default=None, sa_column=Column("suggestion", JSON(none_as_null=True), nullable=True)
    )
    """What its own rater had answered before, for them to mend."""
    outside_id: int | None = None
    """None until it was seen there."""
    guideline: str = ""
    """The hash of the guideline that was in force when it was sent."""
    revision: int | None = None
    """The revision of its item that it shows."""
    why: str = Field(default="", sa_type=Text)
    """Why it is over."""
    annotation_id: int | None = Field(default=None, foreign_key="annotation.id")
    """What counts of it here."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    gone_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was removed there, or found to be gone."""


class StoredBridgeAnswer(SQLModel):
    """What was found there, as it was, and what became of it. Append-only."""

    id: int = row_id()
    bridge_id: int = Field(foreign_key="bridge.id")
    bridge_task_id: int = Field(foreign_key="bridge_task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    """Whose task it was."""
    outside_annotation: int
    """0: this is about the task itself."""
    outside_user: int | None = None
    updated: str
    outcome: BridgeOutcome = Field(sa_column=word_column(BridgeOutcome, BridgeOutcome.STORED))
    why: str = Field(default="", sa_type=Text)
    raw: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    annotation_id: int | None = Field(default=None, foreign_key="annotation.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
