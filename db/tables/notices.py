"""Tables of notices and emails to people."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.notices import StoredMail, StoredMailChoice, StoredNoticeMark


class NoticeMarkRow(StoredNoticeMark, table=True):
    __tablename__ = "notice_mark"
    __table_args__ = (UniqueConstraint("person_id", "key"),)


class MailChoiceRow(StoredMailChoice, table=True):
    __tablename__ = "mail_choice"


class MailRow(StoredMail, table=True):
    __tablename__ = "mail"
    __table_args__ = (Index("ix_mail_due", "state", "due_at"),)
