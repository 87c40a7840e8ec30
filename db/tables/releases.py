"""Tables of releases."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint

from db.records import StoredRelease, StoredReleaseAbout, StoredReleaseItem, StoredWithdrawal


class ReleaseRow(StoredRelease, table=True):
    __tablename__ = "release"
    __table_args__ = (UniqueConstraint("project_id", "number", "point"),)


class ReleaseItemRow(StoredReleaseItem, table=True):
    __tablename__ = "release_item"


class WithdrawalRow(StoredWithdrawal, table=True):
    __tablename__ = "withdrawal"


class ReleaseAboutRow(StoredReleaseAbout, table=True):
    __tablename__ = "release_about"
    __table_args__ = (UniqueConstraint("project_id", "number"),)
