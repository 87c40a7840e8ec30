"""Records of comments, answers to adjudication reasons, and people who have seen others' votes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, public_id, row_id


class StoredReasonAnswer(SQLModel):
    """A lead's answer to a senior's reason: the guideline version that answers it, or why none is needed."""

    annotation_id: int = Field(primary_key=True, foreign_key="annotation.id")
    guideline_version_id: int = Field(foreign_key="guideline_version.id", index=True)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredComment(SQLModel):
    """A comment in the thread about an item. Append-only."""

    id: int = row_id()
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    item_id: int = Field(foreign_key="item.id")
    person_id: int = Field(foreign_key="person.id")
    reply_to_id: int | None = Field(default=None, foreign_key="comment.id")
    submit_key: str
    text: str = Field(sa_type=Text)
    early: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether its author says that it reveals nothing, so that the recipient may read it before the verdict."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredCommentFor(SQLModel):
    """A recipient of a comment: someone it mentions, or the author of the comment it replies to."""

    comment_id: int = Field(primary_key=True, foreign_key="comment.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    read_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class StoredInsight(SQLModel):
    """A person who saw an item's votes or comments while others still had open blind tasks about it.

    The person is not asked about the item blind again.
    """

    item_id: int = Field(primary_key=True, foreign_key="item.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
