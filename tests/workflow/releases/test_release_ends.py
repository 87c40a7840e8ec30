"""Releases that come at the same moment, are killed, or have nowhere to go: nothing half is left, no number is lost."""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app import cli
from db.engine import Store, open_store
from domain.errors import ConflictError
from domain.settings import STORED_IN
from media.store import MediaStore
from testkit.forked import Forked
from testkit.released import needs_replay, verify
from testkit.serving import environment
from tests.paths import ROOT
from tests.workflow.releases.pictured import One, pictured
from workflow.releases import create as creating
from workflow.releases import listing
from workflow.releases.create import CreatedRelease, create
from workflow.releases.settings import ReleaseOptions
from workflow.releases.staging import staging

pytestmark = [pytest.mark.thorough]
WORDS = ["release", "create", "p", "--despite", "said,items", "--formats", "jsonl"]


def main() -> None:
    """In a process of its own: the command, which says when it has written everything and then waits for ever."""
    if most := os.environ.get("MOST_BYTES"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    if there := os.environ.get("STOPS_AT"):
        kept = creating.keep

        def stops(*args: Any, **more: Any) -> CreatedRelease:
            Path(there).touch()
            while Path(there).exists():
                time.sleep(0.05)
            return kept(*args, **more)

        creating.keep = stops
    cli.main()


class Machine:
    """A home with the project, and commands that run there."""

    def __init__(self, home: Path, template: Path) -> None:
        self.home = home
        self.begun: list[Forked] = []
        home.mkdir()
        (home / "touchstone.db").write_bytes(template.read_bytes())
        self.store = open_store(None, home)
        pictured(self.store, MediaStore(home / "media"), [One("a"), One("b")])

    def command(self, name: str, *words: str | Path, **env: str) -> Forked:
        out, err = self.home / f"{name}.out", self.home / f"{name}.err"
        begun = Forked(
            [*WORDS, *words], env=environment(self.home, **env), cwd=ROOT, out=out, err=err, main=f"{__name__}:main"
        )
        self.begun.append(begun)
        return begun

    def said(self, name: str) -> list[str]:
        lines = (self.home / f"{name}.err").read_text().splitlines()
        return [line for line in lines if not line.startswith(STORED_IN)]

    @property
    def versions(self) -> list[str]:
        return [each.version for each in listing.all_releases(self.store, self.home, by=None, project="p")]

    @property
    def kept(self) -> list[str]:
        folder = self.home / "releases/p"
        return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def machine(tmp_path: Path, sqlite_template: Path) -> Any:
    made = Machine(tmp_path / "machine", sqlite_template)
    yield made
    for each in made.begun:
        each.kill()
    made.store.close()


def until(path: Path, process: Forked) -> None:
    for _ in range(1200):
        if path.exists():
            return
        assert process.poll() is None, "it has ended"
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


@needs_replay
@pytest.mark.slow
def test_a_release_that_is_killed_leaves_its_number_and_two_do_not_meet(machine: Machine, tmp_path: Path) -> None:
    at = tmp_path / "written"
    first = machine.command("first", STOPS_AT=str(at))
    until(at, first)
    second = machine.command("second")
    assert second.wait(120) == 1
    assert machine.said("second") == [
        "touchstone: Another process is creating a release of p. Wait until that release is done. Then create this "
        "release."
    ]
    first.kill()
    first.wait(60)
    (left,) = machine.kept
    assert left.startswith(".making-"), "what is half done is not where releases are"
    assert machine.versions == []
    third = machine.command("third", "--out", tmp_path / "out")
    assert third.wait(120) == 0, machine.said("third")
    assert (machine.versions, machine.kept) == (["1"], ["1"])
    assert verify(tmp_path / "out") == []


@pytest.mark.slow
def test_where_a_copy_cannot_go_is_said_and_nothing_half_stays_there(machine: Machine, tmp_path: Path) -> None:
    there, file = tmp_path / "there", tmp_path / "file"
    there.mkdir()
    file.write_text("x")
    for name, out, words in (
        ("taken", there, "already exists"),
        ("a file above", file / "out", "is not writable"),
        ("not ours", Path("/proc/out"), "could not copy the release to /proc/out"),
    ):
        done = machine.command(name, "--out", out)
        assert done.wait(120) == 1
        (sentence,) = machine.said(name)
        assert sentence.startswith("touchstone: ")
        assert words in sentence, name
    assert [each.name for each in tmp_path.iterdir() if "partial" in each.name] == []


@pytest.mark.slow
def test_no_room_ends_with_a_sentence_and_leaves_nothing(machine: Machine, tmp_path: Path) -> None:
    """No file may grow beyond 4 KiB, the database neither."""
    done = machine.command("full", "--out", tmp_path / "out", MOST_BYTES="4096")
    assert done.wait(120) == 1
    (sentence,) = machine.said("full")
    assert sentence.startswith("touchstone: ")
    assert (machine.versions, machine.kept) == ([], [])
    assert not (tmp_path / "out").exists()
    assert machine.command("again", "--out", tmp_path / "out").wait(120) == 0
    assert machine.versions == ["1"]


@needs_replay
@pytest.mark.both_databases
@pytest.mark.usefixtures("made_tables")
def test_two_machines_at_once_get_one_number_and_one_of_them_a_sentence(
    store: Store, media: MediaStore, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have written everything under the number 1 before either keeps it; their homes are two, so no lock tells."""
    pictured(store, media, [One("a"), One("b")])
    meeting, kept = threading.Barrier(2, timeout=120), creating.keep

    def met(*args: Any, **more: Any) -> CreatedRelease:
        meeting.wait()
        return kept(*args, **more)

    monkeypatch.setattr(creating, "keep", met)
    homes = [home, tmp_path / "other"]

    def make(at: Path) -> CreatedRelease | str:
        try:
            asked = ReleaseOptions(despite=("said", "items"), formats=("jsonl",))
            return create(store, media, at, by=None, project="p", asked=asked)
        except ConflictError as error:
            return str(error)

    with ThreadPoolExecutor(2) as both:
        found = list(both.map(make, homes))
    (made,) = [each for each in found if isinstance(each, CreatedRelease)]
    (refused,) = [each for each in found if isinstance(each, str)]
    assert (
        refused == "Another release was created at the same moment. Check that release, then create your release again."
    )
    assert (made.version, verify(made.place / "public")) == ("1", [])
    loser = next(each for each in homes if not made.place.is_relative_to(each))
    assert list((loser / "releases/p").iterdir()) == []
    monkeypatch.setattr(creating, "keep", kept)
    again = create(store, media, loser, by=None, project="p", asked=ReleaseOptions(despite=("said", "items")))
    assert again.version == "2"
    assert json.loads((again.place / "public/manifest.json").read_text())["release"] == "2"


def test_what_is_being_built_is_no_one_elses(tmp_path: Path) -> None:
    with staging(tmp_path, "p") as made:
        (made / "half").write_text("x")
        with pytest.raises(ConflictError, match="is creating a release of p"), staging(tmp_path, "p"):
            pass
        with staging(tmp_path, "q"):
            assert (made / "half").is_file()
    assert list((tmp_path / "releases/p").iterdir()) == []
