"""Tests in several processes that are forks of the one that collected them: ``pytest -p testkit.workers --workers=4``.

What collecting takes (modules imported, assertions rewritten, thousands of tests listed) is done once, not again by
each worker, and the workers share its memory. A worker gets whole files, in the order in which they were collected.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.config import create_terminal_writer

Group = list[pytest.Item]


class Hooks:
    """What a conftest may answer."""

    @pytest.hookspec(firstresult=True)
    def pytest_group_of(self, item: pytest.Item) -> str | None:
        """Tests of one group go to one worker; without an answer, the file is the group."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--workers``."""
    parser.addoption("--workers", type=int, default=1, metavar="N", help="run files in N processes")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """``pytest_group_of``."""
    pluginmanager.add_hookspecs(Hooks)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Give the files to workers, and report what they tell."""
    config = session.config
    count = config.getoption("workers")
    if count < 2 or config.option.collectonly or session.testsfailed:
        return None  # as without workers
    grouped: dict[str, Group] = {}
    for item in session.items:
        grouped.setdefault(config.hook.pytest_group_of(item=item) or str(item.path), []).append(item)
    config.pluginmanager.getplugin("terminalreporter").showfspath = False  # dots of several files make one line
    _Controller(session, list(grouped.values()), count).run()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


class _Controller:
    """What the first process does: it says who runs which group, and passes on what it is told of it."""

    def __init__(self, session: pytest.Session, groups: list[Group], count: int) -> None:
        self.session, self.hook, self.groups = session, session.config.hook, groups
        self.left = deque(range(len(groups)))
        context = multiprocessing.get_context("fork")
        self.over = context.Event()
        self.workers: dict[Connection, ForkProcess] = {}
        self.open: dict[Connection, deque[pytest.Item]] = {}
        """By worker, the tests that it has not told the end of; the first one is what it is at."""
        base = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        for number in range(min(count, len(groups))):
            ours, theirs = context.Pipe()
            name = f"gw{number}"  # as pytest-xdist calls them
            process = context.Process(target=_work, args=(session, groups, theirs, self.over, name, base / name))
            process.start()
            theirs.close()
            self.workers[ours], self.open[ours] = process, deque()

    def run(self) -> None:
        """Until all workers have ended."""
        try:
            while self.workers:
                for connection in wait(list(self.workers)):
                    assert isinstance(connection, Connection)
                    try:
                        word, told = connection.recv()
                    except (EOFError, ConnectionResetError):
                        self._gone(connection)
                    else:
                        self._heard(connection, word, told)
                    if self.session.shouldfail or self.session.shouldstop:
                        self.over.set()
        finally:
            self.over.set()
            for process in self.workers.values():  # we were interrupted, and so were they
                process.join(60)
                process.kill()

    def _heard(self, connection: Connection, word: str, told: Any) -> None:
        tests = self.open[connection]
        match word:
            case "next":
                group = self.left.popleft() if self.left and not self.over.is_set() else None
                tests.extend(self.groups[group] if group is not None else [])
                connection.send(group)
            case "start":
                self.hook.pytest_runtest_logstart(nodeid=tests[0].nodeid, location=tests[0].location)
            case "report":
                report = self.hook.pytest_report_from_serializable(config=self.session.config, data=told)
                self.hook.pytest_runtest_logreport(report=report)
            case "finish":
                item = tests.popleft()
                self.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            case "warning":
                self.hook.pytest_warning_recorded.call_historic(kwargs=told)

    def _gone(self, connection: Connection) -> None:
        """A worker that ends in the middle, or not well, is a failure of the test that it was at."""
        process, left = self.workers.pop(connection), self.open.pop(connection)
        connection.close()
        process.join()
        status = process.exitcode or 0
        if status == 0 and (not left or self.over.is_set()):
            return
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        said = f"The worker {process.name} ended with {how}; after this test, {max(len(left) - 1, 0)} did not run."
        place = left[0].location if left else (process.name, None, process.name)
        name = left[0].nodeid if left else process.name
        report = pytest.TestReport(name, place, {}, outcome="failed", longrepr=said, when="call")
        self.hook.pytest_runtest_logreport(report=report)


class _Teller:
    """What a worker tells of its tests."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self.config, self.pipe = config, pipe

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self.pipe.send(("start", None))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.pipe.send(("report", told))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        self.pipe.send(("finish", None))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: object
    ) -> None:
        known = warning_message
        plain = warnings.WarningMessage(UserWarning(str(known.message)), known.category, known.filename, known.lineno)
        told = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self.pipe.send(("warning", told))


def _work(session: pytest.Session, groups: list[Group], pipe: Connection, over: Event, name: str, base: Path) -> None:
    """In a worker: run one group after the other, until there is none left."""
    _settle(session.config, pipe, name, base)
    tests = _tests(groups, pipe)
    item = next(tests, None)
    while item is not None and not (over.is_set() or session.shouldfail or session.shouldstop):
        following = next(tests, None)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following
    # Whatever is still set up is taken down, as at the end of every session.
    session.config.hook.pytest_sessionfinish(session=session, exitstatus=pytest.ExitCode.OK)


def _tests(groups: list[Group], pipe: Connection) -> Iterator[pytest.Item]:
    while True:
        pipe.send(("next", None))
        group = pipe.recv()
        if group is None:
            return
        yield from groups[group]


def _settle(config: pytest.Config, pipe: Connection, name: str, base: Path) -> None:
    """Have a folder, an output and a name of one's own, and report to no screen."""
    os.environ["PYTEST_XDIST_WORKER"] = name  # what plugins know a worker by, and the next line, too
    config.workerinput = {"workerid": name}  # type: ignore[attr-defined]
    base.mkdir(mode=0o700)
    config._tmp_path_factory._basetemp = base  # type: ignore[attr-defined]
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    writer = SimpleNamespace(_tw=create_terminal_writer(config, sys.__stderr__))  # a test that hangs says there where
    config.pluginmanager.register(writer, "terminalreporter")
    config.pluginmanager.register(_Teller(config, pipe), "teller")
