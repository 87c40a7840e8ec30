"""Pages that are only looked at give way to people at work, for a moment, and hold nothing meanwhile."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from app import services
from app.serving.precedence import PATIENCE_SECONDS, Precedence, precedence
from domain.settings import settings_from


def test_a_page_waits_until_someone_has_what_they_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.serving.precedence.PATIENCE_SECONDS", 60.0)
    desk, order = Precedence(), []
    ended = threading.Event()

    def vote() -> None:
        with desk.at_work():
            begun.set()
            ended.wait(30)
            order.append("vote")

    begun = threading.Event()
    threading.Thread(target=vote).start()
    begun.wait(30)
    with desk.looking():
        threading.Timer(0.05, ended.set).start()
        desk.give_way()
        order.append("page")
    assert order == ["vote", "page"]


def test_a_page_gives_way_for_half_a_second_in_all_however_many_are_at_work() -> None:
    desk = Precedence()
    with desk.at_work(), desk.looking():
        begun = time.monotonic()
        for _ in range(10_000):
            desk.give_way()
        took = time.monotonic() - begun
    assert PATIENCE_SECONDS <= took < 20 * PATIENCE_SECONDS


def test_only_pages_that_are_looked_at_wait_and_only_where_they_read(tmp_path: Path) -> None:
    """Someone at work never waits for others at work, and a page that is changing something holds the writers' lock."""
    store = services.open_resources(settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)).store
    waited = []
    store.before_reading = lambda: waited.append(1)
    with store.read() as session:
        session.connection().execute(text("SELECT 1"))
    n = len(waited)
    assert n
    with store.write() as session:
        session.connection().execute(text("SELECT 1"))
    assert len(waited) == n, "what changes something does not wait"
    store.close()


def test_the_process_gives_way_by_itself(tmp_path: Path) -> None:
    store = services.open_resources(settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)).store
    with precedence.at_work(), precedence.looking(), store.read() as session:
        begun = time.monotonic()
        session.connection().execute(text("SELECT 1"))
        assert time.monotonic() - begun >= PATIENCE_SECONDS
    store.close()
