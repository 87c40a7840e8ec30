"""While the database cannot serve, every address says so with 503 and the usual headers; then all is as before."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from app.routes import health as health_route
from app.routes.health import SLOW_DATABASE, Health
from app.serving.disk import find_write_error
from db import engine, noting
from db.engine import Session, Store, open_store
from domain.errors import DatabaseUnavailableError
from domain.exposure import Disclosure, Route
from domain.records import Person
from testkit import postgres
from testkit.factories import claimed, make_items, make_person, make_project
from tests.app.asgi import call, knock
from tests.app.homes import Home, make_home
from tests.app.without_streamlit import application, session
from workflow.access import accounts, exposure
from workflow.annotate import image_pool, submissions

Trouble = Callable[[Home, Store], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    return make_home(tmp_path_factory.mktemp("away"), sqlite_template, pictures=1)


@pytest.fixture
def served(made: Home, tmp_path: Path) -> Home:
    return Home(shutil.copytree(made.path, tmp_path / "home"))


@contextmanager
def _locked(home: Home, _store: Store) -> Iterator[None]:
    with closing(sqlite3.connect(home.path / "touchstone.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def _queued(home: Home, store: Store) -> Iterator[None]:
    """Another thread of this process writes and does not end."""
    with engine._lock_of(str(store.engine.url)):
        yield


@contextmanager
def _pragma(store: Store, during: str, after: str) -> Iterator[None]:
    def prepare(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(during)

    store.engine.dispose()
    event.listen(store.engine, "connect", prepare)
    yield
    event.remove(store.engine, "connect", prepare)
    store.engine.dispose()
    with store.engine.connect() as connection:
        connection.exec_driver_sql(after)


def _read_only(_home: Home, store: Store) -> AbstractContextManager[None]:
    return _pragma(store, "PRAGMA query_only = ON", "PRAGMA query_only = OFF")


def _full(home: Home, store: Store) -> AbstractContextManager[None]:
    with store.read() as asked:
        pages = asked.connection().exec_driver_sql("PRAGMA page_count").scalar()
    return _pragma(store, f"PRAGMA max_page_count = {pages}", "PRAGMA max_page_count = 1000000")


@contextmanager
def _damaged(home: Home, store: Store, *, start: int = 0) -> Iterator[None]:
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    store.engine.dispose()
    path = home.path / "touchstone.db"
    before = path.read_bytes()
    path.write_bytes(before[:start] + b"\xa5" * (len(before) - start))
    yield
    store.engine.dispose()
    path.write_bytes(before)


@contextmanager
def _pages_destroyed(home: Home, store: Store) -> Iterator[None]:
    with _damaged(home, store, start=4096):
        yield


@contextmanager
def _gone(home: Home, store: Store) -> Iterator[None]:
    store.engine.dispose()
    home.path.rename(home.path.with_name("elsewhere"))
    yield
    home.path.with_name("elsewhere").rename(home.path)


TROUBLES: dict[str, tuple[Trouble, str, bool]] = {
    "locked": (_locked, engine.BUSY, True),
    "queued": (_queued, engine.BUSY, True),
    "read-only": (_read_only, engine.READ_ONLY, True),
    "full": (_full, engine.FULL, True),
    "no database": (_damaged, engine.DAMAGED, False),
    "pages destroyed": (_pages_destroyed, engine.DAMAGED, False),
    "gone": (_gone, engine.NOT_OPENED, False),
}
"""What happens, what is said, and whether the database can still be read."""


@pytest.mark.thorough
@pytest.mark.parametrize("trouble", TROUBLES)
def test_sqlite_that_cannot_serve(trouble: str, served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_BUSY_SECONDS", 0.05)
    store = served.store()
    begin, sentence, readable = TROUBLES[trouble]
    app, headers = application(store, served), session(store, "ana")
    ana = accounts.find_person(store, login="ana")
    asset = image_pool.pool(store, person=ana, project="tiny").assets[0].id
    task = image_pool.pick(store, person=ana, project="tiny", dimension="counting", assets=[asset]).id
    with begin(served, store):
        _write_fails(app, headers, sentence, task=task)
        told = _health(store, served)
        assert told[0] == (
            200 if trouble == "full" else 503
        )  # there, a little room is left: too little for a long text
        assert trouble == "full" or told[1]["database"] == sentence
        page = call(app, "GET", "/verify", headers=headers)
        if readable:
            assert page.text == "a page"
        else:
            _refused_page(app, headers, sentence)
    assert call(app, "POST", "/api/heartbeat", headers=headers, body=json.dumps({"task": task}).encode()).status == 200
    assert call(app, "GET", "/verify", headers=headers).text == "a page"
    assert _health(store, served)[0] == 200
    store.close()


def _write_fails(app: object, headers: dict[str, str], sentence: str, *, task: str = "t") -> None:
    body = {"task": task, "seq": 1, "values": {"values": {"question": "x" * 500_000}}}
    reply = call(app, "POST", "/api/draft", body=json.dumps(body).encode(), headers=headers)
    assert (reply.status, json.loads(reply.text)) == (503, {"error": sentence, "problems": []})
    _as_any_other(reply.headers)


def _health(store: Store, home: Home) -> tuple[int, dict[str, object]]:
    """A monitor asks a server that has not been asked before."""
    reply = call(application(store, home), "GET", "/healthz")
    return reply.status, json.loads(reply.body)


def test_a_page_of_the_database_that_is_destroyed_is_found(served: Home) -> None:
    """Of a table that nothing of the quick look reads: the whole file is read next to it."""
    store = served.store()
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        root = connection.exec_driver_sql(
            "SELECT rootpage FROM sqlite_master WHERE name = 'guideline_version'"
        ).scalar()
    store.engine.dispose()
    with (served.path / "touchstone.db").open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    now = [0.0]
    health = Health(store, served.path, clock=lambda: now[0])
    asyncio.run(health.state())
    assert health.looking is not None
    health.looking.join()
    now[0] = 6.0
    assert asyncio.run(health.state()) == (engine.DAMAGED, "ok")
    store.close()


def test_a_monitor_of_a_locked_database_gets_an_answer_in_time(served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everyone else waits up to 30 seconds."""
    monkeypatch.setattr(health_route, "PATIENCE_SECONDS", 0.2)
    store = served.store()
    app = application(store, served)
    with _locked(served, store):
        for _ in range(3):  # the second one asks while the first question is open
            begun = time.monotonic()
            reply = call(app, "GET", "/healthz")
            assert time.monotonic() - begun < 20
            told = json.loads(reply.body)
            assert (reply.status, told["database"], told["disk"]) == (503, SLOW_DATABASE, "ok")
            assert reply.headers["retry-after"] == "5"
        (asking,) = [each for each in threading.enumerate() if each.name == "health"]
    asking.join()
    assert call(app, "GET", "/healthz").status == 200, "as soon as the lock is gone"
    store.close()


