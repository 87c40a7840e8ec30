"""``touchstone table export``: the forms say the same, tables leave as files, and what cannot be made is told."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db.engine import Store, open_store
from domain.errors import SchemaError
from domain.states import RatersAre
from extensions.paper_tables import drawn_tables, paper_tables
from extensions.paper_tables.table_layouts import parse_layout
from testkit.missing_extensions import needs
from tests.workflow.test_results import filled
from workflow.results.ratings_from_files import import_ratings

LAYOUT = """
tables:
  - name: marks
    title: What they got
    source: key
    percent: true
    corner: Model
    rows: [{each: [model], group_by: size}]
    columns: [{title: Nothing, attribute: maker}, {each: [dimension], only: {dimension: [colour]}}]
    chart: [radar, heat]
  - {name: kappa, title: K, source: agreement, statistic: cohen_kappa, rows: [{each: [judge]}], columns: [{title: k}]}
"""


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store: Store = open_store(None, tmp_path)
    filled(store)
    store.close()
    (tmp_path / "layout.yaml").write_text(LAYOUT, encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    yield tmp_path
    resources.cache_clear()


def said(*arguments: str) -> tuple[str, str]:
    done = CliRunner().invoke(cli, ["table", "export", "p", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_a_layout_of_ones_own_in_all_forms_and_as_files(home: Path) -> None:
    own = ["--layout", str(home / "layout.yaml")]
    text, _ = said(*own)
    # as touchstone result show says: one of two of the items that ran was asked and replied to, one of three of filed
    assert "  Model  Colour\n  ran      50.0\n  filed    33.3" in text
    assert "Not made: No judge has rated models' answers yet." in text
    written, told = said(*own, "--out", str(home / "tables"), "--format", "json")
    files = sorted(each.name for each in (home / "tables").iterdir())
    assert files == [*("marks-heat-dark.svg", "marks-heat.svg"), "marks-losses.csv", "marks.csv"], (
        "one column is no radar"
    )
    assert "Tables: 1. Charts (light and dark): 2. Folder:" in told
    assert ">33.3</text>" in (home / "tables" / "marks-heat.svg").read_text(encoding="utf-8")
    assert "Not made: kappa: K. No judge has rated models' answers yet." in told
    tables = json.loads(written)["tables"]
    assert [[cell["printed"] for cell in row["cells"]] for row in tables[0]["rows"]] == [["50.0"], ["33.3"]]
    rows = list(csv.DictReader(io.StringIO((home / "tables" / "marks.csv").read_text(encoding="utf-8"))))
    assert rows == [{"Model": "ran", "Colour": "50.0"}, {"Model": "filed", "Colour": "33.3"}]
    assert said(*own, "--format", "csv")[0].endswith("Model,Colour\nran,50.0\nfiled,33.3\n")
    assert "| filed | 33.3 |" in said(*own, "--format", "markdown", "--table", "marks")[0]


def test_a_radar_leaves_out_the_means(home: Path) -> None:
    rest = "title: T, rows: [{each: [model]}], chart: [radar, bars]"
    columns = "{each: [dimension]}, {title: C, part: colour, by: dimension}, {title: Mean}"
    again = ", ".join(f"{{each: [dimension], titles: {{colour: {name}}}}}" for name in ("One", "Two", "Three"))
    several = f"{again}, {{title: Mean}}"
    tables = paper_tables.paper_tables(
        resources().store,
        person=None,
        project="p",
        layout=parse_layout(
            f"tables: [{{name: a, {rest}, columns: [{columns}]}}, {{name: b, {rest}, columns: [{several}]}}]", file="x"
        ),
    )
    few, many = (drawn_tables.charts(table) for table in tables.tables)
    assert [(each.kind, each.columns) for each in few] == [("bars", ("Colour", "C", "Mean"))], "no number in shape"
    drawn = [(each.kind, each.columns) for each in many]
    assert drawn == [("radar", ("One", "Two", "Three")), ("bars", ("One", "Two", "Three", "Mean"))]


def test_what_models_are_stands_over_them_and_next_to_them(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    path.write_text("model,size,maker\nfiled,7B,Us\nran,13B,\n", encoding="utf-8")
    CliRunner().invoke(cli, ["item", "import", "p", "models", str(path)], catch_exceptions=False)
    text, _ = said("--layout", str(home / "layout.yaml"), "--table", "marks")
    # 7 is less than 13, though the model of 13B is better
    assert "  Model  Nothing  Colour\n  7B\n  filed       Us    33.3\n  13B\n  ran               50.0" in text


def test_the_tables_of_the_schema_and_mistakes(home: Path) -> None:
    text, _ = said("--table", "key")
    assert text.splitlines()[-5].split() == [
        "Model",
        "Colour",
        "Shape",
        *["Mean", "over", "dimensions", "Mean", "over", "answers"],
    ]
    (home / "layout.yaml").write_text("tabels: []\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"layout\.yaml:1: tabels: unknown key; did you mean `tables`"):
        said("--layout", str(home / "layout.yaml"))


@needs("readers", "ratings")
def test_the_command_agreement_compares_people_as_one_rater(home: Path, tmp_path: Path) -> None:
    store = resources().store
    for who, raters, marks in (("ann", RatersAre.PEOPLE, "010"), ("ben", RatersAre.PEOPLE, "011"), ("j", None, "110")):
        path = tmp_path / f"{who}.csv"
        rows = [f"colour/{at} · filed,{who},score,{mark}\n" for at, mark in enumerate(marks)]
        path.write_text("unit,rater,criterion,value\n" + "".join(rows), encoding="utf-8")
        import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None, raters=raters)
    asked = ["agreement", "show", "p", "--statistic", "bias", "--json", "--by", "whole"]
    alone = CliRunner().invoke(cli, [*asked, "--stage", "grading", "--raters", "ann,ben,j"], catch_exceptions=False)
    assert len(json.loads(alone.stdout)) == 3, "each of three pairs"
    done = CliRunner().invoke(cli, [*asked, "--unit", "answer"], catch_exceptions=False)
    (bias,) = json.loads(done.stdout)
    assert (bias["args"]["pair"], bias["n_units"]) == (["the people", "j"], 3 - 1), "no majority on the last answer"
    assert abs(bias["value"]) == 0.5  # people 0, 1 and the judge 1, 1
    refused = CliRunner().invoke(cli, [*asked, "--unit", "answer", "--by", "group"])
    assert "--unit answer does not work with --by group" in refused.stderr
