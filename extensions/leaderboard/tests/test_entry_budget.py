"""Test the number of entries that a team may submit, also with simultaneous submissions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import opened
from db.engine import Store
from domain.errors import AlreadyTakenError, InvalidInputError, NotAllowedError, TouchstoneError
from extensions.leaderboard import entries, entry_budget
from extensions.leaderboard.entry_budget import EntryBudget
from extensions.leaderboard.tests.test_entries import KEYS, made, sent, take
from media.store import MediaStore
from testkit.factories import Clock, make_person, make_project
from testkit.missing_extensions import needs
from workflow.access.audit import entries as events

pytestmark = [pytest.mark.both_databases, needs("readers", "predictions")]


@pytest.fixture
def media(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


def allow(store: Store, most: int, days: int) -> None:
    entry_budget.set_budget(store, by=None, project="p", budget=EntryBudget(most, days))


def test_a_team_may_send_in_so_many_and_is_told_when_again(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """With two entries in seven days, a team submits on Monday and Wednesday at 9:00, and is refused on Thursday.

    On the next Monday at 9:00:00, the first entry is seven days old and the team may submit again. The next entry is
    possible only two days later.
    """
    store.clock = clock = Clock()
    made(store, media, tmp_path, KEYS)
    allow(store, 2, 7)
    take(store, media, sent(tmp_path, "AAAAAAAAAA"))
    clock.advance(days=2)
    take(store, media, sent(tmp_path, "BBBBBBBBBB"), model="Second")
    clock.advance(days=1)
    third = sent(tmp_path, "CCCCCCCCCC")
    with pytest.raises(NotAllowedError) as refused:
        take(store, media, third, team="team a")
    assert str(refused.value) == (
        "Touchstone did not accept the entry because team a has reached the limit (2 of 2 entries in 7 days). The "
        "team can send its next entry from 11 May 2026, 09:00:00 UTC."
    )
    take(store, media, third, team="Team B")
    with pytest.raises(AlreadyTakenError):  # a duplicate is reported before the budget
        take(store, media, sent(tmp_path, "BBBBBBBBBB"), model="Second")
    clock.advance(days=3, hours=23, minutes=59, seconds=59)
    with pytest.raises(NotAllowedError):
        take(store, media, third)
    clock.advance(seconds=1)
    assert take(store, media, third).replaced is not None
    with pytest.raises(NotAllowedError, match="from 13 May 2026, 09:00:00 UTC"):
        take(store, media, sent(tmp_path, "DDDDDDDDDD"))
    assert len(entries.entries(store, by=None, project="p")) == 4


def test_of_many_at_once_no_more_are_taken_than_may_be(store: Store, media: MediaStore, tmp_path: Path) -> None:
    made(store, media, tmp_path, KEYS)
    allow(store, 3, 1)
    paths = [sent(tmp_path, letter * 10, name=f"{letter}{n}.json") for n in range(2) for letter in "ABCD"]
    together = Barrier(len(paths))

    def send(at: int) -> bool:
        together.wait()
        try:
            take(store, media, paths[at], model=f"model {at}")
        except NotAllowedError:
            return False
        return True

    with ThreadPoolExecutor(len(paths)) as hands:
        assert sum(hands.map(send, range(len(paths)))) == 3
    assert len(entries.entries(store, by=None, project="p")) == 3


@pytest.mark.one_database
def test_leads_set_it_and_every_version_is_kept(store: Store, media: MediaStore, tmp_path: Path) -> None:
    made(store, media, tmp_path, KEYS)
    assert entry_budget.budget(store, by=None, project="p") is None
    allow(store, 3, 7)
    assert entry_budget.set_budget(store, by=None, project="p", budget=EntryBudget(3, 7)) is False
    assert entry_budget.set_budget(store, by=None, project="p", budget=None)
    for n in range(5):
        take(store, media, sent(tmp_path, "ABCDA" + "ABCDA"[n] * 5))
    allow(store, 1, 1)
    assert entry_budget.budget(store, by=None, project="p") == EntryBudget(1, 1)
    told = events(store, by=None, project="p", kinds=["entry.budget_set"])
    assert [each.data.get("entries") for each in told] == [1, None, 3]
    for most, days in ((0, 1), (1, 0), (1001, 1), (1, 4000)):
        with pytest.raises(InvalidInputError):
            allow(store, most, days)
    rater = make_person(store, "ann")
    with pytest.raises(TouchstoneError):
        entry_budget.set_budget(store, by=rater, project="p", budget=None)


@pytest.mark.one_database
def test_the_command(store: Store, media: MediaStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    run = CliRunner().invoke
    make_project(opened().store, name="kitchen")
    assert "any number of entries" in run(cli, ["entry", "limit", "kitchen"]).output
    assert "A team can send 3 entries in 7 days." in run(cli, ["entry", "limit", "kitchen", "--most", "3"]).output
    assert "1 entry in 2 days" in run(cli, ["entry", "limit", "kitchen", "--most", "1", "--days", "2"]).output
    assert "Nothing was changed." in run(cli, ["entry", "limit", "kitchen", "--most", "1", "--days", "2"]).output
    assert "any number of entries" in run(cli, ["entry", "limit", "kitchen", "--unlimited"]).output
    assert run(cli, ["entry", "limit", "kitchen", "--unlimited", "--most", "2"]).exit_code != 0