def test_a_home_where_nothing_can_be_written_is_not_well(served: Home) -> None:
    store = served.store()
    assert _health(store, served)[0] == 200
    with _limited(8192):
        assert find_write_error(served.path) == (
            "Touchstone cannot write to the home folder: its disk is full. Check the disk and the folder's permissions."
        )
    assert find_write_error(served.path) is None
    assert str(find_write_error(served.path / "gone")).startswith(
        "Touchstone cannot write to the home folder: No such file"
    )
    store.close()


@contextmanager
def _limited(most: int) -> Iterator[None]:
    """No file of this process grows beyond that."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _refused_page(app: object, headers: dict[str, str], sentence: str) -> None:
    page = call(app, "GET", "/verify", headers=headers)
    assert page.status == 503
    assert sentence in page.text
    assert '<meta http-equiv="refresh" content="5">' in page.text
    _as_any_other(page.headers)
    assert knock(app, "/_stcore/stream", headers=headers) == "websocket.close"


def _as_any_other(headers: dict[str, str]) -> None:
    assert headers["retry-after"] == "5"
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


@pytest.mark.postgres
def test_postgresql_that_is_stopped_and_started(tmp_path: Path) -> None:
    with postgres.cluster() as cluster:
        name = cluster.create()
        cluster.sql(f"ALTER DATABASE {name} SET synchronous_commit TO on")  # as it is where no one tests
        cluster.sql("ALTER SYSTEM SET wal_writer_delay TO '10s'")  # till then, the log waits for a commit
        store = open_store(cluster.url(name), tmp_path)
        store.upgrade()
        accounts.create_person(store, login="ana", name="Ana")
        app, headers = application(store, Home(tmp_path)), session(store, "ana")
        assert call(app, "GET", "/verify", headers=headers).text == "a page"
        make_project(store)
        make_items(store, 2)
        vera = make_person(store, "vera")
        task = _noted(store, vera)
        cluster.stop("fast")
        _write_fails(app, headers, engine.AWAY)
        _refused_page(app, headers, engine.AWAY)
        with pytest.raises(DatabaseUnavailableError, match=engine.AWAY):
            _note(store, vera, task)
        cluster.start()
        assert call(app, "GET", "/verify", headers=headers).text == "a page"
        assert call(app, "POST", "/api/heartbeat", body=b'{"task": "t"}', headers=headers).status == 404
        _note(store, vera, task)
        cluster.stop("fast")
        cluster.start()
        again = call(app, "GET", "/verify", headers=headers).text
        assert again == "a page", "whoever asks first after it came back is served"
        _note(store, vera, task)
        assert _count(store, "exposure") == 3, "a line for each page, and none for the one that was refused"
        _killed_after_a_vote(cluster, store, vera)
        _when_all_are_in_use(store)
        store.close()


def _killed_after_a_vote(cluster: postgres.Cluster, store: Store, vera: Person) -> None:
    """The server loses what it has in memory. A vote that was acknowledged is on the disk, whatever the ledger does
    not wait for; and with it the line of the page before it, as one log has both."""
    task = _noted(store, vera)
    submissions.submit(store, person=vera, task=task, key=task, values={"choice": "red"})
    cluster.stop("immediate")
    cluster.start()
    assert (_count(store, "annotation"), _count(store, "exposure")) == (1, 4)
    task = _noted(store, vera)
    with store.write(unhurried=True) as session:
        assert _synchronous(session) == "off"
    with store.write() as session:
        assert _synchronous(session) == "on", "a vote waits for the disk, also after what does not"
    with store.noting() as direct:
        assert direct.run("SHOW synchronous_commit", ()).fetchone() == ("on",), "each line says so for itself alone"


def _when_all_are_in_use(store: Store) -> None:
    connections = noting.Connections(store.engine, seconds=0.01, told=engine._in_words)
    with ExitStack() as held:
        for _ in range(noting.AT_ONCE):
            held.enter_context(noting.ConnectionLoan(connections))
        with pytest.raises(DatabaseUnavailableError, match=engine.BUSY), noting.ConnectionLoan(connections):
            pass
    with noting.ConnectionLoan(connections) as direct:
        assert direct.run("SELECT 1", ()).fetchone() == (1,)
    connections.close()


def _noted(store: Store, person: Person) -> str:
    """The next task, which is noted as one that is sent."""
    task = claimed(store, person).id
    _note(store, person, task)
    return task


def _note(store: Store, person: Person, task: str) -> None:
    exposure.sent_task(store, person=person, route=Route.PAGE, task=task, body=b"{}", look=lambda secrets: Disclosure())


def _count(store: Store, table: str) -> int:
    with store.read() as session:
        return int(session.connection().execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def _synchronous(session: Session) -> str:
    return str(session.connection().execute(text("SHOW synchronous_commit")).scalar_one())


@pytest.mark.both_databases
def test_a_wrong_query_is_no_database_that_is_away(store: Store) -> None:
    with pytest.raises(Exception, match="nonsense") as raised, store.read() as session:
        session.connection().execute(text("SELECT * FROM nonsense"))
    assert not isinstance(raised.value, DatabaseUnavailableError)
    assert engine.why_unavailable(OperationalError("q", None, sqlite3.OperationalError("no such table"))) is None
