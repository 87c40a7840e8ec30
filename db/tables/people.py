"""Tables of people, their sessions and invitations."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from db.records.people import (
    StoredDailyGoal,
    StoredFailedLogin,
    StoredIdentity,
    StoredInvitation,
    StoredPerson,
    StoredPersonKey,
    StoredPersonSetting,
    StoredSession,
    StoredSignInLink,
)


class PersonRow(StoredPerson, table=True):
    __tablename__ = "person"


class SessionRow(StoredSession, table=True):
    __tablename__ = "session"


class IdentityRow(StoredIdentity, table=True):
    __tablename__ = "identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)


class SignInLinkRow(StoredSignInLink, table=True):
    __tablename__ = "sign_in_link"


class InvitationRow(StoredInvitation, table=True):
    __tablename__ = "invitation"


class PersonKeyRow(StoredPersonKey, table=True):
    __tablename__ = "person_key"


class DailyGoalRow(StoredDailyGoal, table=True):
    __tablename__ = "daily_goal"


class PersonSettingRow(StoredPersonSetting, table=True):
    __tablename__ = "person_setting"


class FailedLoginRow(StoredFailedLogin, table=True):
    __tablename__ = "failed_login"
    __table_args__ = (Index("ix_failed_login_login_at", "login", "at"),)
