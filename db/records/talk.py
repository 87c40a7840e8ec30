"""What is said about items: comments, adjudication reasons, and who has seen others' votes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id


class StoredReasonAnswer(SQLModel):
    """What a lead has made of the reason for a senior's decision: the version that answers it, or why none has to."""

    annotation_id: int = Field(primary_key=True, foreign_key="annotation.id")
    guideline_version_id: int = Field(foreign_key="guideline_version.id", index=True)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredComment(SQLModel):
    """A remark about an item, in the thread that all remarks about it make. Append-only."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    item_id: int = Field(foreign_key="item.id")
    person_id: int = Field(foreign_key="person.id")
    reply_to_id: int | None = Field(default=None, foreign_key="comment.id")
    submit_key: str
    text: str = Field(sa_type=Text)
    early: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Its writer says that it gives nothing away, so the person it is for may read it before the verdict."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredCommentFor(SQLModel):
    """Whom a comment is for: people it mentions, and the writer of what it answers."""

    comment_id: int = Field(primary_key=True, foreign_key="comment.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    read_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredInsight(SQLModel):
    """Who has looked at an item's votes or comments while others still answered about it blind: they are asked about it
    blind no more."""

    item_id: int = Field(primary_key=True, foreign_key="item.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
