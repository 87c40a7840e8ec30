"""The reviewer's bundle: what is in it, that nothing in it says who anyone is, and that it comes out as printed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db.carried import CARRIED
from db.engine import Store, open_store
from db.evidence_rows import EVIDENCE, LEFT_OUT, EvidenceRows
from db.tables import metadata
from domain.errors import ConflictError, NotFoundError
from domain.states import Stage
from media.store import MediaStore
from testkit import released
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema, vote
from testkit.paths import ROOT
from tests.workflow.whole_project import build
from workflow.annotate import submissions
from workflow.files.gate_counts import gates
from workflow.releases import evidence
from workflow.releases.evidence import figures_in, rows_behind
from workflow.results.rater_agreement import agreement_of

pytestmark = pytest.mark.thorough

VOTES = "evidence/tables/annotation.jsonl"


def with_tables(template: Path, patch: pytest.MonkeyPatch) -> None:
    """A store to recompute in has its tables at once; that it makes them is shown by the command's test."""

    def opened(url: str | None, home: Path, *, lasting: bool) -> Store:
        shutil.copyfile(template, home / "touchstone.db")
        return open_store(url, home, lasting=lasting)

    patch.setattr(evidence, "open_store", opened)


@pytest.fixture(autouse=True)
def made_tables(sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tables(sqlite_template, monkeypatch)


def voted(store: Store) -> None:
    """Five items and ten votes: three are kept; one is rejected, as both say "blue"; and one is split, which without
    seniors is a rejection, too."""
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, 5)
    for login, said in (("ann", "red red red blue red"), ("bob", "red red red blue blue")):
        person = make_person(store, login)
        choices = said.split()
        for _ in choices:
            task = claimed(store, person)
            number = int(str(task.fields["question"]).removeprefix("Question ").removesuffix("?"))
            values = {"choice": choices[number]}
            submissions.submit(store, person=person, task=task.id, key=f"{login}-{number}", values=values)


def lines_of(root: Path, path: str = VOTES) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / path).read_text(encoding="utf-8").splitlines()]


def changed(root: Path, path: str, change: Callable[[list[str]], list[str]]) -> None:
    """Change the lines of a file of a release, and nothing else."""
    lines = (root / path).read_text(encoding="utf-8").splitlines(keepends=True)
    (root / path).write_text("".join(change(lines)), encoding="utf-8")


# ---- what is in it ---------------------------------------------------------------------------------------------------


def test_models_of_different_folders_stay_different_and_those_of_one_server_the_same(store: Store) -> None:
    make_project(store)

    def shown(**spec: Any) -> Any:
        return rows._params({"spec": spec})["spec"]

    with store.read() as session:
        rows = EvidenceRows(session, project_id=1, names={}, raters={}, events=frozenset(), last=store.now())
        names = [shown(model=f"/models/{each}/final")["model"] for each in ("one", "two", "one")]
        places = ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1", "http://10.0.0.1:1/v1", "http://10.0.0.1:2/v1")
        servers = [shown(endpoint={"base_url": each})["endpoint"]["base_url"] for each in places]
    assert names == ["final", "final-2", "final"]
    assert servers == [f"https://server-{number}.invalid/v1" for number in (1, 1, 2, 3)]


def test_every_table_is_evidence_or_left_out_with_a_reason() -> None:
    assert not set(EVIDENCE) & set(LEFT_OUT)
    assert set(EVIDENCE) | set(LEFT_OUT) == set(CARRIED)
    for name, shown in EVIDENCE.items():
        assert {*shown.instead, *shown.notes} <= {*metadata.tables[name].c.keys()}


@released.needs_replay
@pytest.mark.both_databases
def test_nothing_says_who_anyone_is_and_all_comes_out_again(store: Store, home: Path, tmp_path: Path) -> None:
    build(store, MediaStore(home / "media"), home)
    secrets = {
        "person SET login = 'login-of-' || login || '-x', name = 'Name-of-' || login || '-x'",
        "bridge SET address = 'http://sesame.server:8080'",
        "bridge_person SET email = 'sesame@quux.example'",
        'draft SET content = \'{"note": "sesame draft"}\'',
        "import_file SET path = '/home/sesame/a.json', head = 'sesame head'",
        "item SET fragment_raw = 'sesame fragment'",
        "run SET said = 'sesame said', params = '{\"file\": \"/home/sesame/answers.csv\"}' WHERE kind <> 'judge'",
        "run_worker SET name = 'sesame-machine', about = '{\"host\": \"sesame\"}'",
        "imported_rating SET rater = 'Name-of-rater-x'",
        "file_rater SET name = 'Name-of-rater-x'",
    }
    with store.write() as session:
        for change in secrets:
            session.connection().execute(text(f"UPDATE {change}"))
    root = tmp_path / "release"
    done = released.release(store, root)
    for path in (each for each in root.rglob("*") if each.is_file()):
        words = path.read_text(encoding="utf-8").lower()
        for word in ("login-of-", "name-of-", "sesame", "password", "look.", "i did."):
            assert word not in words, (path, word)
    manifest = json.loads((root / "evidence/manifest.json").read_bytes())
    assert manifest["left_out"] == LEFT_OUT
    counts = {each["name"]: each for each in manifest["tables"]}
    assert counts["annotation"]["rows"] == 4, "five were submitted, one of which to a known answer"
    assert {row["login"] for row in lines_of(root, "evidence/tables/person.jsonl")} == {
        row["name"] for row in lines_of(root, "evidence/tables/person.jsonl")
    }
    assert lines_of(root, "evidence/tables/run.jsonl")[0]["params"] == {"file": "answers.csv"}
    found = released.replay(root)
    assert found.ok, "\n".join(released.in_words(found))
    assert len(found.figures) == len(done.figures.told) > 40


