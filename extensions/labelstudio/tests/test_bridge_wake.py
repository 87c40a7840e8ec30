"""Test that a pause between two rounds ends as soon as someone reports new answers."""

from __future__ import annotations

import threading
import time

import pytest

from db.engine import Store
from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from extensions.labelstudio.tests.outside import ADDRESS, FORMS, Outside
from testkit.factories import make_items, make_project, make_schema

pytestmark = pytest.mark.both_databases


@pytest.mark.thorough
def test_a_pause_ends_at_once_for_every_server(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "SELDOMEST", 600.0)
    make_project(store, loaded=make_schema(raters=1))
    make_items(store, 1)
    bridge.connect(store, by=None, project="p", address=ADDRESS, stages=(Stage.VERIFICATION,))
    rounds: list[float] = []
    ended = threading.Event()

    def run() -> None:
        bridge.sync(
            store,
            Outside(),
            FORMS,
            by=None,
            project="p",
            every=600,
            stop=ended.is_set,
            tell=lambda pulled, pushed, said: rounds.append(time.monotonic()),
        )

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for n in (1, 2):
            while len(rounds) < n:
                time.sleep(0.02)
            woken = time.monotonic()
            bridge.wake(store)
            while len(rounds) == n and time.monotonic() < woken + bridge.SELDOMEST / 2:
                time.sleep(0.02)
            assert len(rounds) > n, "not before the pause is over"
        time.sleep(1.5)
        assert len(rounds) == 3  # a wake-up call counts only once
    finally:
        ended.set()
        thread.join(30)
