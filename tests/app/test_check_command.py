"""``touchstone check`` on a real database."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from db.engine import open_store
from tests.factories import make_items, make_project
from tests.serving import touchstone


def test_a_state_that_the_votes_do_not_explain_is_found_and_rebuilt(home: Path) -> None:
    store = open_store(None, home)
    store.upgrade()
    make_project(store, name="p")
    make_items(store, 2)
    store.close()
    assert touchstone("check", home=home).returncode == 0

    with sqlite3.connect(home / "touchstone.db") as connection:
        connection.execute("UPDATE item SET state = 'kept' WHERE id = (SELECT min(id) FROM item)")
    connection.close()
    found = touchstone("check", "p", home=home)
    assert found.returncode == 1
    assert "stored as kept" in found.stdout
    assert touchstone("check", "p", "--rebuild", home=home).returncode == 0
    assert touchstone("check", "p", home=home).returncode == 0


def test_a_project_that_is_not_there(home: Path) -> None:
    done = touchstone("check", "nowhere", home=home)
    assert done.returncode == 1
    assert "There is no project 'nowhere'" in done.stderr
    assert str(home) in done.stderr
