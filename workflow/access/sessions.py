"""The sessions in which people are signed in: list and end them."""

from __future__ import annotations

from db import people
from db.engine import Session, Store
from db.records import StoredPerson
from domain.errors import NotAllowedError, NotFoundError
from domain.language import _
from domain.records import OpenSession, Person
from workflow.access import tokens
from workflow.access.accounts import normal_login
from workflow.access.event_log import log


def list_sessions(store: Store, *, by: Person | None, login: str, token: str | None = None) -> list[OpenSession]:
    """Return the live sessions of a person, newest first.

    Parameters
    ----------
    by
        The person, or an admin. None is the command on the machine itself.
    token
        The token of the session that makes the request.

    Raises
    ------
    NotAllowedError
        ``by`` is another person without the rights of an admin.
    """
    this = tokens.hash_of(token) if token else None
    with store.read() as session:
        person = _person(session, by=by, login=login)
        return [
            OpenSession(row.id, row.device, row.created_at, row.used_at or row.created_at, row.token_hash == this)
            for row in people.live_sessions(session, person_id=person.id, now=store.now())
        ]


def revoke_sessions(
    store: Store, *, by: Person | None, login: str, id: int | None = None, keep: str | None = None
) -> int:
    """End the sessions of a person, and return how many ended.

    The next request of an ended session is refused, and its open pages lose their connection within
    ``app.gate.LOOK_SECONDS``.

    Parameters
    ----------
    by
        The person, or an admin. None is the command on the machine itself.
    id
        End only this session. None: end all.
    keep
        The token of a session that stays.

    Raises
    ------
    NotAllowedError
        ``by`` is another person without the rights of an admin.
    NotFoundError
        The session ``id`` has already ended, or is not this person's session.
    """
    with store.write() as session:
        person = _person(session, by=by, login=login)
        kept = tokens.hash_of(keep) if keep else None
        n = people.end_sessions(session, person_id=person.id, id=id, keep_hash=kept)
        if id is not None and not n:
            raise NotFoundError(_("This session has already ended. Reload the list."))
        if n:
            data = {"login": person.login, "sessions": n}
            log(session, "person.sessions_ended", by=by, now=store.now(), data=data)
        return n


def _person(session: Session, *, by: Person | None, login: str) -> StoredPerson:
    login = normal_login(login)
    if by is not None and not by.is_admin and by.login != login:
        raise NotAllowedError(_("Only an admin can see or end the sessions of other people. Ask an admin."))
    row = people.by_login(session, login=login)
    if row is None:
        raise NotFoundError(_("No account has the login {login}. Check the spelling.").format(login=repr(login)))
    return row
