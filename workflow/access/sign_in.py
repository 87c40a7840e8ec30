"""Sign-in by password or by link, and sessions.

Failed attempts are counted in the database, where all processes see them. ``accounts.py`` manages the accounts.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from db import people, projects
from db.engine import Store
from domain.errors import DatabaseUnavailableError, NotAllowedError
from domain.language import _, marked
from domain.records import Person, SignedIn
from workflow.access import passwords, tokens
from workflow.access.accounts import normal_login, person_of
from workflow.access.event_log import log

SESSION_DAYS = 30
USE_NOTED_EVERY = timedelta(minutes=5)
"""How often a session in use stores the time of its last request."""
FREE_FAILURES = 5
"""Number of failed attempts without a wait; each further failure doubles the wait, up to ``LONGEST_WAIT``."""
LONGEST_WAIT = timedelta(minutes=5)
FAILURES_COUNT_FOR = timedelta(minutes=30)
EVENTS_OF_FAILURES = 20
"""Maximum number of failed logins that one origin leaves in the event log within that time, one for each login."""

WRONG = marked(
    "The login or the password is wrong. Enter the login and the password again. After several failed attempts, "
    "wait a few minutes."
)

NO_DEMO_PERSON = marked("This person is not in the demo. Go back to the sign-in page and choose another person.")


def authenticate(store: Store, *, login: str, password: str, origin: str = "") -> Person:
    """Return the person with that login and password; every failure raises ``NotAllowedError`` with the same sentence.

    The attempt is counted before the password is checked, so that parallel guesses count too. An unknown login takes as
    long as a wrong password.

    Parameters
    ----------
    origin
        Source of the attempt: an address, or a browser in which this login has signed in before. Failures slow down
        only their own origin, so that nobody can lock another person out by guessing.
    """
    login = normal_login(login)[:200]
    if not login.isprintable():  # no account has such a login, and some databases cannot store it
        passwords.matches(None, password)
        raise NotAllowedError(_(WRONG))
    with store.write() as session:
        now = store.now()
        key, since = people.attempts_key(login, origin), now - FAILURES_COUNT_FOR
        n, last = people.failures(session, key=key, since=since)
        if last is not None and n >= FREE_FAILURES and now < last + _wait_after(n):
            raise NotAllowedError(_(WRONG))
        first_of_burst = n == 0 and people.logins_tried(session, origin=origin, since=since) < EVENTS_OF_FAILURES
        people.note_failure(session, key=key, now=now)
        row = people.by_login(session, login=login)
    if not passwords.matches(row.password_hash if row is not None else None, password) or row is None or not row.active:
        if first_of_burst:  # a burst of guesses leaves one event
            with store.write() as session:
                known = row.id if row is not None else None
                log(session, "person.sign_in_failed", by=known, now=now, data={"login": login})
        raise NotAllowedError(_(WRONG))
    with store.write() as session:
        people.forget_failures(session, key=key, before=since)
    return person_of(row)


_DEMO = "demo."
"""The beginning of the tokens of the demo's people, who gave no password. Other tokens have no dot."""


def start_session(store: Store, *, person: Person, demo: bool = False, device: str = "") -> str:
    """Sign a person in and return the token for their cookie, which is not stored.

    The token of a ``demo`` session works only on servers of the demo. ``device`` names the browser and the system.
    """
    token = (_DEMO if demo else "") + secrets.token_urlsafe(32)
    with store.write() as session:
        now = store.now()
        people.forget_expired_sessions(session, person_id=person.id, now=now)
        people.add_session(
            session,
            token_hash=tokens.hash_of(token),
            person_id=person.id,
            csrf=secrets.token_urlsafe(24),
            now=now,
            expires_at=now + timedelta(days=SESSION_DAYS),
            device=device,
        )
        log(session, "person.signed_in", by=person, now=now)
    return token


def signed_in(store: Store, *, token: str, demo: bool = False) -> SignedIn | None:
    """Return the person of a session, or None if it does not exist, has ended, or is for a server of the ``demo``."""
    if not token or (token.startswith(_DEMO) and not demo):
        return None
    now, token_hash = store.now(), tokens.hash_of(token)
    with store.read() as session:
        session_and_person = people.session_with_person(session, token_hash=token_hash, now=now)
        if session_and_person is None:
            return None
        row, person, language = session_and_person
        found = SignedIn(person=person_of(person), csrf=row.csrf, language=language)
    if now - (row.used_at or row.created_at) > USE_NOTED_EVERY:
        # Without the database, the page can still be read, and a later request stores the use.
        with suppress(DatabaseUnavailableError), store.write(unhurried=True) as session:
            people.note_session_use(session, token_hash=token_hash, now=now)
    return found


def end_session(store: Store, *, token: str) -> None:
    """Sign out."""
    with store.write() as session:
        people.end_session(session, token_hash=tokens.hash_of(token))


def make_sign_in_link(store: Store, *, person: Person, hours: float = 24) -> str:
    """Return the token of a link that signs a person in once."""
    token = secrets.token_urlsafe(32)
    with store.write() as session:
        now = store.now()
        expires_at = now + timedelta(hours=hours)
        people.add_link(session, token_hash=tokens.hash_of(token), person_id=person.id, now=now, expires_at=expires_at)
    return token


def use_sign_in_link(store: Store, *, token: str) -> Person:
    """Return the person of a sign-in link and use up the link."""
    with store.write() as session:
        person_id = people.use_link(session, token_hash=tokens.hash_of(token), now=store.now())
        row = people.by_id(session, id=person_id) if person_id is not None else None
        if row is None or not row.active:
            raise NotAllowedError(_("This sign-in link has already been used or has expired. Ask for a new link."))
        return person_of(row)


def demo_person(store: Store, *, login: str, logins: Collection[str]) -> Person:
    """Return a person of the demo, who signs in without a password.

    ``logins`` are those of all the demo's people. None of them signs in this way who could see what others made: an
    admin, an account with a password, or a member of a project of other people.
    """
    with store.read() as session:
        row = people.by_login(session, login=login) if login in logins else None
        if row is None or not row.active or row.is_admin or row.password_hash is not None:
            raise NotAllowedError(_(NO_DEMO_PERSON))
        for project, _member in projects.of_person(session, person_id=row.id):
            members = projects.members(session, project_id=project.id)
            if not project.made_up and any(person.login not in logins for _, person in members):
                raise NotAllowedError(_(NO_DEMO_PERSON))
        return person_of(row)


def _wait_after(n_failures: int) -> timedelta:
    return min(timedelta(seconds=2 ** min(n_failures - FREE_FAILURES, 20)), LONGEST_WAIT)
