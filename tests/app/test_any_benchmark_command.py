"""``touchstone item import`` and ``export`` of any benchmark's tables: the example of the documentation."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from PIL import Image
from typer.testing import CliRunner

from app import services
from app.cli import cli
from tests.paths import ROOT

EXAMPLE = dict(
    re.findall(
        r"<!-- example: (\S+) -->\n```\w+\n(.*?)```",
        (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
)


@pytest.fixture
def here(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the example's files, in which commands run, with a home of their own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/touchstone.db").write_bytes(sqlite_template.read_bytes())
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changes.yaml").write_text(EXAMPLE["changes.yaml"], encoding="utf-8")
    (tmp_path / "changes.md").write_text("Look twice.\n", encoding="utf-8")
    (tmp_path / "changes.csv").write_text(EXAMPLE["changes.csv"], encoding="utf-8", newline="")
    (tmp_path / "pictures").mkdir()
    for number in (1, 2, 3):
        Image.new("RGB", (32, 24), (number, 99, 9)).save(tmp_path / f"pictures/k{number}.jpg")
    services.resources.cache_clear()
    yield tmp_path
    services.resources().store.close()
    services.resources.cache_clear()


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


@pytest.mark.thorough
def test_the_example_of_the_documentation_is_what_comes_out(here: Path) -> None:
    said = {}
    for line in EXAMPLE["commands"].splitlines():
        words = shlex.split(line, comments=True)
        done = run(*words[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
        said[" ".join(words[1:4])] = done.stdout.splitlines()
    assert said["item import changes"] == [
        "Imported 2 items.",
        "Media: 3 present, 1 missing (1 item with missing media; add the files with --media DIR).",
        "Missing: k4.jpg.",
        "changes.csv: the cells are separated by semicolons. Unused column: 'Quelle' (the values "
        "are kept for exports).",
    ]
    text = EXAMPLE["changes.csv"]
    assert (here / "all.csv").read_text(encoding="utf-8") == text
    assert (here / "edited.csv").read_text(encoding="utf-8") == text.replace(";a cup;k1", ";a plate;k1")
    lines = (here / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[0] == EXAMPLE["items.jsonl"].strip()
    second = next(row for row in csv.DictReader(io.StringIO(text), delimiter=";") if row["Nr"] == "c2")
    told = json.loads(lines[1])
    assert (told["Frage"], told["reference"]) == (second["Frage"], [second["reference_1"], second["reference_2"]])


@pytest.mark.thorough
def test_what_is_said_at_an_import_counts_and_what_does_not_fit_is_a_sentence(here: Path) -> None:
    assert run("project", "create", "p", "--schema", "changes.yaml").exit_code == 0
    head, *rows = EXAMPLE["changes.csv"].splitlines()
    other = head.replace("Frage", "Question").replace("Nr", "Größe")
    (here / "latin.csv").write_bytes("\r\n".join([other, *rows, ""]).encode("cp1252"))
    names = ("--set", "columns.question=Question", "--set", "columns.id=Größe")
    for words, sentence in (
        ((), "latin.csv is not UTF-8 (byte 3)"),
        (
            ("--set", "encoding=cp1252"),
            "latin.csv has no column 'Frage' (question), 'Nr' (id). The columns are 'Größe'",
        ),
        (
            ("--set", "encoding=cp1252", "--set", "columns.question"),
            "--set columns.question is not in the form KEY=VALUE",
        ),
        (("--set", "encoding=cp1252", "--set", "columns.frage=Question"), "`frage` is not a field or asset"),
        (("--set", "encoding=utf-16", *names), "latin.csv is not in utf-16"),
    ):
        refused = run("item", "import", "p", "csv", "latin.csv", *words)
        assert refused.exit_code != 0
        assert sentence in f"{refused.output} {refused.exception}"
    looked = run("item", "import", "p", "csv", "latin.csv", "--set", "encoding=cp1252", *names, "--dry-run")
    assert looked.exit_code == 0, (looked.output, looked.exception)
    assert looked.stdout.splitlines()[:2] == [
        "Format: csv; files: 1.",
        "Rows: 2 new, 0 changed, 0 unchanged, 0 invalid.",
    ]
    assert looked.stdout.splitlines()[-1] == "Nothing was stored."
    refused = run("item", "import", "p", "models", "latin.csv", "--dry-run")
    assert (
        "--dry-run works only for items, answers, ratings and replies. Remove the option for models"
        in f"{refused.output} {refused.exception}"
    )
    done = run("item", "import", "p", "csv", "latin.csv", "--set", "encoding=cp1252", *names)
    assert done.stdout.splitlines()[0] == "Imported 2 items.", (done.output, done.exception)
    assert run("item", "export", "p", "csv", "--out", "out.csv").exit_code == 0
    assert (here / "out.csv").read_bytes() == (here / "latin.csv").read_bytes()

    # the second row changed, and a third came: the project's own stays, and the new one comes in
    (_, second) = csv.DictReader([head, *rows], delimiter=";")
    question = second["Frage"]
    written = '"' + question.replace('"', '""') + '"'
    newer = [rows[0], rows[1].replace(written, "Other?"), rows[0].replace("c1;", "c3;")]
    (here / "latin.csv").write_bytes("\r\n".join([other, *newer, ""]).encode("cp1252"))
    latin = ("item", "import", "p", "csv", "latin.csv", "--set", "encoding=cp1252", *names)
    looked = run(*latin, "--dry-run", "--changed-rows", "changed.csv")
    assert (looked.exit_code, "Use --new-only" in looked.stdout) == (1, True)
    with (here / "changed.csv").open(encoding="utf-8", newline="") as table:
        assert [tuple(row.values()) for row in csv.DictReader(table)] == [
            ("latin.csv", "2", "c2", "question", question, "Other?")
        ]
    assert run(*latin, "--dry-run", "--new-only").exit_code == 0
    done = run(*latin, "--new-only", "--changed-rows", "left.jsonl")
    assert done.stdout.splitlines()[0] == "Imported 1 item.", (done.output, done.exception)
    assert "1 changed row not imported: the existing items stay unchanged." in done.stdout.splitlines()
    (left,) = [json.loads(line) for line in (here / "left.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (left["row"], left["raw"]) == (2, newer[1])
    refused = run("item", "import", "p", "ratings", "latin.csv", "--new-only")
    assert (
        "--new-only and --changed-rows work only for items. Remove these options for ratings"
        in f"{refused.output} {refused.exception}"
    )


@pytest.mark.thorough
def test_former_options_and_mapping_files_import_the_same(here: Path) -> None:
    head, *rows = EXAMPLE["changes.csv"].splitlines()
    text = "\r\n".join([head.replace("Frage", "Question").replace("Nr", "Größe"), *rows, ""])
    (here / "latin.csv").write_bytes(text.encode("cp1252"))
    (here / "mapping.yaml").write_text("encoding: cp1252\ncolumns: {question: Question, id: Größe}\n", encoding="utf-8")
    (here / "mapping.json").write_text('{"columns": {"question": "Question"}}', encoding="utf-8")
    ways = {
        "old": ("--encoding", "cp1252", "--column", "question=Question", "--column=id=Größe"),
        "file": ("--mapping", "mapping.yaml"),
        "both": ("--mapping", "mapping.json", "--set", "encoding=cp1252", "--set", "columns.id=Größe"),
    }
    said = {}
    for project, words in ways.items():
        assert run("project", "create", project, "--schema", "changes.yaml").exit_code == 0
        command = ("import",) if project == "old" else ("item", "import")
        done = run(*command, project, "csv", "latin.csv", "--media", "pictures", *words)
        said[project] = done.stdout
        assert run("item", "export", project, "jsonl", "--out", f"{project}.jsonl").exit_code == 0
        assert done.stderr.count("still works.") == (4 if project == "old" else 0)
    assert said["old"].startswith("Imported 2 items.\n")
    assert said["old"] == said["file"] == said["both"]
    assert (here / "old.jsonl").read_bytes() == (here / "file.jsonl").read_bytes() == (here / "both.jsonl").read_bytes()
    for line, why in (("colums: {}", "columns"), ("template: egothink_single", "Delete the key to import csv")):
        (here / "wrong.yaml").write_text(line, encoding="utf-8")
        refused = run("item", "import", "file", "csv", "latin.csv", "--mapping", "wrong.yaml")
        assert why in str(refused.exception), refused.exception


@pytest.mark.thorough
def test_a_guessed_mapping_names_the_columns_and_imports(here: Path) -> None:
    assert run("project", "create", "p", "--schema", "changes.yaml").exit_code == 0
    head, *rows = EXAMPLE["changes.csv"].splitlines()
    (here / "own.csv").write_text("\n".join([head.replace("Frage", "QUESTION").replace("Nr", "ID"), *rows, ""]))
    words = ("item", "import", "p", "csv", "own.csv")
    done = run(*words, "--write-mapping", "own.yaml")
    command = "touchstone item import p csv own.csv --mapping own.yaml --dry-run"
    assert done.stdout == f"Wrote own.yaml. Check the columns, then run: {command}\n", done.exception
    lines = (here / "own.yaml").read_text(encoding="utf-8").splitlines()
    assert '  "id": "ID"' in lines
    assert '  "question": "QUESTION"' in lines
    assert "already exists" in str(run(*words, "--write-mapping", "own.yaml").exception)
    assert run(*words, "--mapping", "own.yaml").stdout.startswith("Imported 2 items.\n")
