"""Records of notices and emails to people."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id, word_column
from domain.mail import MailState, MailTime


class StoredNoticeMark(SQLModel):
    """The mark that a person has seen a notice, or was sent it. Notices themselves are computed."""

    id: int = row_id()
    person_id: int = Field(foreign_key="person.id")
    project_id: int = Field(foreign_key="project.id", index=True)
    key: str
    """The subject of the notice, such as ``comment:17``."""
    seen_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    mailed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time when it was put into an email."""


class StoredMailChoice(SQLModel):
    """The address and time for a person's email notices. Without a row they get none."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    address: str
    time: MailTime = Field(sa_column=word_column(MailTime))
    off_token: str = Field(unique=True)
    """The token of a link that turns emails off without signing in. It does nothing more."""
    told_at: datetime = Field(sa_type=UTCDateTime)
    """The last time that a worker checked for news."""
    turn: int = 0
    """A counter that each check increases, so that only one of several workers continues."""


class StoredMail(SQLModel):
    """An email that waits to be sent, or its outcome. The text is deleted after sending."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    subject: str
    text: str = Field(sa_type=Text)
    state: MailState = Field(sa_column=word_column(MailState))
    attempts: int = 0
    due_at: datetime = Field(sa_type=UTCDateTime)
    said: str = Field(default="", sa_type=Text)
    """The reason why sending failed the last time."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
