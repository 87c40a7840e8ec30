"""Open files: a page holds one, the limit is as high as it may be, and where files are short, 503 is told."""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import os
import re
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from app.gate import Gate, Hosts, content_policy
from app.reruns.script_loops import ScriptLoop
from app.serving.open_files import CROWDED, NO_FILES, Calm, OpenFiles, count, raise_limit
from benchmarks.client import LeadPage
from db import engine
from db.engine import Store, open_store
from domain.errors import DatabaseUnavailableError
from testkit.serving import Server
from tests.app.asgi import call, knock
from tests.app.homes import make_home
from workflow.access import accounts, sign_in


@contextmanager
def soft_limit(most: int) -> Iterator[None]:
    """Allow this process, and those that it starts, no more open files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.slow
def test_an_open_page_holds_one_file_and_a_closed_one_none(tmp_path: Path, sqlite_template: Path) -> None:
    home = make_home(tmp_path, sqlite_template, pictures=1)
    store = home.store()
    token = sign_in.start_session(store, person=accounts.find_person(store, login="lea"))
    store.close()
    server, n = Server(home.path), 12
    with soft_limit(512):
        server.start()
    try:
        assert server.process is not None
        folder = Path(f"/proc/{server.process.pid}")
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        told = re.search(r"Max open files +(\d+) +(\d+)", (folder / "limits").read_text())
        assert told is not None
        assert told.groups() == (str(hard), str(hard))
        sockets, loops = asyncio.run(_opened(server, token, folder, n))
        assert [after - before for before, after in itertools.pairwise(sockets)] == [n, -n]
        assert loops[0] == loops[1] == loops[2], "no page has an event loop that waits"
    finally:
        server.stop()
    assert "Traceback" not in server.output()


async def _opened(server: Server, token: str, folder: Path, n: int) -> tuple[list[int], list[int]]:
    """How many sockets, and how many files of event loops, there are before, with and after ``n`` pages."""
    pages = [LeadPage(server.url, path="people", project="tiny", token=token) for _ in range(n)]
    first = LeadPage(server.url, path="people", project="tiny", token=token)
    await first.open()
    first.http.close()
    seen = [await _settled(folder)]
    before = seen[0].count("socket")
    for page in pages:
        await page.open()
        page.http.close()
    seen.append(await _settled(folder, sockets=before + n))
    for page in pages:
        await page.close()
    seen.append(await _settled(folder, sockets=before))
    await first.close()
    return [each.count("socket") for each in seen], [each.count("anon_inode") for each in seen]


async def _settled(folder: Path, *, sockets: int | None = None) -> list[str]:
    """The kinds of files that a process has open, as soon as none comes or goes any more.

    A busy server may close a connection late, so wait up to a minute for the number of sockets that should be open.
    """
    before: list[str] = []
    for _ in range(200):
        now = _kinds(folder)
        if now == before and sockets in (None, now.count("socket")):
            break
        before = now
        await asyncio.sleep(1.0 if sockets is None else 0.3)
    return before


def _kinds(folder: Path) -> list[str]:
    found = []
    for path in (folder / "fd").iterdir():
        try:
            found.append(os.readlink(path).split(":")[0])
        except OSError:
            continue
    return sorted(found)


async def _inside(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    raise OSError(errno.EMFILE, "Too many open files")


def _gate(open_now: int, limit: int = 1024) -> Gate:
    files = OpenFiles(limit, counts=lambda: open_now)
    return Gate(
        _inside, signed_in=lambda token: None, hosts=Hosts.of("127.0.0.1"), policy=content_policy(), files=files
    )


@pytest.mark.parametrize(
    ("open_now", "page", "request_of_a_page"),
    [(100, False, False), (768, False, False), (769, True, False), (896, True, False), (897, True, True)],
)
def test_new_pages_are_refused_before_requests_of_open_ones(open_now: int, page: bool, request_of_a_page: bool) -> None:
    """Of 1,024 files pages leave 256 free, and their requests half of those."""
    files = OpenFiles(1024, counts=lambda: open_now)
    assert (files.are_short(page=True), files.are_short(page=False)) == (page, request_of_a_page)


def test_a_crowded_server_answers_503_and_says_when_to_come_again() -> None:
    for path in ("/verify", "/api/submit", "/media/x/display", "/login", "/healthz"):
        reply = call(_gate(1000), "GET", path)
        assert (reply.status, reply.headers["retry-after"], reply.headers["connection"]) == (503, "5", "close")
        assert CROWDED in reply.text
    assert call(_gate(800), "GET", "/login").status == 503
    assert "The limit is 1,024 open files (ulimit -n, LimitNOFILE)." in call(_gate(800), "GET", "/login").text
    assert call(_gate(800), "GET", "/api/submit").status == 401, "not crowded: as ever"
    assert knock(_gate(800), "/_stcore/stream") == "websocket.close"


def test_a_websocket_of_a_crowded_server_is_answered_503() -> None:
    sent: list[dict[str, object]] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    scope = {
        "type": "websocket",
        "path": "/_stcore/stream",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": None,
        "extensions": {"websocket.http.response": {}},
    }
    asyncio.run(_gate(800)(scope, receive, send))  # type: ignore[arg-type]
    assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", 503)
    assert (b"retry-after", b"5") in sent[0]["headers"]  # type: ignore[operator]


def test_an_error_of_open_files_is_503_and_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    reply = call(_gate(100), "GET", "/login")
    assert (reply.status, reply.headers["retry-after"]) == (503, "5")
    assert CROWDED in reply.text
    assert not caplog.records


def test_a_database_that_cannot_be_opened_for_want_of_files_says_so(sqlite_template: Path) -> None:
    store = open_store(f"sqlite:///{sqlite_template}", Path())
    with soft_limit(count() + 20), ExitStack() as held:
        with suppress(OSError):
            while True:  # also where another thread has just let a file go
                held.enter_context(Path(os.devnull).open("rb"))
        with pytest.raises(DatabaseUnavailableError, match=engine.NO_FILES):
            _ask(store)
    _ask(store)
    store.close()


def _ask(store: Store) -> None:
    with store.read() as session:
        session.connection()


def test_files_are_counted_as_the_machine_counts_them() -> None:
    before = count()
    extra = [os.dup(0) for _ in range(7)]
    assert count() == before + 7
    for each in extra:
        os.close(each)
    assert count() == before


def test_the_limit_is_raised_as_far_as_it_may_be() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with soft_limit(min(soft, 512)):
        assert raise_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard
        assert raise_limit() == hard


def test_a_loop_of_a_page_holds_files_only_while_it_runs() -> None:
    before = count()
    loops = [ScriptLoop() for _ in range(5)]
    assert count() == before
    assert loops[0].run_until_complete(asyncio.sleep(0, "done")) == "done"
    assert loops[0].run_until_complete(loops[0].run_in_executor(None, lambda: "from a thread")) == "from a thread"
    assert count() == before + 2
    loops[0].run_until_complete(loops[0].shutdown_default_executor())
    for loop in loops:
        loop.close()
    assert count() == before


def test_connections_that_wait_are_told_of_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    calm, logger = Calm(lambda: now[0]), logging.getLogger("tests.calm")
    logger.addFilter(calm)
    for second in (0, 1, 59, 61):
        now[0] = second
        try:
            raise OSError(errno.EMFILE, "Too many open files")
        except OSError:
            logger.exception("socket.accept() out of system resource")
    logger.error("Something else")
    assert [record.getMessage() for record in caplog.records] == [NO_FILES, NO_FILES, "Something else"]
    assert not caplog.records[0].exc_info
