"""What judges are asked, and what their replies come to."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Text, false
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, row_id, word_column
from domain.judging import Verdict


class StoredJudgeTemplate(SQLModel):
    """A version of a judge template that a project has used or written. Append-only: an edit is another version."""

    id: int = row_id()
    project_id: int = Field(foreign_key="project.id")
    name: str
    version: int
    hash: str
    """SHA-256 of the text."""
    text: str = Field(sa_type=Text)
    """The whole file, head and all."""
    origin: str = Field(default="", sa_type=Text)
    """Where it came from: a file's name, or the version that it was edited from."""
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class StoredJudgeUnit(SQLModel):
    """One thing that a judge's run asks about: an answer, or two of them in one order, or an attack answer; once for
    each time of asking. Its id is the unit of the run's chunks and attempts."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id", index=True)
    item_id: int = Field(foreign_key="item.id")
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    """The answer that is judged; None: an attack answer, which is no one's."""
    other_id: int | None = Field(default=None, foreign_key="prediction.id")
    """Of a comparison: the answer that it is compared with."""
    swapped: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Of a comparison: the other answer comes first."""
    attack: str | None = None
    """Of an attack answer: which one of the set."""
    sample: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Which time of asking, from 0."""


class StoredJudgement(SQLModel):
    """A reply of a judge as a version of a parser reads it, one row for each criterion. Append-only: reading it again
    with a newer parser adds rows, and the newest version's count."""

    id: int = row_id()
    run_id: int = Field(foreign_key="run.id")
    unit_id: int = Field(foreign_key="judge_unit.id", index=True)
    attempt_id: int = Field(foreign_key="attempt.id")
    criterion: str
    verdict: Verdict = Field(sa_column=word_column(Verdict, Verdict.UNPARSEABLE))
    value: Any = Field(default=None, sa_column=Column("value", JSON(none_as_null=True), nullable=True))
    """Only where ``verdict`` is scored; of a comparison as it was said, whichever answer came first."""
    start: int | None = None
    """With ``end``: where in the reply it stands."""
    end: int | None = None
    why: str = Field(default="", sa_type=Text)
    parser: str
    parser_version: int
    created_at: datetime = Field(sa_type=UTCDateTime)
