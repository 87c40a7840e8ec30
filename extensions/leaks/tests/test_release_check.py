"""The leak check inside a release: what it refuses before any work, and what it finds in the written files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import InvalidFileError
from extensions.leaks.release_check import accepted_leaks, must_not_leak
from extensions.leaks.tests import made_release
from media.store import MediaStore
from tests.workflow.releases.pictured import One, pictured
from workflow.releases.create import CreatedRelease, create
from workflow.releases.listing import all_releases
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]


def release(store: Store, media: MediaStore, home: Path, said: list[str], *accepted: str) -> CreatedRelease:
    asked = ReleaseOptions(despite=("said", "items"), private=("test",), accepted=accepted)

    def progress(what: str, done: int, of: int) -> None:
        said.append(what)

    return create(store, media, home, by=None, project="p", asked=asked, progress=progress)


def test_a_release_with_a_leak_is_refused_until_a_lead_accepts_it(store: Store, media: MediaStore, home: Path) -> None:
    pictured(store, media, [One("q1", question="Which one? The answer is red."), One("q2")])
    said: list[str] = []
    with pytest.raises(InvalidFileError, match=r"(?s)^Public files reveal private data:.*Kinds found: key\."):
        release(store, media, home, said)
    assert said[-1] == "looking for leaks"
    assert all_releases(store, home, by=None, project="p") == []
    made = release(store, media, home, said, "key: the question is one of a kind")
    told = json.loads((made.place / "public/manifest.json").read_text())
    assert told["asked"]["accepted"] == ["key: the question is one of a kind"]
    assert "not_checked" not in told
    assert made.notes == []


@pytest.mark.parametrize(
    ("accepted", "words"),
    [("key", "Give a reason for accepting key"), ("keys: many signs", "Unknown kind of leak 'keys'")],
)
def test_what_cannot_be_accepted_is_refused_before_any_work(
    store: Store, media: MediaStore, home: Path, accepted: str, words: str
) -> None:
    pictured(store, media, [One("q1"), One("q2")])
    said: list[str] = []
    with pytest.raises(InvalidFileError, match=words):
        release(store, media, home, said, accepted)
    assert said == []


def test_a_lead_accepts_a_kind_of_leak_with_a_reason(tmp_path: Path) -> None:
    report = made_release.release(tmp_path, sized=True).check()
    with pytest.raises(InvalidFileError, match=r"(?s)size of an item's files.*--accept-leak.*Kinds found: sizes\."):
        must_not_leak(report)
    with pytest.raises(InvalidFileError, match="Kinds found: sizes"):
        must_not_leak(report, accepted=accepted_leaks(["ids: they are numbered by hand"]))
    must_not_leak(report, accepted=accepted_leaks(["sizes: pictures are cropped by their scene"]))
    with pytest.raises(InvalidFileError, match="Give a reason for accepting sizes"):
        accepted_leaks(["sizes: "])
    with pytest.raises(InvalidFileError, match="Unknown kind of leak 'size'"):
        accepted_leaks(["size: because"])
