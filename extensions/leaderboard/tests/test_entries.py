"""Test that entries are accepted in full or refused, kept after a newer one, and scored against the key."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import Resources
from db.engine import Store
from domain.errors import AlreadyTakenError, InvalidFileError, InvalidInputError, NotAllowedError
from domain.settings import Settings
from extensions.leaderboard import entries
from media.store import MediaStore
from testkit.egoplan import KEYS, made
from testkit.factories import make_person
from testkit.missing_extensions import needs
from workflow.access.audit import entries as events
from workflow.files import import_files
from workflow.results import project_answers
from workflow.results.score_choices import scores_of

pytestmark = needs("readers", "predictions")


@pytest.fixture
def media(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path / "media")


@pytest.fixture
def project(store: Store, media: MediaStore, tmp_path: Path) -> str:
    return made(store, media, tmp_path, KEYS)


def sent(folder: Path, labels: Sequence[str], *more: tuple[int, str], name: str = "sent.json") -> Path:
    rows = [*enumerate(labels), *more]
    path = folder / name
    path.write_text(json.dumps([{"sample_id": at, "label": label} for at, label in rows], indent=4))
    return path


def take(store: Store, media: MediaStore, path: Path, **how: Any) -> entries.AcceptedEntry:
    about = {"team": "Team A", "model": "Planner", **how}
    return entries.take(store, media, by=None, project="p", path=path, **about)


def test_an_entry_is_held_against_the_key(store: Store, media: MediaStore, project: str, tmp_path: Path) -> None:
    done = take(store, media, sent(tmp_path, "ABCDAAAAAA"))
    assert (done.answers, done.unanswered, done.replaced) == (10, 0, None)
    assert entries.sentence(done) == "Team A: Planner: 10 answers accepted."
    line = entries.score_of(store, by=None, project="p", entry=done.entry)
    assert line is not None
    assert (line.found.value, line.found.n_units) == (0.6, 10)  # A B C D A, and the A of the ninth
    (event, *_) = events(store, by=None, project="p", kinds=["entry.taken"])
    assert (event.data["team"], event.data["replaces"]) == ("Team A", None)


@pytest.mark.both_databases
def test_a_newer_entry_counts_and_the_earlier_one_is_kept(
    store: Store, media: MediaStore, project: str, tmp_path: Path
) -> None:
    first = take(store, media, sent(tmp_path, "ABCDAAAAAA"))
    other = take(store, media, sent(tmp_path, "BBBBBBBBBB", name="other.json"), team="Team B")
    with pytest.raises(AlreadyTakenError, match=r"Team A: Planner has already sent this file\. Nothing changed"):
        take(store, media, sent(tmp_path, "ABCDAAAAAA"))
    second = take(store, media, sent(tmp_path, KEYS))
    assert second.replaced is not None
    assert second.replaced.run == first.entry.run
    assert re.search(r"The entry of .* UTC is kept but no longer counts\.", entries.sentence(second))
    listed = [(each.run, each.team, each.withdrawn) for each in entries.entries(store, by=None, project="p")]
    assert listed == [
        (second.entry.run, "Team A", ""),
        (other.entry.run, "Team B", ""),
        (first.entry.run, "Team A", "A newer entry from Team A: Planner replaced this entry."),
    ]
    for entry, right in ((second.entry, 1.0), (other.entry, 0.3)):
        line = entries.score_of(store, by=None, project="p", entry=entry)
        assert line is not None
        assert (line.found.value, line.found.n_units) == (right, 10)


@pytest.mark.parametrize(
    ("labels", "more", "words"),
    [
        (
            KEYS,
            [(5001, "A"), (5002, "B")],
            "2 rows match no item of this project: row 11, row 12 (there is no item '5001'",
        ),
        (KEYS, [(3, "D"), (4, "B")], "2 items are answered more than once: row 11, row 12"),
        ("EBCDABCDFZ", [], "3 answers match no option of their items: row 1, row 9, row 10 ('E')."),
        ("ABCD", [], "Items without an answer: 6 of 10. The first of these items is 4."),
        ("ABCDABCD", [(8, "N/A"), (9, "N/A")], "Items without an answer: 2 of 10. The first of these items is 8."),
        ("E", [(1, "A"), (1, "A"), (99, "A")], "1 row matches no item of this project: row 4"),
    ],
)
def test_what_does_not_fit_is_counted_and_nothing_is_taken(
    store: Store, media: MediaStore, project: str, tmp_path: Path, labels: str, more: list[tuple[int, str]], words: str
) -> None:
    with pytest.raises(InvalidFileError) as refused:
        take(store, media, sent(tmp_path, labels, *more))
    assert words in str(refused.value)
    assert "Touchstone did not accept the entry." in str(refused.value)
    assert entries.entries(store, by=None, project="p") == []


def test_several_problems_are_told_at_once(store: Store, media: MediaStore, project: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError) as refused:
        take(store, media, sent(tmp_path, "EB", (1, "A"), (99, "A")))
    said = str(refused.value)
    for words in (
        "1 row matches no item of this project: row 4",
        "1 item is answered more than once: row 3",
        "1 answer matches no option of its item: row 1 ('E').",
        "Items without an answer: 8 of 10. The first of these items is 2.",
    ):
        assert words in said
    assert "anyway" not in said, "an item that is answered twice cannot be taken as it is"


def test_a_file_that_breaks_off_is_refused(store: Store, media: MediaStore, project: str, tmp_path: Path) -> None:
    path = sent(tmp_path, KEYS)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(
        InvalidFileError,
        match=r"1 row cannot be read: row 10 \(.* Touchstone cannot read the text after this position\)",
    ):
        take(store, media, path)


def test_what_is_missing_or_unreadable_counts_as_wrong_if_it_is_taken_anyway(
    store: Store, media: MediaStore, project: str, tmp_path: Path
) -> None:
    path = sent(tmp_path, "ABCE", (4, "N/A"))
    with pytest.raises(InvalidFileError, match="Or use --anyway to accept the entry"):
        take(store, media, path)
    done = take(store, media, path, anyway=True)
    assert (done.answers, done.unanswered) == (4, 6)
    line = entries.score_of(store, by=None, project="p", entry=done.entry)
    assert line is not None
    assert (line.found.value, line.found.n_units) == (0.3, 10)  # leaving out hard items brings no advantage
    assert dict(line.unread) == {
        "the model sent an empty answer": 6,
        "format violation: no answer, or several answers": 1,
    }


def test_without_a_key_there_is_no_accuracy(store: Store, media: MediaStore, tmp_path: Path) -> None:
    made(store, media, tmp_path, [None] * 10)
    done = take(store, media, sent(tmp_path, KEYS))
    assert entries.score_of(store, by=None, project="p", entry=done.entry) is None
    found = project_answers.read_project(store, person=None, project="p")
    assert scores_of(found) == []
    assert {answer.why for answer in found.answers} == {"the item has no key"}


def test_some_items_without_a_key_have_no_part_in_the_accuracy(store: Store, media: MediaStore, tmp_path: Path) -> None:
    made(store, media, tmp_path, [*"ABCD", None, None])
    done = take(store, media, sent(tmp_path, "ABCAAA"))
    line = entries.score_of(store, by=None, project="p", entry=done.entry)
    assert line is not None
    assert (line.found.value, line.found.n_units) == (0.75, 4)
    assert dict(line.left_out) == {"the item has no key": 2}


def test_names_and_roles(store: Store, media: MediaStore, project: str, tmp_path: Path) -> None:
    path = sent(tmp_path, KEYS)
    for how in ({"team": " "}, {"model": "x" * 81}, {"team": "a\u202eb"}):
        with pytest.raises(InvalidInputError, match="a name of at most 80 characters"):
            take(store, media, path, **how)
    import_files.import_files(
        store, media, by=None, project="p", format="egoplan_submission", path=path, model="Team A: Planner"
    )
    with pytest.raises(
        AlreadyTakenError, match=r"The project already has a model named Team A: Planner\. Choose another name"
    ):
        take(store, media, path)
    take(store, media, path, team="A", model="B: C")
    with pytest.raises(
        AlreadyTakenError,
        match=r"The name A: B: C already belongs to the model B: C of A\. Choose another name for the team or the "
        "model",
    ):
        take(store, media, path, team="A: B", model="C")
    senior = make_person(store, "senior")
    for ask in (
        lambda: entries.take(store, media, by=senior, project="p", path=path, team="T", model="M"),
        lambda: entries.entries(store, by=senior, project="p"),
    ):
        with pytest.raises(NotAllowedError):
            ask()


def test_the_command_says_what_came_of_it(
    store: Store, media: MediaStore, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.services.resources", lambda: Resources(store, media, Settings(tmp_path, "")))

    def said(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["entry", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert said("list", "p") == "There are no entries yet.\n"
    told = said("import", "p", str(sent(tmp_path, "ABCDAAAAAA")), "--team", "A", "--model", "M")
    assert told.startswith("A: M: 10 answers accepted.\n")
    assert " 0.600 " in told
    assert "A: M  counts" in said("list", "p")
