"""Accounts: create them by command or by invitation, name them, and deactivate them.

``sign_in.py`` handles how their owners sign in.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from db import people, projects
from db.engine import IntegrityError, Session, Store
from db.records import StoredInvitation, StoredPerson
from domain.errors import AlreadyTakenError, ConflictError, InvalidInputError, NotAllowedError, NotFoundError, Problem
from domain.language import _
from domain.records import Invitation, OpenInvitation, Person
from domain.roles import Role
from domain.states import Stage
from workflow.access import passwords, tokens
from workflow.access.event_log import log
from workflow.access.held_tasks import give_back_all
from workflow.access.projects import keep_a_lead, may_create, require_lead, subset_of_schema

INVITATION_DAYS = 14


def create_person(
    store: Store, *, login: str, name: str, password: str | None = None, is_admin: bool = False
) -> Person:
    """Create an account; without a password its owner signs in by link until they set one."""
    login = normal_login(login)
    problems = problems_with(login, name, password)
    if problems:
        raise InvalidInputError(problems)
    hashed = passwords.hash_of(password) if password is not None else None
    try:
        with store.write() as session:
            now = store.now()
            return person_of(
                add_person(session, login=login, name=name, password_hash=hashed, is_admin=is_admin, now=now)
            )
    except IntegrityError as error:
        raise AlreadyTakenError(_taken(login)) from error


def _taken(login: str) -> str:
    return _("The login {login} is already in use. Choose another login.").format(login=repr(login))


def invite(
    store: Store,
    *,
    by: Person | None,
    project: str,
    role: Role,
    dimensions: Sequence[str] | None = None,
    stages: Sequence[Stage] | None = None,
    days: float = INVITATION_DAYS,
) -> str:
    """Return the token of a link with which a person can create one account and join a project."""
    token = secrets.token_urlsafe(32)
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        kept_dimensions, kept_stages = subset_of_schema(access, dimensions=dimensions, stages=stages)
        now = store.now()
        people.add_invitation(
            session,
            token_hash=tokens.hash_of(token),
            project_id=access.project_id,
            role=role,
            dimensions=kept_dimensions,
            stages=kept_stages,
            invited_by_id=by.id if by else None,
            now=now,
            expires_at=now + timedelta(days=days),
        )
        log(session, "person.invited", by=by, project=access, now=now, data={"role": role.value})
    return token


def invitation(store: Store, *, token: str) -> Invitation | None:
    """Return what an unused invitation offers, or None."""
    with store.read() as session:
        row = people.invitation(session, token_hash=tokens.hash_of(token), now=store.now())
        if row is None:
            return None
        project = projects.by_id(session, id=row.project_id)
        return Invitation(
            project=project.name,
            title=project.title,
            role=row.role,
            dimensions=tuple(row.dimensions) if row.dimensions is not None else None,
            expires_at=row.expires_at,
        )


def open_invitations(store: Store, *, by: Person | None, project: str) -> list[OpenInvitation]:
    """Return the invitations to a project that someone can still accept, newest first; leads only."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        return [
            OpenInvitation(
                id=row.id,
                role=row.role,
                dimensions=tuple(row.dimensions) if row.dimensions is not None else None,
                stages=tuple(Stage(stage) for stage in row.stages) if row.stages is not None else None,
                by=name,
                created_at=row.created_at,
                expires_at=row.expires_at,
            )
            for row, name in people.open_invitations(session, project_id=access.project_id, now=store.now())
        ]


def revoke_invitation(store: Store, *, by: Person | None, project: str, id: int) -> None:
    """End an open invitation, so that nobody can accept it any more; leads only.

    Raises
    ------
    ConflictError
        The invitation has already been used or revoked, or has expired.
    """
    with store.write(archived_too=True) as session:
        access = require_lead(session, by=by, project=project)
        now = store.now()
        if not people.revoke_invitation(session, id=id, project_id=access.project_id, now=now):
            raise ConflictError("This invitation has already been used or revoked, or has expired.")
        log(session, "person.invitation_revoked", by=by, project=access, now=now)


