"""Erasing a person: who they were goes for good, what they submitted stays under no name."""

from __future__ import annotations

from dataclasses import dataclass

from db import erasing, people, projects
from db.engine import Store
from domain.errors import Conflict, InvalidInput, NotFound, Problem, Unavailable
from domain.records import Person
from workflow.access.accounts import must_not_be_last, normal_login, person_of
from workflow.access.event_log import log
from workflow.access.held_tasks import give_back_all


@dataclass(frozen=True)
class Erased:
    """What an erasure has left."""

    login: str
    """Of the row that keeps what they submitted."""
    projects: tuple[str, ...]
    """In which they had a part."""
    traces: str = ""
    """Reason why the database's file may still hold the name; empty if it does not."""


def may_be_erased(store: Store, *, login: str) -> Person:
    """The account that is to be erased, before someone types its login. Raises as ``erase`` does."""
    with store.read() as session:
        row = people.by_login(session, login=normal_login(login))
        if row is None:
            raise NotFound(f"There is no account with the login {login!r}.")
        if erasing.was_erased(row):
            raise Conflict(f"{row.login} is what is left of someone who was erased.")
        must_not_be_last(session, by=None, row=row)
        return person_of(row)


def is_erased(store: Store, *, login: str) -> bool:
    """Tell whether an account is the remainder of an erasure."""
    with store.read() as session:
        row = people.by_login(session, login=normal_login(login))
        return row is not None and erasing.was_erased(row)


def erase(store: Store, *, login: str, typed: str) -> Erased:
    """Erase a person, for the command on the machine itself; it cannot be undone.

    Name, login, password, sessions, links, e-mail addresses, drafts, parts in projects and the key of their pseudonyms
    go. What they submitted stays and counts, under a number; so does every release, in which their pseudonym can no
    more be told from anyone else's.

    Raises
    ------
    InvalidInput
        What was typed is not the login.
    NotFound, Conflict
        There is no such account; it is the last active admin, or the last active lead of a project.
    """
    person = may_be_erased(store, login=login)
    if normal_login(typed) != person.login:
        raise InvalidInput([Problem("login", f"{typed!r} is not the login {person.login!r}. No one was erased.")])
    with store.write(archived_too=True) as session:
        row = people.by_login(session, login=person.login)
        if row is None:
            raise NotFound(f"There is no account with the login {person.login!r} any more.")
        theirs = projects.of_person(session, person_id=person.id)
        for id in sorted(project.id for project, _ in theirs):
            projects.lock(session, id=id)
        if person.is_admin:
            people.lock_admins(session)
        must_not_be_last(session, by=None, row=row)
        now = store.now()
        give_back_all(session, person_id=person.id, by=None, now=now)
        erasing.erase(session, row=row)
        left = erasing.called(person.id)
        log(session, "account.erased", now=now, data={"login": left})
        for project, _ in theirs:
            log(session, "account.erased", project=project.id, now=now, data={"login": left})
    return Erased(left, tuple(project.name for project, _ in theirs), _rewrite(store))


def _rewrite(store: Store) -> str:
    """Remove erased data from the database's file, and return why it may still hold them; empty if it does not."""
    try:
        store.rewrite()
    except Unavailable as error:
        return str(error)
    return ""
