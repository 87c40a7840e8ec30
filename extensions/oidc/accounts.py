"""The accounts of identities: find or make the account of a sign-in, link an identity, and store roles from claims.

An identity is an issuer and a subject. An email address never finds an account, because a provider may give it to
another person, or not check it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from db import people, projects
from db.engine import IntegrityError, Session, Store
from db.records import StoredIdentity, StoredMember, StoredPerson
from domain.errors import AlreadyTakenError, ConflictError, NotAllowedError, NotFoundError, SchemaError
from domain.language import _, marked
from domain.records import MemberSettings, Person
from domain.roles import Role
from domain.states import Stage
from extensions.oidc import queries
from extensions.oidc.role_mapping import ADMIN, GrantedRoles, claim_values
from extensions.oidc.settings import NewAccounts, OidcSettings
from workflow.access import accounts, memberships
from workflow.access.event_log import log
from workflow.access.projects import lead_alone

REASON: Mapping[str, str] = {"reason": "claims"}
"""The data of events that the roles of claims cause."""
ADMIN_KEY = ""
"""The key of the admin's right in ``StoredIdentity.given``. No project has an empty ID."""
NO_ACCOUNT = marked(
    "No account on this server belongs to your identity. Open the invitation link of your project's lead first, or ask "
    "an admin to link your account to the identity {subject}."
)
DEACTIVATED = marked("Your account on this server is deactivated. Ask an admin to reactivate the account.")
MOST_LOGINS = 50
"""How many logins are tried for a new account."""


@dataclass(frozen=True)
class Identity:
    """A person as a checked ID token describes them."""

    issuer: str
    subject: str
    login: str
    """The login that the person would like."""
    name: str
    values: frozenset[str] = field(default_factory=frozenset)
    """The values of the claim with the roles."""


def identity_of(claims: Mapping[str, Any], settings: OidcSettings) -> Identity:
    """Return the identity in the claims of a checked ID token."""
    named = [claims.get(name) for name in ("preferred_username", "email", "sub")]
    login = next(text for text in named if isinstance(text, str) and text.strip())
    login = accounts.normal_login("".join(letter for letter in login if letter.isprintable() and not letter.isspace()))
    name = claims.get("name")
    shown = "".join(letter for letter in name if letter.isprintable()).strip() if isinstance(name, str) else ""
    return Identity(
        issuer=str(claims["iss"]),
        subject=str(claims["sub"]),
        login=login[:90] or "person",
        name=shown[:200] or login[:90] or "person",
        values=claim_values(claims, settings.oidc_claim),
    )


def sign_in(store: Store, *, identity: Identity, settings: OidcSettings, invitation: str = "") -> Person:
    """Return the person of an identity, with the roles that the claims give now.

    Parameters
    ----------
    invitation
        The token of an invitation that a new account uses up.

    Raises
    ------
    NotAllowedError
        Nobody has the identity, and the person may not get an account; or the account is deactivated.
    """
    granted = settings.mapping.granted(identity.values)
    for number in range(1, MOST_LOGINS):
        try:
            with store.write(archived_too=True) as session:
                now = store.now()
                found = queries.find(session, issuer=identity.issuer, subject=identity.subject)
                stored, row = found or _new_account(session, identity, settings, granted, invitation, number, now)
                if not row.active:
                    raise NotAllowedError(_(DEACTIVATED))
                given = apply_roles(session, row=row, granted=granted, before=stored.given, now=now)
                if given != stored.given:
                    queries.set_given(session, row=stored, given=given)
                return accounts.person_of(row)
        except IntegrityError:  # the login is in use, or the same person signs in twice at once
            continue
    raise AlreadyTakenError(_("The login {login} is already in use. Ask an admin.").format(login=repr(identity.login)))


def _new_account(
    session: Session,
    identity: Identity,
    settings: OidcSettings,
    granted: GrantedRoles,
    invitation: str,
    number: int,
    now: datetime,
) -> tuple[StoredIdentity, StoredPerson]:
    invited = accounts.lock_invitation(session, token=invitation, now=now) if invitation else None
    mapped = settings.oidc_accounts == NewAccounts.MAPPED and granted.is_mapped
    if invited is None and not mapped and settings.oidc_accounts != NewAccounts.ALL:
        raise NotAllowedError(_(NO_ACCOUNT).format(subject=identity.subject))
    login = identity.login if number == 1 else f"{identity.login}-{number}"
    row = accounts.add_person(session, login=login, name=identity.name, password_hash=None, now=now)
    if invited is not None:
        accounts.spend_invitation(session, row=invited, person=row, now=now)
    return _link(session, row, identity.issuer, identity.subject, by=row, now=now), row


def _link(
    session: Session, row: StoredPerson, issuer: str, subject: str, *, by: StoredPerson | None, now: datetime
) -> StoredIdentity:
    stored = queries.add(session, issuer=issuer, subject=subject, person_id=row.id, now=now)
    data = {"login": row.login, "issuer": issuer, "subject": subject}
    log(session, "person.identity_linked", by=by, now=now, data=data)
    return stored


