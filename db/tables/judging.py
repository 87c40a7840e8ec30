"""Tables of the questions that judges are asked, and the scores read from their replies."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.judging import StoredJudgement, StoredJudgeTemplate, StoredJudgeUnit


class JudgeTemplateRow(StoredJudgeTemplate, table=True):
    __tablename__ = "judge_template"
    __table_args__ = (
        UniqueConstraint("project_id", "name", "version"),
        UniqueConstraint("project_id", "hash"),
    )


class JudgeUnitRow(StoredJudgeUnit, table=True):
    __tablename__ = "judge_unit"


class JudgementRow(StoredJudgement, table=True):
    __tablename__ = "judgement"
    __table_args__ = (
        UniqueConstraint("attempt_id", "criterion", "parser", "parser_version"),
        Index("ix_judgement_run_id_verdict", "run_id", "verdict", "id"),
    )