def accept_invitation(store: Store, *, token: str, login: str, name: str, password: str) -> Person:
    """Create the account that an invitation offers, join its project, and use up the invitation."""
    login = normal_login(login)
    problems = problems_with(login, name, password)
    if problems:
        raise InvalidInputError(problems)
    hashed = passwords.hash_of(password)
    try:
        with store.write() as session:
            now = store.now()
            row = lock_invitation(session, token=token, now=now)
            person = add_person(session, login=login, name=name, password_hash=hashed, now=now)
            spend_invitation(session, row=row, person=person, now=now)
            return person_of(person)
    except IntegrityError as error:
        raise AlreadyTakenError(_taken(login)) from error


def lock_invitation(session: Session, *, token: str, now: datetime) -> StoredInvitation:
    """Return an open invitation, locked until the transaction ends.

    Raises
    ------
    NotAllowedError
        The invitation has been used or has expired.
    """
    row = people.invitation(session, token_hash=tokens.hash_of(token), now=now, lock=True)
    if row is None:
        raise NotAllowedError(_("This invitation has already been used or has expired. Ask for a new invitation."))
    return row


def spend_invitation(session: Session, *, row: StoredInvitation, person: StoredPerson, now: datetime) -> None:
    """Use up a locked invitation: the person of a new account joins its project."""
    people.spend_invitation(session, row=row, person_id=person.id, now=now)
    projects.put_member(
        session,
        project_id=row.project_id,
        person_id=person.id,
        role=row.role,
        dimensions=row.dimensions,
        stages=row.stages,
    )
    log(session, "member.joined", by=person, project=row, now=now)


def ensure_first_admin(store: Store) -> str | None:
    """Create the account ``admin`` if there is no admin; return its random password, which is shown once."""
    with store.read() as session:
        if people.any_admin(session):
            return None
    password = secrets.token_urlsafe(15)
    try:
        create_person(store, login="admin", name="Admin", password=password, is_admin=True)
    except AlreadyTakenError:  # another process was faster, or the login belongs to someone who is no admin
        return None
    return password


def set_password(store: Store, *, login: str, password: str) -> Person:
    """Set a new password (for the command on the machine itself) and end the account's sessions."""
    login = normal_login(login)
    problems = problems_with(login, "-", password)
    if problems:
        raise InvalidInputError(problems)
    hashed = passwords.hash_of(password)
    with store.write() as session:
        row = _required(people.by_login(session, login=login), login)
        people.set_password(session, row=row, password_hash=hashed)
        people.end_sessions(session, person_id=person_of(row).id)
        people.forget_all_failures(session, login=login)
        log(session, "person.password_set", by=row, now=store.now())
        return person_of(row)


def set_active(store: Store, *, login: str, active: bool, by: Person | None = None) -> Person:
    """Deactivate an account or activate it again.

    Nobody can sign in with a deactivated account: its sessions end, its links stop working, and its tasks go back to
    other people. Its submissions stay, under its name, and count.

    Raises
    ------
    NotAllowedError
        ``by`` is neither an admin nor a lead of all projects of this account. None is the command on the machine
        itself.
    ConflictError
        The account is the caller's own, the last active admin, or the last active lead of a project.
    """
    login = normal_login(login)
    with store.write() as session:
        row = _required(people.by_login(session, login=login), login)
        person = person_of(row)
        _alone(session, by=by, person=person)
        _may_set_active(session, by=by, person=person)
        if row.active == active:
            return person
        if not active:
            must_not_be_last(session, by=by, row=row)
        now, given_back = store.now(), 0
        if active:
            people.activate(session, row=row)
        else:
            people.deactivate(session, row=row)
            people.end_sessions(session, person_id=person.id)
            people.spend_links(session, person_id=person.id, now=now)
            given_back = give_back_all(session, person_id=person.id, by=by, now=now)
        kind = "person.activated" if active else "person.deactivated"
        data = {"login": row.login} | ({} if active else {"given_back": given_back})
        log(session, kind, by=by, now=now, data=data)
        for project, _ in projects.of_person(session, person_id=person.id):
            log(session, kind, by=by, project=project.id, now=now, data=data)
        return person


def leads_any(store: Store, *, person: Person) -> bool:
    """Return whether a person is an admin or leads a project."""
    with store.read() as session:
        return may_create(session, person)


