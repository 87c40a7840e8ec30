"""``touchstone regression run``: of a project and of files, as a table, JSON and CSV, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.cli import cli
from app.services import resources
from db.engine import Store, open_store
from domain.errors import InvalidFileError, InvalidInputError
from domain.rated_units import BETWEEN
from testkit.factories import make_items, make_predictions, make_project
from testkit.missing_extensions import needs
from workflow.annotate import answer_readings
from workflow.results import file_raters
from workflow.results.ratings_from_files import import_ratings

pytestmark = pytest.mark.thorough

PLAN = "embodied_reasoning"
TYPES = (1, 0.5, 0, 1, 0, 0.5)
"""The score of the one question on types of each task, and whether its plan succeeds."""
WON = (1, 1, 0, 1, 0, 0)


def command(*arguments: str) -> tuple[str, str]:
    done = CliRunner().invoke(cli, ["regression", "run", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def filled(store: Store, folder: Path) -> None:
    """A project of ETP-Bench: six tasks with a question and a plan each, answered by one model."""
    make_project(store, name="etp", loaded=load_schema(shipped()["etp_bench"]))
    rows = ["unit,rater,criterion,value"]
    for number, (score, won) in enumerate(zip(TYPES, WON, strict=True)):
        fields = {"task": f"task {number}", "question": "What?", "form": "open"}
        for at, (dimension, criterion, value) in enumerate((("type", "score", score), (PLAN, "success", won))):
            ids = make_items(store, 1, project="etp", dimension=dimension, fields=fields)
            make_predictions(store, ids, models=["gpt-4v"], project="etp", dimension=dimension)
            rows.append(f"{dimension}/{2 * number + at}{BETWEEN}gpt-4v,ann,{criterion},{value}")
    path = folder / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    import_ratings(store, by=None, project="etp", path=path, refuse=lambda bad: None)
    file_raters.mark(store, by=None, project="etp", people=["ann"])
    answer_readings.fill_up(store, project="etp")  # as an import does; else the first figures are out of date at once


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, tmp_path)
    filled(store, tmp_path)
    store.close()
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


@needs("readers", "ratings")
def test_of_a_project_in_all_forms(home: Path) -> None:
    # x is 1, 1/2, 0, 1, 0, 1/2 and y 1, 1, 0, 1, 0, 0: means 1/2, sums of products around them 1 and 1, slope 1
    text, _ = command("etp", "--kind", "linear", "--out", str(home / "files"))
    assert "6 units of 1 model; aspects: Type." in text
    assert "Linear regression, HC3 standard errors: 6 plans" in text
    (line,) = [line for line in text.splitlines() if line.startswith("  Type ")]
    assert line.split()[1] == "1.000"
    data = list(csv.DictReader(io.StringIO((home / "files" / "units.csv").read_text(encoding="utf-8"))))
    assert [(row["task"], float(row["type"]), float(row["success"])) for row in data] == [
        (f"task {number}", x, y) for number, (x, y) in enumerate(zip(TYPES, WON, strict=True))
    ]
    told = json.loads(command("etp", "--json")[0])
    linear, logistic = told["regressions"]
    assert next(each for each in linear["numbers"] if each["name"] == "type")["value"] == pytest.approx(1)
    # 1/2 has a success and a failure, so that all others are told from each other
    assert "in 4 of 6 units" in logistic["reason"]
    rows = list(csv.DictReader(io.StringIO(command("etp", "--format", "csv")[0])))
    assert {row["value"] for row in rows if row["regression"] == "logistic" and row["part"] == "fit"} == {""}


@needs("readers", "ratings")
def test_success_from_a_file(home: Path) -> None:
    path = home / "ran.csv"
    path.write_text("item,success\n" + "".join(f"{PLAN}/{2 * n + 1},{n % 2}\n" for n in range(6)) + "x,1\n")
    text, _ = command("etp", "--success", str(path))
    assert "Success: ran.csv." in text
    assert "Left out, rows of ran.csv with an unknown item: 1." in text


@needs("readers", "ratings")
def test_what_a_project_lacks_is_a_sentence(home: Path) -> None:
    with pytest.raises(InvalidInputError, match="Items have no field 'room'"):
        command("etp", "--task", "room")
    path = home / "ran.csv"
    path.write_text("item,success\na,1\na,1\n")
    with pytest.raises(InvalidFileError, match="item a is already in row 2"):
        command("etp", "--success", str(path))


def test_of_files_without_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    aspects, success = tmp_path / "aspects.csv", tmp_path / "success.csv"
    aspects.write_text("model,dimension,score\n" + "".join(f"m{at},type,{at / 5}\n" for at in range(5)))
    success.write_text("model,success\n" + "".join(f"m{at},{(at**2) / 20}\n" for at in range(5)))
    text, _ = command("--aspects", str(aspects), "--success", str(success))
    # x 0, .2, .4, .6, .8 and y 0, .05, .2, .45, .8: sums of products around .4 are .4 and .4
    assert [line.split()[1] for line in text.splitlines() if line.startswith("  type ")] == ["1.000"]
    assert "m0 has only the share 0. Give the success of each plan." in text
    assert not (tmp_path / "home").exists()


def test_nothing_is_minus_zero(tmp_path: Path) -> None:
    aspects, success = tmp_path / "aspects.csv", tmp_path / "success.csv"
    aspects.write_text("model,dimension,score,task\n" + "".join(f"m,type,{at / 7},t{at}\n" for at in range(8)))
    success.write_text("model,task,success\n" + "".join(f"m,t{at},{1 - 1e-9 * at}\n" for at in range(8)))
    text, _ = command("--aspects", str(aspects), "--success", str(success))
    assert [line.split()[1] for line in text.splitlines() if line.startswith("  type ")] == ["0.000"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "name either a project, or a file of scores with --aspects"),
        (["p", "--aspects", "a.csv"], "name either a project"),
        (["--aspects", "a.csv"], "--aspects needs --success FILE"),
        (["--aspects", "a.csv", "--success", "success"], "--aspects needs --success FILE"),
        (["--aspects", "a.csv", "--success", "s.csv", "--task", "t"], "need a project"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], why: str) -> None:
    done = CliRunner().invoke(cli, ["regression", "run", *arguments], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert why in " ".join(done.output.replace("│", " ").split())
