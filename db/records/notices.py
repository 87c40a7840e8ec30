"""What people were told."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.mail import MailState, MailTime


class StoredNoticeMark(SQLModel):
    """That someone has seen a notice, or was sent it. Notices themselves follow from what else is stored
    (``db.notices``)."""

    id: int = row_id()
    person_id: int = Field(foreign_key="person.id")
    project_id: int = Field(foreign_key="project.id", index=True)
    key: str
    """What it told of, such as ``comment:17``."""
    seen_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    mailed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was put into a mail."""


class StoredMailChoice(SQLModel):
    """Where and when someone wants their notices by e-mail; without a row never."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    address: str
    time: MailTime = Field(sa_column=word_column(MailTime))
    off_token: str = Field(unique=True)
    """Turns mails off without signing in, and does nothing else."""
    told_at: datetime = Field(sa_type=UTCDateTime)
    """When someone last looked what there is to tell."""
    turn: int = 0
    """Grows whenever a worker does so: of several at once one goes on."""


class StoredMail(SQLModel):
    """A mail that waits to be handed over, or what has become of it. Its text goes when it has left."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    subject: str
    text: str = Field(sa_type=Text)
    state: MailState = Field(sa_column=word_column(MailState))
    attempts: int = 0
    due_at: datetime = Field(sa_type=UTCDateTime)
    said: str = Field(default="", sa_type=Text)
    """Why it was not handed over the last time."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
