"""A look at answers and ratings says beforehand what their import then does, and stores nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from db.engine import Store
from domain.errors import InvalidFileError
from media.store import MediaStore
from testkit.factories import make_items, make_project
from testkit.missing_extensions import needs
from workflow.files.import_files import import_files
from workflow.files.rows_look import RowsLook, look_at_rows

pytestmark = pytest.mark.both_databases


def lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def counted(found: RowsLook) -> tuple[int, int, int, int]:
    return found.new, len(found.changed), found.equal, len(found.bad)


@needs("readers", "ratings")
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
    assert [(bad.row, bad.reason) for bad in found.changed] == [(2, "m already has a different answer to this item")]
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