def may_set_active(store: Store, *, by: Person, login: str) -> bool:
    """Return whether a person may deactivate or activate that account."""
    with store.read() as session:
        row = _required(people.by_login(session, login=normal_login(login)), login)
        try:
            _may_set_active(session, by=by, person=person_of(row))
        except NotAllowedError:
            return False
        return by.id != row.id


def _may_set_active(session: Session, *, by: Person | None, person: Person) -> None:
    if by is None or by.is_admin:
        return
    theirs = {project.id for project, _ in projects.of_person(session, person_id=person.id)}
    leads = {project.id for project, member in projects.of_person(session, person_id=by.id) if member.role is Role.LEAD}
    if person.is_admin or not theirs or not theirs <= leads:
        raise NotAllowedError(
            "Only an admin, or a lead of all of this person's projects, can activate or deactivate this account. "
            "Ask an admin."
        )


def _alone(session: Session, *, by: Person | None, person: Person) -> None:
    """Lock the person's projects and, for an admin, the list of admins, until the transaction ends.

    So nobody can change the leads of these projects or the admins at the same time.
    """
    for id in sorted(project.id for project, _member in projects.of_person(session, person_id=person.id)):
        projects.lock(session, id=id)
    if person.is_admin:
        people.lock_admins(session)
    if by is not None and not people.is_active(session, id=by.id):  # by the person whose lock this call waited for
        raise NotAllowedError(
            "Your account was deactivated. Nothing was changed. Ask an admin to reactivate the account."
        )


def must_not_be_last(session: Session, *, by: Person | None, row: StoredPerson) -> None:
    """Raise ``ConflictError`` for the caller's own account, the last active admin, and the last active lead of a
    project.
    """
    if by is not None and by.id == row.id:
        raise ConflictError("You cannot deactivate your own account. Ask another admin.")
    if row.is_admin and people.active_admins(session) == [row.id]:
        raise ConflictError("This person is the last active admin. Make another person an admin first.")
    for project, _member in projects.of_person(session, person_id=row.id):
        keep_a_lead(session, project_id=project.id, without=row)


def find_person(store: Store, *, login: str) -> Person:
    """Return the account with that login."""
    with store.read() as session:
        return person_of(_required(people.by_login(session, login=normal_login(login)), login))


def names(store: Store, *, logins: Iterable[str]) -> dict[str, str]:
    """Return people's names by login, for a page that shows them; unknown logins are left out."""
    with store.read() as session:
        return people.called(session, logins=logins)


def active_accounts(store: Store) -> list[Person]:
    """Return all active accounts, ordered by login (for the command on the machine itself)."""
    with store.read() as session:
        return [person_of(row) for row in people.all_people(session) if row.active]


def normal_login(login: str) -> str:
    """Return a login in its stored form: without surrounding space and in lower case."""
    return login.strip().casefold()


def person_of(row: StoredPerson) -> Person:
    """Return the record of a stored person."""
    return Person(id=row.id, login=row.login, name=row.name, is_admin=row.is_admin)


def add_person(
    session: Session, *, login: str, name: str, password_hash: str | None, is_admin: bool = False, now: datetime
) -> StoredPerson:
    """Create an account from checked data (``problems_with``). Raise ``IntegrityError`` if the login is in use."""
    row = people.add(session, login=login, name=name.strip(), password_hash=password_hash, is_admin=is_admin, now=now)
    log(session, "person.created", by=row, now=row.created_at)
    return row


def _required(row: StoredPerson | None, login: str) -> StoredPerson:
    if row is None:
        raise NotFoundError(f"No account has the login {login!r}. Check the spelling.")
    return row


def problems_with(login: str, name: str, password: str | None = None) -> list[Problem]:
    """Return the problems with a new account's data; empty if the data is valid."""
    problems = []
    if (
        not login
        or login != normal_login(login)
        or len(login) > 100
        or any(letter.isspace() or not letter.isprintable() for letter in login)
    ):
        problems.append(Problem("login", _("Enter a login of 1 to 100 characters without spaces.")))
    if not name.strip() or len(name) > 200 or not name.isprintable():
        problems.append(Problem("name", _("Enter a name of 1 to 200 characters.")))
    if password is not None and not passwords.SHORTEST <= len(password) <= 1000:
        problems.append(
            Problem("password", _("Enter a password of at least {n} characters.").format(n=passwords.SHORTEST))
        )
    return problems
