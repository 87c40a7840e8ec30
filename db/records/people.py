"""Records of people, their sessions and invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, row_id
from domain.roles import Role


class StoredPerson(SQLModel):
    """A person with an account. Deactivating the account keeps the row, so that votes keep their author."""

    id: int = row_id()
    login: str = Field(unique=True)
    name: str
    password_hash: str | None = None
    is_admin: bool = False
    active: bool = True
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredSession(SQLModel):
    """A sign-in session. Only the hash of its token is stored."""

    id: int = row_id()
    token_hash: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    csrf: str
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    device: str = ""
    """The browser and the system, such as "Firefox on Linux". Empty if the browser did not name them."""
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The time of a recent request, accurate to a few minutes. None: no request since the session began."""


class StoredIdentity(SQLModel):
    """A person's identity at an OpenID Connect provider, with which the person signs in."""

    id: int = row_id()
    issuer: str
    subject: str
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(sa_type=UTCDateTime)
    given: Any = Field(default_factory=dict, sa_type=JSON)
    """The rights that the provider's claims gave at the last sign-in, by project ID; an empty ID stands for admin."""


class StoredSignInLink(SQLModel):
    """A link that signs a person in once."""

    id: int = row_id()
    token_hash: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredInvitation(SQLModel):
    """A link with which someone creates an account and joins a project, once."""

    id: int = row_id()
    token_hash: str = Field(unique=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    dimensions_given: list[str] | None = Field(
        default=None, sa_column=Column("dimensions_given", JSON(none_as_null=True), nullable=True)
    )
    """The dimensions as given, if they have changed since (like ``StoredItem.dimension_given``)."""
    dimensions_version: int | None = None
    stages: list[str] | None = Field(default=None, sa_type=JSON)
    invited_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    used_by_id: int | None = Field(default=None, foreign_key="person.id")


class StoredPersonKey(SQLModel):
    """The secret key for deriving a person's pseudonyms (``domain.pseudonyms``). It never leaves this server."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    key: str
    """64 hexadecimal digits."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredDailyGoal(SQLModel):
    """The number of tasks that a person wants to do a day, set by themselves."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    tasks: int
    set_at: datetime = Field(sa_type=UTCDateTime)


class StoredPersonSetting(SQLModel):
    """A setting that a person made for themselves, such as their keys in a stage or their language."""

    person_id: int = Field(primary_key=True, foreign_key="person.id")
    name: str = Field(primary_key=True)
    value: Any = Field(sa_type=JSON)
    set_at: datetime = Field(sa_type=UTCDateTime)


class StoredFailedLogin(SQLModel):
    """A failed attempt to sign in, kept to slow down the next ones."""

    id: int = row_id()
    login: str
    """The login with the origin of the attempt (``db.people.attempts_key``)."""
    at: datetime = Field(sa_type=UTCDateTime)
