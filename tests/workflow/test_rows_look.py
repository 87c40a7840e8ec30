"""A look at answers, ratings and replies says beforehand what their import then does, and stores nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.judge_templates import parse_template
from db.engine import Store
from domain.errors import InvalidFileError
from media.store import MediaStore
from testkit.factories import make_items, make_predictions, make_project
from workflow.files.import_files import import_files
from workflow.files.import_judgements import import_judgements
from workflow.files.rows_look import RowsLook, look_at_rows
from workflow.runs import judge_plans

pytestmark = pytest.mark.both_databases

TEMPLATE = """---
id: how_good
version: 1
meaning: how good it is
variables: [question]
parser: double_brackets
values: [0, 0.5, 1]
---
{question}
"""


def lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def counted(found: RowsLook) -> tuple[int, int, int, int]:
    return found.new, len(found.changed), found.equal, len(found.bad)


def test_each_row_is_new_changed_equal_or_bad(store: Store, home: Path, tmp_path: Path) -> None:
    media = MediaStore(home / "media")
    make_project(store)
    make_items(store, 3)  # colour/0 to colour/2

    def looked(path: Path, format: str, **more: Any) -> RowsLook:
        return look_at_rows(store, media, by=None, project="p", format=format, path=path, **more)

    def bring(path: Path, format: str) -> tuple[int, int, int]:
        about: dict[str, Any] = {"by": None, "project": "p", "format": format, "path": path, "skip_bad": True}
        done = import_files(store, media, **about)
        return done.predictions + done.ratings, done.repeated, len(done.bad)

    said = [{"item": f"colour/{n}", "model": "m", "text": text} for n, text in enumerate(("red", "blue"))]
    assert counted(looked(lines(tmp_path / "1.jsonl", said), "predictions")) == (2, 0, 0, 0)
    assert bring(tmp_path / "1.jsonl", "predictions") == (2, 0, 0), "the look has stored nothing"
    more = [said[0], {**said[1], "text": "green"}, {**said[0], "item": "gone"}, {**said[0], "model": "n" * 300}]
    again = lines(tmp_path / "2.jsonl", [*more[:3], {**said[0], "item": "colour/2", "text": "Red,\nof course"}])
    found = looked(again, "predictions")
    assert counted(found) == (1, 1, 1, 1)
    assert [list(row) for row in found.first] == [["colour/2", "Colour", "m", "Red,\nof course"]]
    assert [(bad.row, bad.reason) for bad in found.changed] == [(2, "m has answered this item already, in other words")]
    assert [bad.row for bad in found.left] == [2, 3]
    assert (found.comes(skip_bad=False), found.comes(skip_bad=True)) == (False, True)
    assert bring(again, "predictions") == (1, 1, 2)

    head = "unit,rater,criterion,value\n"
    table = tmp_path / "r.csv"
    table.write_text(f"{head}colour/0/m,vi,score,1\ncolour/1/m,vi,score,0.5\n", encoding="utf-8")
    assert counted(looked(table, "ratings")) == (2, 0, 0, 0)
    assert bring(table, "ratings") == (2, 0, 0)
    table.write_text(
        f"{head}colour/0/m,vi,score,1\ncolour/1/m,vi,score,0\ncolour/2/m,vi,score,7\ncolour/2/m,al,score,0\n",
        encoding="utf-8",
    )
    found = looked(table, "ratings")
    assert counted(found) == (1, 1, 1, 1)
    assert [list(row) for row in found.first] == [["colour/2/m", "Grading", "al", "score", "0"]]
    assert found.by == {"al": 1}
    assert bring(table, "ratings") == (1, 1, 2)
    with pytest.raises(InvalidFileError):
        looked(lines(tmp_path / "empty.jsonl", []), "predictions")


def test_replies_are_read_as_they_will_be(store: Store, home: Path, tmp_path: Path) -> None:
    make_project(store)
    ids = make_items(store, 2)
    make_predictions(store, ids, models=["m"])
    template = parse_template(TEMPLATE, name="t")
    plan = judge_plans.plan_of_project(
        store, by=None, project="p", template=template, criteria={"score": "score"}, asked_here=False
    )
    about: dict[str, Any] = {"by": None, "project": "p", "plan": plan, "format": "judgements"}

    def looked(path: Path) -> RowsLook:
        return look_at_rows(store, MediaStore(home), path=path, **about)

    replies = [
        {"item": f"colour/{n}", "model": "m", "judge": "j", "text": text, "score": score}
        for n, (text, score) in enumerate((("[[1]]", 1), ("[[0.5]] or so", 0)))
    ]
    first = lines(tmp_path / "1.jsonl", replies[:1])
    found = looked(first)
    assert counted(found) == (1, 0, 0, 0)
    assert [list(row) for row in found.first] == [["j", "colour/0", "m", "[[1]]", "score 1"]]
    assert import_judgements(store, path=first, **about).replies == 1, "the look has made no run"
    found = looked(lines(tmp_path / "2.jsonl", [*replies, {**replies[0], "item": "gone"}]))
    assert counted(found) == (1, 0, 1, 1)
    assert "0 are read as the file's own score says, 1 otherwise." in found.notes
    found = looked(lines(tmp_path / "3.jsonl", [{**replies[0], "text": "[[0]]"}]))
    assert counted(found) == (0, 1, 0, 0)
    assert not found.comes(skip_bad=True)
    with pytest.raises(InvalidFileError, match="something else about colour/0 before"):
        import_judgements(store, path=tmp_path / "3.jsonl", skip_bad=True, **about)
