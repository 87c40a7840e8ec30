"""Who guesses passwords slows down themselves: not the owner of the login, not others who sign in, and not the log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from app.gate import Gate
from app.routes.auth import WAITING_OF_ONE
from db.engine import Store, open_store
from domain.errors import NotAllowedError
from testkit import passwords
from tests.app.asgi import Reply, at_once
from tests.app.homes import PASSWORD, Home, make_home
from tests.app.without_streamlit import application
from workflow.access import passwords as hashing
from workflow.access import sign_in

OFFICE, AWAY = "10.0.0.7", "192.0.2.9"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("guess"), sqlite_template, pictures=0)


@pytest.fixture(scope="module")
def store(home: Home) -> Store:
    return open_store(None, home.path, clock=lambda: datetime(2026, 5, 4, tzinfo=UTC))  # no wait ends by itself


def _tries(app: Gate, *tries: tuple[str, str, str], cookie: str = "") -> list[Reply]:
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "http://127.0.0.1:8501", "cookie": cookie}
    bodies = [
        ("POST", "/login", urlencode({"login": login, "password": password}).encode(), headers, client)
        for login, password, client in tries
    ]
    return at_once(app, bodies)


def _failed(store: Store) -> int:
    with store.read() as session:
        found = session.connection().execute(text("SELECT count(*) FROM event WHERE kind = 'person.sign_in_failed'"))
        return int(found.scalar_one())


def test_no_one_locks_someone_else_out(store: Store, home: Home) -> None:
    app, before = application(store, home), _failed(store)
    entered = _tries(app, ("ana", PASSWORD, OFFICE))[0]
    assert entered.status == 303
    cookie = entered.headers["set-cookie"].split(";")[0]  # the first one set
    assert cookie.startswith("touchstone_known=")
    for _ in range(sign_in.FREE_FAILURES + 3):
        assert _tries(app, ("ana", "a guess", OFFICE))[0].status == 401
    assert _failed(store) == before + 1  # one event for the burst
    assert _tries(app, ("ana", PASSWORD, OFFICE))[0].status == 401  # anyone who guesses there waits, right or wrong
    assert _tries(app, ("ana", PASSWORD, AWAY))[0].status == 303
    assert _tries(app, ("ana", PASSWORD, OFFICE), cookie=cookie)[0].status == 303
    # the browser is known to Ana's login only, and not to one that someone made up
    for _ in range(sign_in.FREE_FAILURES + 1):
        _tries(app, ("bo", "a guess", OFFICE), cookie=cookie)
    assert _tries(app, ("bo", PASSWORD, OFFICE), cookie=cookie)[0].status == 401
    assert _tries(app, ("ana", PASSWORD, OFFICE), cookie=cookie[:-1] + "x")[0].status == 401


@pytest.fixture
def expensive(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Guesses take as long as they do in real life: those that come at once are there at once."""
    monkeypatch.setattr(hashing, "hasher", passwords.REAL)
    hashing._no_ones.cache_clear()
    yield
    hashing._no_ones.cache_clear()


@pytest.mark.thorough
@pytest.mark.usefixtures("expensive")
def test_eighty_guesses_at_once_leave_room_for_others(store: Store, home: Home) -> None:
    app = application(store, home)
    guesses = [(f"nobody{number}", "a guess", AWAY) for number in range(80)]
    *refused, owner = _tries(app, *guesses, ("chi", PASSWORD, OFFICE))
    assert owner.status == 303
    statuses = [reply.status for reply in refused]
    assert statuses.count(429) == 80 - WAITING_OF_ONE  # they cost nothing: no password was hashed for them
    assert set(statuses) == {401, 429}
    assert next(reply for reply in refused if reply.status == 429).headers["retry-after"] == "5"


def test_many_logins_guessed_from_one_place_leave_some_events_only(store: Store, home: Home) -> None:
    before = _failed(store)
    for number in range(sign_in.EVENTS_OF_FAILURES + 10):
        with pytest.raises(NotAllowedError):
            sign_in.authenticate(store, login=f"made-up-{number}", password="x", origin="198.51.100.1")
    assert _failed(store) == before + sign_in.EVENTS_OF_FAILURES
