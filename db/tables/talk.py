"""Tables of comments, answers to adjudication reasons, and people who have seen others' votes."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.talk import StoredComment, StoredCommentFor, StoredInsight, StoredReasonAnswer


class ReasonAnswerRow(StoredReasonAnswer, table=True):
    __tablename__ = "cause_answer"


class CommentRow(StoredComment, table=True):
    __tablename__ = "comment"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key"),
        Index("ix_comment_item_id_id", "item_id", "id"),
        Index("ix_comment_project_id_id", "project_id", "id"),
    )


class CommentForRow(StoredCommentFor, table=True):
    __tablename__ = "comment_for"


class InsightRow(StoredInsight, table=True):
    __tablename__ = "insight"