def link(store: Store, *, login: str, issuer: str, subject: str) -> Person:
    """Let the person with this login sign in with an identity (for the command on the machine itself).

    Raises
    ------
    NotFoundError
        No account has the login.
    AlreadyTakenError
        The identity belongs to an account.
    """
    try:
        with store.write() as session:
            row = _required(session, login)
            _link(session, row, issuer, subject, by=None, now=store.now())
            return accounts.person_of(row)
    except IntegrityError as error:
        raise AlreadyTakenError(
            f"The identity {subject!r} is already linked to an account. To see all links, run `touchstone identity "
            "list`."
        ) from error


def unlink(store: Store, *, login: str) -> int:
    """Remove all identities of a person, and return how many there were."""
    with store.write() as session:
        row = _required(session, login)
        n = queries.remove_all(session, person_id=row.id)
        if n:
            log(session, "person.identity_unlinked", now=store.now(), data={"login": row.login})
        return n


def _required(session: Session, login: str) -> StoredPerson:
    row = people.by_login(session, login=accounts.normal_login(login))
    if row is None:
        raise NotFoundError(f"No account has the login {login!r}. Check the spelling.")
    return row


# ---- roles ----------------------------------------------------------------------------------------------------------


def apply_roles(
    session: Session, *, row: StoredPerson, granted: GrantedRoles, before: Mapping[str, str], now: datetime
) -> dict[str, str]:
    """Give the rights that claims give now, take those that they gave ``before``, and log each change.

    A right that someone gave by hand stays. The last admin and the last lead of a project keep their right, and the log
    says so. Returns the rights that claims give now, in the form of ``StoredIdentity.given``.
    """
    given: dict[str, str] = {}
    for project in sorted({*before, *granted.roles} - {ADMIN_KEY}):
        wanted, was = granted.roles.get(project), before.get(project)
        if wanted is not None or not _take_role(session, row, project, was, now):
            given[project] = _give_role(session, row, project, wanted, now) if wanted is not None else str(was)
    if granted.is_admin or (ADMIN_KEY in before and not _take_admin(session, row, now)):
        given[ADMIN_KEY] = ADMIN
    if granted.is_admin and not row.is_admin:
        people.lock_admins(session)
        people.set_admin(session, row=row, is_admin=True)
        log(session, "person.admin_given", by=row, now=now, data={"login": row.login, **REASON})
    return given


def _take_admin(session: Session, row: StoredPerson, now: datetime) -> bool:
    """Take the right of an admin. Return False if the person is the last active admin."""
    if not row.is_admin:
        return True
    people.lock_admins(session)
    is_last = people.active_admins(session) == [row.id]
    if not is_last:
        people.set_admin(session, row=row, is_admin=False)
    kind = "person.admin_kept" if is_last else "person.admin_taken"
    log(session, kind, by=row, now=now, data={"login": row.login, **REASON})
    return not is_last


def _give_role(session: Session, row: StoredPerson, name: str, wanted: Role, now: datetime) -> str:
    """Give a role in a project, and return the role. The person's dimensions and stages stay."""
    member = _member(session, row, name)
    if member is None or member.role is not wanted:
        stages = [Stage(stage) for stage in member.stages] if member and member.stages is not None else None
        part = MemberSettings(row.login, wanted, member.dimensions if member else None, stages)
        with _unless_refused(session, row, name, now):
            access = lead_alone(session, by=None, project=name)
            memberships.put_part(session, access, part, by=None, now=now, reason=REASON)
    return wanted.value


def _take_role(session: Session, row: StoredPerson, name: str, was: str | None, now: datetime) -> bool:
    """Take a role that claims gave, unless someone has changed it since. Return False if nobody may take it."""
    member = _member(session, row, name)
    if member is None or member.role.value != was:
        return True
    with _unless_refused(session, row, name, now):
        memberships.take_out(
            session, lead_alone(session, by=None, project=name), row.login, by=None, now=now, reason=REASON
        )
        return True
    return False


def _member(session: Session, row: StoredPerson, name: str) -> StoredMember | None:
    project = projects.by_name(session, name=name)
    return projects.member(session, project_id=project.id, person_id=row.id) if project is not None else None


@contextmanager
def _unless_refused(session: Session, row: StoredPerson, name: str, now: datetime) -> Iterator[None]:
    """Log the refusal to change a role. The sign-in goes on."""
    try:
        yield
    except ConflictError:
        project = projects.by_name(session, name=name)
        data = {"login": row.login, **REASON}
        log(session, "member.role_kept", project=project.id if project else None, now=now, data=data)
    except (NotFoundError, SchemaError) as error:
        logging.getLogger(__name__).warning("The role of %s in %s did not change: %s", row.login, name, error)
