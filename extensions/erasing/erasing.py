"""Erasing a person: delete their identity for good and keep their submissions without a name."""

from __future__ import annotations

from dataclasses import dataclass

from db import people, projects
from db.engine import Store
from domain.errors import ConflictError, DatabaseUnavailableError, InvalidInputError, NotFoundError, Problem
from domain.records import Person
from extensions.erasing import queries
from workflow.access.accounts import must_not_be_last, normal_login, person_of
from workflow.access.event_log import log
from workflow.access.held_tasks import give_back_all


@dataclass(frozen=True)
class ErasureResult:
    """Result of an erasure."""

    login: str
    """New login of the account that keeps the submissions."""
    projects: tuple[str, ...]
    """Projects in which the person was a member."""
    traces: str = ""
    """Reason why the database's file may still hold the name; empty if it does not."""


def may_be_erased(store: Store, *, login: str) -> Person:
    """Return the account to erase, before its login is typed; raises the same errors as ``erase``."""
    with store.read() as session:
        row = people.by_login(session, login=normal_login(login))
        if row is None:
            raise NotFoundError(f"There is no account with the login {login!r}. Check the login.")
        if queries.was_erased(row):
            raise ConflictError(f"{row.login} is the placeholder of a person who is already erased. Check the login.")
        must_not_be_last(session, by=None, row=row)
        return person_of(row)


def is_erased(store: Store, *, login: str) -> bool:
    """Tell whether an account is the remainder of an erasure."""
    with store.read() as session:
        row = people.by_login(session, login=normal_login(login))
        return row is not None and queries.was_erased(row)


def erase(store: Store, *, login: str, typed: str) -> ErasureResult:
    """Erase a person, for the command on the machine itself; this cannot be undone.

    Name, login, password, sessions, links, email addresses, drafts, memberships and the key of their pseudonyms are
    deleted. Their submissions stay and count, under a number. Releases stay too, but nobody can match the person's
    pseudonym any more.

    Raises
    ------
    InvalidInputError
        The typed text is not the login.
    NotFoundError, ConflictError
        The account does not exist, or it is the last active admin or the last active lead of a project.
    """
    person = may_be_erased(store, login=login)
    if normal_login(typed) != person.login:
        raise InvalidInputError(
            [
                Problem(
                    "login",
                    f"{typed!r} is not the login {person.login!r}. Nothing was erased. Run the command again, and "
                    f"type the "
                    "login.",
                )
            ]
        )
    with store.write(archived_too=True) as session:
        row = people.by_login(session, login=person.login)
        if row is None:
            raise NotFoundError(f"The account with the login {person.login!r} no longer exists. Check the login.")
        theirs = projects.of_person(session, person_id=person.id)
        for id in sorted(project.id for project, _ in theirs):
            projects.lock(session, id=id)
        if person.is_admin:
            people.lock_admins(session)
        must_not_be_last(session, by=None, row=row)
        now = store.now()
        give_back_all(session, person_id=person.id, by=None, now=now)
        queries.erase(session, row=row)
        left = queries.called(person.id)
        log(session, "account.erased", now=now, data={"login": left})
        for project, _ in theirs:
            log(session, "account.erased", project=project.id, now=now, data={"login": left})
    return ErasureResult(left, tuple(project.name for project, _ in theirs), _rewrite(store))


def _rewrite(store: Store) -> str:
    """Remove erased data from the database file; return why the file may still hold them, or an empty text."""
    try:
        store.rewrite()
    except DatabaseUnavailableError as error:
        return str(error)
    return ""
