"""The reviewer's bundle: what is in it, that nothing in it says who anyone is, and that it comes out as printed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace as replaced
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db.carried import CARRIED
from db.engine import Store, open_store
from db.evidence_rows import EVIDENCE, LEFT_OUT, EvidenceRows
from db.tables import metadata
from domain.errors import ConflictError, InvalidFileError, NotFoundError
from domain.states import Stage
from importers import evidence_folder
from media.store import MediaStore
from testkit import released
from testkit.factories import claimed, make_items, make_people, make_person, make_project, make_schema, vote
from testkit.paths import ROOT
from tests.workflow.whole_project import build
from workflow.annotate import submissions
from workflow.releases import evidence
from workflow.releases.evidence import figures_in, rows_behind
from workflow.releases.replay import in_words, replay
from workflow.results.rater_agreement import agreement_of

pytestmark = pytest.mark.thorough

VOTES = "evidence/tables/annotation.jsonl"


def _with_tables(template: Path, patch: pytest.MonkeyPatch) -> None:
    """A store to recompute in has its tables at once; that it makes them is shown by the command's test."""

    def opened(url: str | None, home: Path, *, lasting: bool) -> Store:
        shutil.copyfile(template, home / "touchstone.db")
        return open_store(url, home, lasting=lasting)

    patch.setattr(evidence, "open_store", opened)


@pytest.fixture(autouse=True)
def _made_tables(sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with_tables(sqlite_template, monkeypatch)


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
    found = replay(root)
    assert found.ok, "\n".join(in_words(found))
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


def test_only_what_is_released_where_that_is_asked_for(store: Store, tmp_path: Path) -> None:
    voted(store)
    released.release(store, tmp_path / "release", only_released=True)
    items = [row["external_id"] for row in lines_of(tmp_path / "release", "evidence/tables/item.jsonl")]
    assert items == ["colour/0", "colour/1", "colour/2"]
    for path in (tmp_path / "release").rglob("*.json*"):
        assert "Question 3" not in path.read_text(encoding="utf-8"), path
    assert len(lines_of(tmp_path / "release")) == 6
    found = replay(tmp_path / "release")
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
    with pytest.raises(ConflictError, match="whether Zoe Quux is a person"):
        released.release(store, tmp_path / "release")


# ---- what was changed ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(sqlite_store_for_module: Store, sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the ten votes, which no test changes."""
    at = tmp_path_factory.mktemp("made") / "release"
    with pytest.MonkeyPatch.context() as patch:
        _with_tables(sqlite_template, patch)
        voted(sqlite_store_for_module)
        released.release(sqlite_store_for_module, at)
    return at


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path / "release")
    return tmp_path / "release"


def test_a_flipped_vote_names_everything_that_moves(root: Path) -> None:
    before = lines_of(root)
    blue = [(number, row["item_id"]) for number, row in enumerate(before) if row["answers"] == {"choice": "blue"}]
    at = next(number for number, item in blue if [other for _, other in blue].count(item) == 1)
    changed(root, VOTES, lambda lines: [*lines[:at], lines[at].replace('"blue"', '"red"'), *lines[at + 1 :]])
    found = replay(root)
    assert not found.ok
    assert [(each.path, each.lines) for each in found.changed] == [(VOTES, (at + 1,))]
    assert [(each.item, each.printed, each.recomputed) for each in found.moved] == [("colour/4", "rejected", "kept")]
    moved = {each.id: (each.printed, each.recomputed) for each in found.differing}
    said = {id: (one.value, other.value) for id, (one, other) in moved.items() if one and other}
    assert {id: values for id, values in said.items() if id.startswith("gates.")} == {
        "gates.unanimous": (4, 5), "gates.equal_to_key": (3, 4), "gates.kept": (3, 4), "gates.rejected": (2, 1),
    }  # fmt: skip
    assert said["agreement.verification.choice.percent_agreement.all"] == (0.8, 1.0)
    words = "\n".join(in_words(found))
    assert f"{VOTES} was changed in line {at + 1}" in words
    assert "colour/4: rejected printed, kept recomputed" in words
    assert words.endswith("Not equal.")


