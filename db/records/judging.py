"""Records of the questions that judges are asked, and the scores read from their replies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.judging import ReplyOutcome


class StoredJudgeTemplate(SQLModel):
    """A version of a judge template that a project has used or written. Append-only: an edit is another version."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    version: int
    hash: str
    """SHA-256 of the text."""
    text: str = Field(sa_type=Text)
    """The whole file, including its header."""
    origin: str = Field(default="", sa_type=Text)
    """The origin: a file's name, or the version that was edited."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredJudgeUnit(SQLModel):
    """A unit that a judge's run asks about, once for each sample: an answer, an ordered pair of answers, or an attack.

    Its id is the unit of the run's chunks and attempts.
    """

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id", index=True)
    item_id: int = Field(foreign_key="item.id")
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    """The answer that is judged. None: an attack answer, which belongs to no model."""
    other_id: int | None = Field(default=None, foreign_key="prediction.id")
    """In a comparison: the other answer."""
    swapped: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """In a comparison: whether the other answer comes first."""
    attack: str | None = None
    """In an attack: the name of the attack answer in its set."""
    sample: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of the sample, from 0."""


class StoredJudgement(SQLModel):
    """A judge's reply as a version of a parser reads it, one row for each criterion.

    Append-only: reading the reply again with a newer parser adds rows, and the newest version counts.
    """

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    unit_id: int = Field(foreign_key="judge_unit.id", index=True)
    attempt_id: int = Field(foreign_key="attempt.id")
    criterion: str
    verdict: ReplyOutcome = Field(sa_column=word_column(ReplyOutcome, ReplyOutcome.UNPARSEABLE))
    value: Any = Field(default=None, sa_column=Column("value", JSON(none_as_null=True), nullable=True))
    """The score, only if ``verdict`` is scored. In a comparison it refers to the order in which the judge saw the
    answers.
    """
    start: int | None = None
    """With ``end``: the position of the score in the reply."""
    end: int | None = None
    why: str = Field(default="", sa_type=Text)
    parser: str
    parser_version: int
    created_at: datetime = Field(sa_type=UTCDateTime)
