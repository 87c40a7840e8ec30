"""What people were told."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from db.records.notices import StoredNoticeMark


class NoticeMarkRow(StoredNoticeMark, table=True):
    __tablename__ = "notice_mark"
    __table_args__ = (UniqueConstraint("person_id", "key"),)
