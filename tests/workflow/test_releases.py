"""Releases: what is in one, that the same state is the same bytes, and what becomes of a withdrawn item."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import InvalidFileError, InvalidInputError, NotAllowedError, NotFoundError
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema
from testkit.released import needs_replay, needs_withdrawal, verify, withdraw
from workflow.access import audit
from workflow.annotate import submissions
from workflow.annotate.authoring import edit_item
from workflow.releases import listing, settings
from workflow.releases.create import ITEMS, CreatedRelease, create
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]
OPEN = ("said", "items")


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


@pytest.fixture
def kept(store: Store) -> Store:
    """A project of four items, of which three are kept and one is rejected: its voters differ."""
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 4)
    for person, last in zip(make_people(store, "ann", "bob"), ("red", "blue"), strict=True):
        for _ in range(4):
            view = claimed(store, person)
            choice = last if view.fields["question"] == "Question 3?" else "red"
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": choice})
    return store


def release(store: Store, media: MediaStore, home: Path, **asked: Any) -> CreatedRelease:
    return create(store, media, home, by=None, project="p", asked=ReleaseOptions(**{"despite": OPEN, **asked}))


def ids(made: CreatedRelease) -> list[str]:
    return [json.loads(line)["id"] for line in (made.place / "public" / ITEMS).read_text().splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def data_file(folder: Path) -> str:
    """The one file with the items in their format."""
    (found,) = [path for path in contents(folder) if path.startswith(("csv/", "jsonl/"))]
    return found


@needs_replay
def test_a_release_is_what_is_kept_and_the_same_state_is_the_same_bytes(
    kept: Store, media: MediaStore, home: Path
) -> None:
    first, second = (release(kept, media, home) for _ in range(2))
    assert (first.version, second.version) == ("1", "2")
    assert ids(first) == ["colour/0", "colour/1", "colour/2"]
    told = json.loads((first.place / "public/manifest.json").read_text())
    assert told["splits"] == {"test": {"items": 3, "withheld": []}}
    assert (told["counts"]["kept"], told["counts"]["rejected"]) == (3, 1)
    assert (told["gates"]["voted"], told["gates"]["equal_to_key"], told["gates"]["kept"]) == (4, 3, 3)
    one, other = (contents(made.place / "public") for made in (first, second))
    unlike = {path for path in one if one[path] != other.get(path)}
    assert {path.partition("/")[0] for path in unlike} <= {"manifest.json", "README.md", "card.html", "evidence"}
    again = [json.loads(each["manifest.json"]) for each in (one, other)]
    assert [each.pop("release") for each in again] == ["1", "2"]
    assert [len(each.pop("files")) for each in again] == [len(one) - 1] * 2
    assert again[0] == again[1], "nothing else is different, the date either"
    assert listing.difference(first.place / "public", second.place / "public").equal
    assert verify(first.place / "public") == []
    assert [each.version for each in listing.all_releases(kept, home, by=None, project="p")] == ["1", "2"]


@needs_replay
def test_what_is_not_as_it_was_released_is_named(kept: Store, media: MediaStore, home: Path, tmp_path: Path) -> None:
    made = release(kept, media, home)
    data = data_file(made.place / "public")
    for change, words in (
        (lambda there: (there / data).write_bytes((there / data).read_bytes().replace(b"red", b"rad", 1)), data),
        (lambda there: (there / ITEMS).unlink(), f"{ITEMS} is missing"),
        (
            lambda there: (there / "more.txt").write_text("more"),
            "The manifest does not name more.txt, so the file does not belong to this release",
        ),
    ):
        there = tmp_path / "there"
        shutil.copytree(made.place / "public", there)
        change(there)
        (sentence,) = verify(there)
        assert words in sentence
        shutil.rmtree(there)
    with pytest.raises(InvalidFileError, match="is not a release"):
        verify(tmp_path)


@needs_withdrawal
@needs_replay
@pytest.mark.slow
def test_a_withdrawn_item_is_lacking_from_then_on_and_the_release_stays(
    kept: Store, media: MediaStore, home: Path
) -> None:
    first = release(kept, media, home)
    where: dict[str, Any] = {"by": None, "project": "p", "version": "1"}
    second = withdraw(kept, media, home, **where, item="colour/1", reason="Two are red.")
    third = withdraw(kept, media, home, **where, item="colour/0", reason="Blurred.")
    assert [(made.version, ids(made)) for made in (first, second, third)] == [
        ("1", ["colour/0", "colour/1", "colour/2"]),
        ("1.1", ["colour/0", "colour/2"]),
        ("1.2", ["colour/2"]),
    ]
    assert all(verify(made.place / "public") == [] for made in (first, second, third))
    told = json.loads((third.place / "public/manifest.json").read_text())
    assert told["withdrawn"] == [
        {"item": "colour/1", "reason": "Two are red."},
        {"item": "colour/0", "reason": "Blurred."},
    ]
    assert told["based_on"] == {"release": "1.1", "manifest_sha256": second.manifest_sha256}
    found = listing.difference(first.place / "public", third.place / "public")
    assert (list(found.removed), found.added, found.changed) == (["colour/0", "colour/1"], [], {})
    newest = listing.one_release(kept, home, by=None, project="p", version="1.2")
    assert [(each.item, each.release) for each in newest.withdrawn] == [("colour/1", "1.1"), ("colour/0", "1.2")]
    for item, version, words in (("colour/1", "1", "has no item colour/1"), ("colour/2", "7", "no release 7")):
        with pytest.raises(NotFoundError, match=words):
            withdraw(kept, media, home, **{**where, "version": version}, item=item, reason="Twice.")
    with pytest.raises(InvalidFileError, match="only item"):
        withdraw(kept, media, home, **where, item="colour/2", reason="The last one.")
    with pytest.raises(InvalidInputError, match="Give a reason"):
        withdraw(kept, media, home, **where, item="colour/2", reason=" ")


@needs_withdrawal
@pytest.mark.slow
def test_a_point_release_has_items_as_they_were_though_people_have_gone_on(
    kept: Store, media: MediaStore, home: Path
) -> None:
    """A word of an item is mended after the release: it is voted on anew, and the point release has the old words."""
    release(kept, media, home)
    edit_item(kept, person=None, project="p", item="colour/2", fields={"question": "Which one is it?"})
    second = withdraw(kept, media, home, by=None, project="p", version="1", item="colour/1", reason="Two are red.")
    text = (second.place / "public" / data_file(second.place / "public")).read_text()
    assert ids(second) == ["colour/0", "colour/2"]
    assert "Question 2?" in text
    assert "Which one is it?" not in text
    with pytest.raises(InvalidFileError, match="1 item is not finished"):
        release(kept, media, home, despite=("said",))
    assert ids(release(kept, media, home)) == ["colour/0", "colour/1"]


def test_what_must_be_said_and_done_comes_before_a_release(kept: Store, media: MediaStore, home: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"License: the license is missing \(said\)"):
        release(kept, media, home, despite=("items",))
    with pytest.raises(InvalidFileError, match="has no check luck"):
        release(kept, media, home, despite=("luck",))
    said = settings.say(kept, by=None, project="p", said={"license": "CC-BY-4.0", "creators": "Ann\nBob"})
    assert said.values == {"license": "CC-BY-4.0", "creators": ["Ann", "Bob"]}
    assert settings.say(kept, by=None, project="p", said={"creators": ""}).values == {"license": "CC-BY-4.0"}
    assert json.loads((release(kept, media, home, despite=("items",)).place / "public/manifest.json").read_text())[
        "about"
    ] == {"license": "CC-BY-4.0"}
    for wrong, words in (({"licence": "x"}, "has no field 'licence'"), ({"synthetic": "perhaps"}, "write yes or no")):
        with pytest.raises(InvalidInputError, match=words):
            settings.say(kept, by=None, project="p", said=wrong)
    ann = make_person(kept, "eve")
    with pytest.raises(NotAllowedError):
        create(kept, media, home, by=ann, project="p", asked=ReleaseOptions())


@needs_replay
def test_what_is_private_is_in_no_public_file(kept: Store, media: MediaStore, home: Path) -> None:
    made = release(kept, media, home, private=("test",))
    (head, *lines) = (made.place / "private/keys/test.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == ["red"] * 3
    assert json.loads(head)["release"] == "1"
    assert verify(made.place / "private") == []
    told = json.loads((made.place / "public/manifest.json").read_text())
    assert told["splits"]["test"]["withheld"] == ["answer"]
    for path, data in contents(made.place / "public").items():
        assert b'"answer": "red"' not in data, path
        assert path in ("manifest.json", "README.md", "card.html") or b"answer" not in data, path


@pytest.mark.one_database
def test_a_release_that_comes_to_nothing_leaves_nothing(kept: Store, media: MediaStore, home: Path) -> None:
    with pytest.raises(InvalidFileError, match="cannot write a release as nonsense"):
        release(kept, media, home, formats=("nonsense",))
    assert not (home / "releases").exists(), "it is refused before any work"
    with pytest.raises(InvalidInputError, match="Items without a value in nowhere: 3"):
        release(kept, media, home, splits=("field:nowhere",))
    assert [path.name for path in (home / "releases/p").iterdir()] == []
    assert listing.all_releases(kept, home, by=None, project="p") == []
    assert "release.created" not in [each.kind for each in audit.entries(kept, by=None, project="p")]