def test_what_is_cut_turned_around_or_gone_is_said(root: Path, tmp_path: Path) -> None:
    def of(change: Callable[[Path], Any]) -> Any:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(root, copy)
        change(copy)
        return replay(copy)

    cut = of(lambda copy: changed(copy, VOTES, lambda lines: lines[:-1]))
    assert cut.changed[0].sentence == f"{VOTES} was cut: 9 of 10 lines are there."
    assert len(cut.moved) == 1
    turned = of(lambda copy: changed(copy, VOTES, lambda lines: lines[::-1]))
    assert "has the same 10 lines in another order, from line 1 on" in turned.changed[0].sentence
    assert "does not follow" in turned.refused
    half = of(lambda copy: (copy / VOTES).write_bytes((copy / VOTES).read_bytes()[:-20]))
    assert "is no row with the columns" in half.refused
    gone = of(lambda copy: (copy / VOTES).unlink())
    assert gone.changed[0].sentence == f"{VOTES} is not there."
    assert "tables/annotation.jsonl is not there" in gone.refused
    lowered = of(
        lambda copy: changed(
            copy, "evidence/figures.json", lambda lines: [line.replace('"value": 3', '"value": 4') for line in lines]
        )
    )
    assert lowered.changed[0].sentence == "evidence/figures.json was changed: it is not what its manifest says."
    assert "gates.kept" in [each.id for each in lowered.differing]
    told = of(
        lambda copy: changed(
            copy, "evidence/verdicts.jsonl", lambda lines: [lines[0].replace("kept", "rejected"), *lines[1:]]
        )
    )
    assert [(each.item, each.printed, each.recomputed) for each in told.moved] == [("colour/0", "rejected", "kept")]
    own = of(lambda copy: released_anew(copy / "evidence"))
    assert [each.path for each in own.changed] == ["evidence/figures.json", "evidence/manifest.json"]


