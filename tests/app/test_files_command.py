"""``touchstone project``, ``import`` and ``export`` as a script uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from annotation_schemas import shipped
from testkit.samples import egothink_record, write
from testkit.serving import touchstone

RATED = """
name: rated
version: 1
title: Rated
dimensions: [{id: all, title: All}]
item:
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: fits, kind: choice, prompt: "Does it fit?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: fits, value: "yes"}
"""


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    write(tmp_path / "in/Activity/annotations.json", [egothink_record(0), egothink_record(1)])
    write(tmp_path / "in/Forecast/annotations.json", [egothink_record(0)], indent=None, ensure_ascii=False)
    return tmp_path / "in"


def test_a_project_from_nothing_to_files(home: Path, tmp_path: Path, annotations: Path) -> None:
    made = touchstone("project", "create", "mine", "--schema", "egothink", home=home)
    version = yaml.safe_load(shipped()["egothink"].read_text())["version"]
    assert (made.returncode, made.stdout) == (
        0,
        f"Created project mine (EgoThink) with schema egothink, version {version}.\n",
    )
    assert made.stderr == f"Touchstone stores all data in {home}\n"
    brought = touchstone("item", "import", "mine", "egothink", annotations, home=home)
    assert brought.returncode == 0, brought.stderr
    assert brought.stdout.splitlines()[0] == "Imported 3 items."
    assert "3 missing" in brought.stdout
    again = touchstone("item", "import", "mine", "egothink", annotations, home=home)
    assert again.stdout.splitlines()[:2] == ["Imported nothing new.", "3 rows were already imported."]
    out = touchstone("item", "export", "mine", "egothink", "--out", tmp_path / "out", home=home)
    assert out.stdout == f"Wrote 3 items in 2 files to {tmp_path / 'out'}.\n"
    for folder in ("Activity", "Forecast"):
        file = Path(folder) / "annotations.json"
        assert (tmp_path / "out" / file).read_bytes() == (annotations / file).read_bytes()
    listed = touchstone("project", "list", home=home)
    assert listed.stdout.split() == ["mine", "egothink", str(version), "EgoThink"]


def test_what_does_not_fit_is_a_sentence_and_a_status(home: Path, tmp_path: Path, annotations: Path) -> None:
    touchstone("project", "create", "mine", "--schema", "egothink", home=home)
    for arguments, sentence in [
        (("project", "create", "mine", "--schema", "egothink"), "Another project has the ID 'mine'"),
        (("project", "create", "other", "--schema", "nothing.yaml"), "cannot be read"),
        (
            ("item", "import", "other", "egothink", annotations),
            "There is no project 'other'. To see all projects, run `touchstone project list`",
        ),
        (("item", "import", "mine", "egothink", tmp_path / "nothing"), "There is no file or folder"),
        (
            ("item", "import", "mine", "egothink", annotations, "--media", tmp_path / "no"),
            f"The media folder {tmp_path / 'no'} does not exist",
        ),
        (("item", "export", "mine", "latex", "--out", tmp_path / "x"), "latex"),
    ]:
        done = touchstone(*arguments, home=home)
        assert done.returncode == 1
        assert done.stdout == ""
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_bad_rows_are_written_where_they_can_be_mended(home: Path, tmp_path: Path, annotations: Path) -> None:
    touchstone("project", "create", "mine", "--schema", "egothink", home=home)
    records = [egothink_record(0), {"question": "Why?"}]
    path = write(annotations / "Activity/annotations.json", records)
    refused = touchstone("item", "import", "mine", "egothink", path, home=home)
    assert refused.returncode == 1
    assert "annotations.json, row 2: image_path is missing; answer is missing." in refused.stderr
    taken = touchstone("item", "import", "mine", "egothink", path, "--skip-bad", home=home)
    where = home / "bad_rows" / "mine-egothink-1.jsonl"
    assert f"Skipped 1 invalid row. See {where} for the rows and reasons." in taken.stdout
    (row,) = map(json.loads, where.read_text().splitlines())
    assert (row["path"], row["row"], row["reason"]) == (
        "annotations.json",
        2,
        "image_path is missing; answer is missing",
    )
    assert json.loads(row["raw"]) == records[1]


def test_an_edit_changes_the_bytes_of_one_record(home: Path, tmp_path: Path, annotations: Path) -> None:
    touchstone("project", "create", "mine", "--schema", "egothink", home=home)
    touchstone("item", "import", "mine", "egothink", annotations, home=home)
    edited = touchstone("item", "edit", "mine", "Activity/1", "answer=12", "question=Combien d'étoiles ?", home=home)
    assert edited.stdout == "Item Activity/1 is now at revision 2.\n", edited.stderr
    touchstone("item", "export", "mine", "egothink", "--out", tmp_path / "out", home=home)
    records = [egothink_record(0), egothink_record(1, answer="12", question="Combien d'étoiles ?")]
    assert (tmp_path / "out/Activity/annotations.json").read_bytes() == json.dumps(records, indent=4).encode()
    for arguments, sentence in [
        (("Activity/9", "answer=x"), "There is no item 'Activity/9'"),
        (("Activity/1", "answer"), "is not in the form FIELD=VALUE"),
        (("Activity/1", "colour=x"), "this schema has no field with this name"),
    ]:
        refused = touchstone("item", "edit", "mine", *arguments, home=home)
        assert refused.returncode == 1
        assert sentence in refused.stderr


def test_a_ratings_file_says_whether_its_raters_are_people(home: Path, tmp_path: Path) -> None:
    schema = tmp_path / "kitchen.yaml"
    schema.write_text(RATED, encoding="utf-8")
    touchstone("project", "create", "mine", "--schema", schema, home=home)
    file = tmp_path / "ratings.csv"
    file.write_text('unit,rater,criterion,value\n1,ann,fits,yes\n1,"Li, Wei",fits,no\n', encoding="utf-8")
    brought = touchstone("item", "import", "mine", "ratings", file, home=home)
    assert brought.stdout.splitlines() == [
        "Imported 2 ratings.",
        "Counted as machines, because nobody has marked them as people: ann, Li, Wei.",
        "To mark a rater as a person or machine: touchstone rater list mine --people NAME or --machines NAME.",
    ]
    told = touchstone("item", "import", "mine", "ratings", file, "--set", "raters=people", home=home)
    assert told.stdout.splitlines()[1:3] == ["2 rows were already imported.", "Counted as people: ann, Li, Wei."]
    listed = touchstone("rater", "list", "mine", "--machines", '"Li, Wei"', home=home)
    assert [" ".join(line.split()) for line in listed.stdout.splitlines()] == [
        "ann a person; imported ratings: 1 in verification",
        "Li, Wei a machine; imported ratings: 1 in verification",
    ]
    for arguments, sentence in [
        (
            ("item", "import", "mine", "predictions", file, "--set", "raters=people"),
            "Delete the key to import predictions",
        ),
        (("rater", "list", "mine", "--people", "bob"), "no imported ratings by 'bob'"),
        (
            ("item", "import", "mine", "ratings", file, "--set", "raters=machines"),
            "ann counts as a person in this project",
        ),
    ]:
        refused = touchstone(*arguments, home=home)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert sentence in refused.stderr
