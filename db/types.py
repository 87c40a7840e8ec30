"""Column types: UTC times, enums stored by value, random public ids; and the naming of constraints."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, DateTime, Dialect, Enum
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
"""The naming of constraints. Every module of tables imports this module first, so all databases use the same names."""


class UTCDateTime(TypeDecorator[datetime]):
    """A moment, stored and returned in UTC. A time without a zone is a bug and is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def enum_column(kind: type[StrEnum]) -> Column[Any]:
    """Return a column for the values of an enum that the database checks."""
    return Column(
        Enum(
            kind,
            values_callable=lambda members: [member.value for member in members],
            native_enum=False,
            create_constraint=True,
            length=32,
            name=kind.__name__.lower(),
        ),
        nullable=False,
    )


def word_column(kind: type[StrEnum], default: StrEnum | None = None) -> Column[Any]:
    """Return a column for the values of an enum that may grow: the database does not check them."""
    return Column(
        Enum(
            kind,
            values_callable=lambda members: [member.value for member in members],
            native_enum=False,
            create_constraint=False,
            length=32,
        ),
        nullable=False,
        server_default=default.value if default is not None else None,
    )


def row_id() -> Any:
    """Return the key that the database sets when a row is stored. A new row has no key."""
    return Field(default=None, primary_key=True)


def public_id() -> str:
    """Return a random id that reveals nothing and cannot be guessed.

    It never begins with a dash, because a command would take it for an option.
    """
    while (drawn := secrets.token_urlsafe(12)).startswith("-"):
        pass
    return drawn
