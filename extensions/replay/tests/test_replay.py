"""A release is recomputed: what was changed is named and moves figures, and what cannot be read is refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace as replaced
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import InvalidFileError
from extensions.replay.changed_files import ComparedEvidence
from extensions.replay.recomputation import in_words, replay
from importers import evidence_folder
from testkit import released
from tests.workflow.test_evidence import VOTES, changed, lines_of, made_tables, voted, with_tables  # noqa: F401

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def made(sqlite_store_for_module: Store, sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the ten votes, which no test changes."""
    at = tmp_path_factory.mktemp("made") / "release"
    with pytest.MonkeyPatch.context() as patch:
        with_tables(sqlite_template, patch)
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
    assert "colour/4: printed: rejected; recomputed: kept" in words
    assert words.endswith("Not equal.")


def test_what_is_cut_turned_around_or_gone_is_said(root: Path, tmp_path: Path) -> None:
    def of(change: Callable[[Path], Any]) -> Any:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(root, copy)
        change(copy)
        return replay(copy)

    cut = of(lambda copy: changed(copy, VOTES, lambda lines: lines[:-1]))
    assert cut.changed[0].sentence == f"{VOTES} was shortened to 9 of 10 lines."
    assert len(cut.moved) == 1
    turned = of(lambda copy: changed(copy, VOTES, lambda lines: lines[::-1]))
    assert "has the same 10 lines in another order, starting at line 1" in turned.changed[0].sentence
    assert "the ID is not greater than the ID of the previous row" in turned.refused
    half = of(lambda copy: (copy / VOTES).write_bytes((copy / VOTES).read_bytes()[:-20]))
    assert "does not match the columns" in half.refused
    gone = of(lambda copy: (copy / VOTES).unlink())
    assert gone.changed[0].sentence == f"{VOTES} is missing."
    assert "tables/annotation.jsonl is missing" in gone.refused
    lowered = of(
        lambda copy: changed(
            copy, "evidence/figures.json", lambda lines: [line.replace('"value": 3', '"value": 4') for line in lines]
        )
    )
    assert lowered.changed[0].sentence == "evidence/figures.json was changed and no longer matches its manifest."
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
    "no manifest": (lambda at: (at / "manifest.json").unlink(), "the file manifest.json is missing"),
    "half a manifest": (lambda at: (at / "manifest.json").write_bytes(b'{"format"'), "not a manifest of evidence"),
    "a nested manifest": (lambda at: (at / "manifest.json").write_bytes(b"[" * 200_000), "not a manifest of evidence"),
    "another format": (lambda at: _manifest(at, lambda told: told.update(format="x")), "not a manifest of evidence"),
    "a newer version": (lambda at: _manifest(at, lambda told: told.update(version=9)), "newer version of Touchstone"),
    "a path above": (lambda at: _manifest(at, lambda told: told["files"][0].update(path="../x")), "entry for '../x'"),
    "a path of root": (
        lambda at: _manifest(at, lambda told: told["files"][0].update(path="/etc/passwd")),
        "'/etc/pass",
    ),
    "a table above": (lambda at: _manifest(at, lambda told: told["tables"][0].update(name="../../x")), "a wrong entry"),
    "columns of numbers": (
        lambda at: _manifest(at, lambda told: told["tables"][0].update(columns=[1])),
        "has a wrong entry",
    ),
    "a table too many": (
        lambda at: _manifest(at, lambda told: told["tables"].append({**told["tables"][0], "name": "x"})),
        "the table 'x', but not the table's file",
    ),
    "a newer database": (lambda at: _manifest(at, lambda told: told.update(database="9999")), "newer tables"),
    "a link": (_linked, "links are not allowed"),
    "a pipe": (
        _piped,
        "figures.json is not a file",
    ),
    "a huge file": (
        lambda at: os.truncate(at / "tables/annotation.jsonl", 1 << 40),
        "tables/annotation.jsonl has 1,099,511,627,776 bytes",
    ),
    "figures that are none": (
        lambda at: (at / "figures.json").write_text('{"figures": [{"id": "a"}]}', encoding="utf-8"),
        "figure 1 is not valid",
    ),
    "two of one id": (
        lambda at: (at / "figures.json").write_text('{"figures": [{"id": "a"}, {"id": "a"}]}', encoding="utf-8"),
        "two figures with the same id",
    ),
    "a person of a number": (
        lambda at: changed(at, "tables/person.jsonl", lambda lines: ['{"id":"1","login":"a","name":"b"}\n']),
        "row 1 of person: id is not a whole number",
    ),
    "a login with a slash": (
        lambda at: changed(
            at, "tables/person.jsonl", lambda lines: [line.replace('"login":"r-', '"login":"r /../') for line in lines]
        ),
        "Enter a login",
    ),
    "a schema that runs code": (
        lambda at: changed(at, "tables/schema_version.jsonl", lambda lines: [_evil(lines[0])]),
        "Touchstone cannot read the schema 'blind'",
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
        ComparedEvidence(root, limits=short).changed()


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