def test_figures_are_those_of_the_pages(store: Store, home: Path, tmp_path: Path) -> None:
    voted(store)
    released.release(store, tmp_path / "release")
    figures = figures_in(tmp_path / "release")
    live = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    told = figures.of("agreement.verification.choice")
    assert [(each.value, each.low, each.high, each.n_units) for each in live] == [
        (each.value, each.low, each.high, each.n) for each in told
    ]
    same = figures.get("agreement.verification.choice.percent_agreement.all")
    # five items, of which four have two equal votes
    assert (same.value, same.n) == (0.8, 5)
    assert {name: figures.get(f"gates.{name}").value for name in ("imported", "unanimous", "kept", "rejected")} == {
        "imported": 5, "unanimous": 4, "kept": 3, "rejected": 2,
    }  # fmt: skip
    with pytest.raises(NotFoundError, match=r"gates\.kept"):
        figures.get("gates.keptt")
    behind = list(rows_behind(tmp_path / "release", same))
    assert [(path, row["stage"]) for path, _, row in behind] == [("tables/annotation.jsonl", "verification")] * 10
    kept = rows_behind(tmp_path / "release", figures.get("gates.kept"))
    assert [row["item"] for path, _, row in kept if path == "verdicts.jsonl"] == ["colour/0", "colour/1", "colour/2"]


@released.needs_replay
def test_only_what_is_released_where_that_is_asked_for(store: Store, tmp_path: Path) -> None:
    voted(store)
    released.release(store, tmp_path / "release", only_released=True)
    items = [row["external_id"] for row in lines_of(tmp_path / "release", "evidence/tables/item.jsonl")]
    assert items == ["colour/0", "colour/1", "colour/2"]
    for path in (tmp_path / "release").rglob("*.json*"):
        assert "Question 3" not in path.read_text(encoding="utf-8"), path
    assert len(lines_of(tmp_path / "release")) == 6
    found = released.replay(tmp_path / "release")
    assert found.ok
    assert {each.id: each.recomputed.value for each in found.figures if each.recomputed}["gates.imported"] == 3


@pytest.mark.slow
def test_the_same_state_is_the_same_bytes_anywhere(store: Store, tmp_path: Path, home: Path) -> None:
    voted(store)
    released.release(store, tmp_path / "here")
    store.close()
    code = "from pathlib import Path; from db.engine import open_store; from testkit import released; "
    code += f"released.release(open_store(None, Path({str(home)!r})), Path({str(tmp_path / 'there')!r}))"
    around = {**os.environ, "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7", "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=around, check=True)
    here, there = (
        {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*.*")}
        for root in (tmp_path / "here", tmp_path / "there")
    )
    assert here == there
    assert len(here) > 50


def test_a_rater_out_of_a_file_is_said_to_be_who_it_is(store: Store, tmp_path: Path) -> None:
    voted(store)
    with store.write() as session:
        session.connection().execute(
            text(
                "INSERT INTO imported_rating (project_id, stage, unit, rater, criterion, value, created_at) VALUES "
                "(1, 'grading', 'colour/1 · m', 'Zoe Quux', 'score', '1', '2026-01-01 00:00:00')"
            )
        )
    with pytest.raises(ConflictError, match="Imported rater without a mark: Zoe Quux"):
        released.release(store, tmp_path / "release")


def test_a_release_has_the_verdicts_of_its_votes_whatever_is_stored(store: Store, tmp_path: Path) -> None:
    voted(store)
    with store.write() as session:
        session.connection().execute(text("UPDATE item SET state = 'kept'"))
    done = released.release(store, tmp_path / "release")
    assert dict(done.verdicts) == {"kept": 3, "rejected": 2}


def test_no_release_whose_evidence_comes_to_other_figures(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voted(store)
    monkeypatch.setattr(evidence, "gates", lambda *given, **more: {**gates(*given, **more), "kept": 4})
    with pytest.raises(ConflictError, match=r"differ from the project's figures \(kept\)"):
        released.release(store, tmp_path / "release")


@released.needs_replay
def test_what_was_taken_back_is_there_and_counts_no_more(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 1)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann)
    vote(store, bob, "blue")
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    task = claimed(store, bob)
    submissions.submit(store, person=bob, task=task.id, key="again", values={"choice": "red"})
    released.release(store, tmp_path / "release")
    rows = lines_of(tmp_path / "release")
    assert [row["supersedes_id"] for row in rows] == [None, None, rows[1]["id"]]
    assert released.replay(tmp_path / "release").ok
