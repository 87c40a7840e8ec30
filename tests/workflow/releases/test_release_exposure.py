"""A vote of someone who had been sent too much: told before a release, in it, and found by whoever verifies it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from db.engine import Store
from domain.errors import InvalidFileError
from domain.states import Stage
from exporters.evidence_folder import line_hash
from media.store import MediaStore
from testkit.factories import make_items, make_people, make_person, make_predictions, make_project, make_schema
from testkit.released import needs_replay, verify
from tests.workflow.test_exposure import say, show
from workflow.releases.checklist import before
from workflow.releases.create import CreatedRelease, create
from workflow.releases.settings import ReleaseOptions

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("made_tables")]
SHAPES, LEDGER = "evidence/tables/exposure_shape.jsonl", "evidence/tables/exposure.jsonl"

Change = Callable[[dict[str, Any]], None]


def into_fields(data: dict[str, Any]) -> None:
    data["task"]["fields"]["answer"] = "red"


def author(data: dict[str, Any]) -> None:
    data["task"]["note"] = "Zoe wrote it."


def votes(data: dict[str, Any]) -> None:
    data["task"]["votes"] = [{"label": "Vote A", "values": {"choice": "blue"}, "reasons": {}, "note": ""}]


def model(data: dict[str, Any]) -> None:
    data["task"]["model"] = "gpt-x"


def score(data: dict[str, Any]) -> None:
    data["task"]["judge_score"] = 0.5


VOTED: Mapping[str, Change] = {"field answer": into_fields, "the name of the author": author}
LATER: Mapping[str, Change] = {"another person's answer": votes}
GRADED: Mapping[str, Change] = {"the name of the model": model, "a judge's rating": score}


def worked(store: Store, *, planted: bool) -> Store:
    """Four items that bob and then ann have voted on, and two answers that they have graded. If ``planted``, ann's
    pages held something each time that is kept from her."""
    make_project(store, loaded=make_schema(adjudication=False))
    zoe = make_person(store, "zoe")
    items = make_items(store, 4, author_id=zoe.id)
    ann, bob = make_people(store, "ann", "bob")
    for _ in items:
        say(store, bob, show(store, bob))
    changes = [*VOTED.values(), *LATER.values()] if planted else []
    for at, _ in enumerate(items):
        say(store, ann, show(store, ann, change=changes[at] if at < len(changes) else None))
    make_predictions(store, items[:2], models=["gpt-x"])
    grades = list(GRADED.values()) if planted else []
    for at in range(2):
        say(store, bob, show(store, bob, Stage.GRADING), score=1)
        say(store, ann, show(store, ann, Stage.GRADING, grades[at] if grades else None), score=1)
    return store


def release(store: Store, media: MediaStore, home: Path, *despite: str, **more: Any) -> CreatedRelease:
    return create(
        store, media, home, by=None, project="p", asked=ReleaseOptions(despite=("said", "items", *despite), **more)
    )


def lines(folder: Path, path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / path).read_text(encoding="utf-8").splitlines()]


@needs_replay
def test_each_kind_is_told_before_and_verify_names_who_what_and_the_row(
    store: Store, media: MediaStore, home: Path
) -> None:
    worked(store, planted=True)
    (line,) = [each for each in before(store, by=None, project="p") if each.name == "exposure"]
    assert line.said == "5 votes were given by people who had seen hidden data"
    with pytest.raises(InvalidFileError, match=r"5 votes were given by people .* \(exposure\)"):
        release(store, media, home)
    public = release(store, media, home, "exposure").place / "public"
    found = verify(public)
    ann = next(row["id"] for row in lines(public, "evidence/tables/person.jsonl") if row["login"] in found[0])
    names = {row["id"]: row["login"] for row in lines(public, "evidence/tables/person.jsonl")}
    items = {row["id"]: row["external_id"] for row in lines(public, "evidence/tables/item.jsonl")}
    ledger = lines(public, LEDGER)
    for what in (*VOTED, *LATER, *GRADED):
        (sentence,) = [each for each in found if f" received {what} of item " in each]
        number = int(sentence.partition("line ")[2].partition(")")[0])
        row = ledger[number - 1]
        assert sentence.startswith(f"{names[ann]} received {what} of item {items[row['item_id']]} (page, ")
        assert row["person_id"] == ann
    told = json.loads((public / "manifest.json").read_text())["exposure"]["faults"]
    assert {each["person"] for each in told} == {names[ann]}
    assert len(found) == len(told), "each thing once, whether the manifest or the ledger says it"
    done = CliRunner().invoke(cli, ["release", "check", str(public)])
    assert (done.exit_code, done.stdout.splitlines()) == (1, found)


# ---- planted afterwards ----------------------------------------------------------------------------------------------


def mended(folder: Path) -> None:
    """Make all hashes right again: of lines, in the manifest of the evidence, and in that of the release."""
    evidence = folder / "evidence"
    for table in (evidence / "tables").glob("*.jsonl"):
        hashes = [line_hash(line) for line in table.read_bytes().splitlines(keepends=True)]
        (evidence / f"lines/{table.stem}.txt").write_text("".join(f"{each}\n" for each in hashes))
    for root in (evidence, folder):
        manifest = json.loads((root / "manifest.json").read_text())
        for each in [*manifest["files"], *manifest.get("tables", ())]:
            path = root / (each["path"] if "path" in each else f"tables/{each['name']}.jsonl")
            each |= {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        (root / "manifest.json").write_text(json.dumps(manifest))


def planted(folder: Path, stage: str, *facts: str, fields: tuple[str, ...] = ()) -> None:
    """Let what was sent in a stage have held more."""
    rows, ledger = lines(folder, SHAPES), lines(folder, LEDGER)
    shapes = {row["shape_id"] for row in ledger if row["stage"] == stage}
    for row in rows:
        if row["id"] in shapes:
            row["told"]["facts"] = sorted({*row["told"]["facts"], *facts})
            row["told"]["fields"] = sorted({*row["told"]["fields"], *fields})
    (folder / SHAPES).write_text("".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in rows))
    mended(folder)


@pytest.fixture
def clean(store: Store, media: MediaStore, home: Path) -> Path:
    """A release without a fault."""
    return release(worked(store, planted=False), media, home).place / "public"


@needs_replay
def test_what_is_planted_afterwards_is_found_though_every_hash_is_mended(clean: Path, tmp_path: Path) -> None:
    assert verify(clean) == []
    for stage, fact, fields, words in (
        ("verification", "key", ("answer",), "the key"),
        ("verification", "author", (), "the name of the author"),
        ("verification", "votes", (), "another person's answer"),
        ("verification", "verdict", (), "the verdict"),
        ("grading", "model", (), "the name of the model"),
        ("grading", "judge", (), "a judge's rating"),
    ):
        copy = tmp_path / fact
        shutil.copytree(clean, copy)
        planted(copy, stage, fact, fields=fields)
        found = verify(copy)
        assert any(
            f" received {words} of item colour/" in each and f"before voting in {stage}" in each for each in found
        )
        assert all(" received " in each for each in found), "every hash is as it should be"


@needs_replay
def test_a_private_part_is_looked_at_and_is_that_of_the_release(store: Store, media: MediaStore, home: Path) -> None:
    made = release(worked(store, planted=False), media, home, private=("test",))
    public, private = made.place / "public", made.place / "private"
    assert verify(public, private=private) == []
    shutil.copytree(private, home / "whole")
    planted(private, "verification", "author")
    found = verify(public, private=private)
    assert found[0] == "private: manifest.json does not match its hash in the manifest of the release."
    assert any(" received the name of the author of item colour/0 " in each for each in found)
    (private / SHAPES).write_text("{}\n")
    assert any("Touchstone cannot check the ledger of exposures" in each for each in verify(public, private=private))