def released_anew(folder: Path) -> None:
    """Someone who also mends the evidence's own manifest is caught by that of the release."""
    changed(folder, "figures.json", lambda lines: [line.replace('"value": 3', '"value": 4') for line in lines])
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for each in manifest["files"]:
        if each["path"] == "figures.json":
            each["sha256"] = hashlib.sha256((folder / "figures.json").read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _manifest(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    told = json.loads((folder / "manifest.json").read_bytes())
    change(told)
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")


def _linked(folder: Path) -> None:
    shutil.copyfile(folder / "tables/annotation.jsonl", folder.parent.parent / "elsewhere.jsonl")
    (folder / "tables/annotation.jsonl").unlink()
    (folder / "tables/annotation.jsonl").symlink_to(folder.parent.parent / "elsewhere.jsonl")


def _piped(folder: Path) -> None:
    (folder / "figures.json").unlink()
    os.mkfifo(folder / "figures.json")


HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no manifest": (lambda at: (at / "manifest.json").unlink(), "it has no manifest.json"),
    "half a manifest": (lambda at: (at / "manifest.json").write_bytes(b'{"format"'), "is not that of evidence"),
    "a nested manifest": (lambda at: (at / "manifest.json").write_bytes(b"[" * 200_000), "is not that of evidence"),
    "another format": (lambda at: _manifest(at, lambda told: told.update(format="x")), "is not that of evidence"),
    "a newer version": (lambda at: _manifest(at, lambda told: told.update(version=9)), "newer Touchstone"),
    "a path above": (lambda at: _manifest(at, lambda told: told["files"][0].update(path="../x")), "'../x', which no"),
    "a path of root": (
        lambda at: _manifest(at, lambda told: told["files"][0].update(path="/etc/passwd")),
        "'/etc/pass",
    ),
    "a table above": (lambda at: _manifest(at, lambda told: told["tables"][0].update(name="../../x")), "names a table"),
    "columns of numbers": (
        lambda at: _manifest(at, lambda told: told["tables"][0].update(columns=[1])),
        "names a table",
    ),
    "a table too many": (
        lambda at: _manifest(at, lambda told: told["tables"].append({**told["tables"][0], "name": "x"})),
        "a table 'x' without its file",
    ),
    "a newer database": (lambda at: _manifest(at, lambda told: told.update(database="9999")), "newer tables"),
    "a link": (_linked, "links are not followed"),
    "a pipe": (
        _piped,
        "figures.json is no file",
    ),
    "a huge file": (
        lambda at: os.truncate(at / "tables/annotation.jsonl", 1 << 40),
        "tables/annotation.jsonl has 1,099,511,627,776 bytes",
    ),
    "figures that are none": (
        lambda at: (at / "figures.json").write_text('{"figures": [{"id": "a"}]}', encoding="utf-8"),
        "figure 1 is none",
    ),
    "two of one id": (
        lambda at: (at / "figures.json").write_text('{"figures": [{"id": "a"}, {"id": "a"}]}', encoding="utf-8"),
        "two of the same",
    ),
    "a person of a number": (
        lambda at: changed(at, "tables/person.jsonl", lambda lines: ['{"id":"1","login":"a","name":"b"}\n']),
        "row 1 of person: id is no whole number",
    ),
    "a login with a slash": (
        lambda at: changed(
            at, "tables/person.jsonl", lambda lines: [line.replace('"login":"r-', '"login":"r /../') for line in lines]
        ),
        "Give a login",
    ),
    "a schema that runs code": (
        lambda at: changed(at, "tables/schema_version.jsonl", lambda lines: [_evil(lines[0])]),
        "cannot be read here",
    ),
}


def _evil(line: str) -> str:
    return (
        json.dumps({**json.loads(line), "text": "!!python/object/apply:os.system ['touch /tmp/touchstone-was-here']"})
        + "\n"
    )


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_read_is_refused_with_a_sentence(root: Path, tmp_path: Path, case: str) -> None:
    change, words = HOSTILE[case]
    change(root / "evidence")
    here = {path for path in tmp_path.rglob("*")}
    try:
        said = replay(root).refused
    except InvalidFileError as error:
        said = str(error)
    assert words in said, said
    assert {path for path in tmp_path.rglob("*")} == here, "nothing is written"
    assert not Path("/tmp/touchstone-was-here").exists()


def test_a_line_is_read_up_to_a_limit(root: Path) -> None:
    changed(root, VOTES, lambda lines: ["x" * 5_000 + "\n", *lines[1:]])
    short = replaced(evidence_folder.LIMITS, line=4_000)
    with pytest.raises(InvalidFileError, match=r"line 1 of tables/annotation\.jsonl is longer"):
        evidence_folder.EvidenceFolder(root, limits=short).changed()


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
    counted = evidence.gates
    monkeypatch.setattr(evidence, "gates", lambda *given, **more: {**counted(*given, **more), "kept": 4})
    with pytest.raises(ConflictError, match=r"does not come to what the project says \(kept\)"):
        released.release(store, tmp_path / "release")


def test_a_bundle_from_before_a_table_is_read(root: Path) -> None:
    """A later Touchstone has tables that are not in it, and may have given up one that was left out."""
    _manifest(root / "evidence", lambda told: told["left_out"].update(long_gone="it was never of use"))
    _manifest(root / "evidence", lambda told: told["left_out"].pop("release"))
    for name in ("schema_change", "judge_template"):  # as they have no row here
        _manifest(root / "evidence", partial(_drop, table=name))
    found = replay(root)
    assert [each.path for each in found.changed] == ["evidence/manifest.json"]
    assert not found.moved
    assert not found.differing


def _drop(told: dict[str, Any], table: str) -> None:
    told["tables"] = [each for each in told["tables"] if each["name"] != table]
    told["files"] = [each for each in told["files"] if table not in each["path"]]


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
    assert replay(tmp_path / "release").ok
