"""What tools say about items comes in from a file, and a model that asks for it gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import items, projects, tool_results
from db.engine import Store
from domain.errors import FileRefused
from media.store import MediaStore
from tests.importers.samples import pca_record, write
from workflow.bring_in import Imported, import_files
from workflow.projects import create_project


@pytest.fixture
def project(store: Store, home: Path, tmp_path: Path) -> Store:
    """Two items, 0 and 1."""
    create_project(store, name="p", loaded=load_schema(shipped()["pca_bench"]))
    path = write(tmp_path / "open.json", [pca_record(0), pca_record(1)])
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="pca_bench", path=path)
    return store


def bring(store: Store, tmp_path: Path, rows: list[Any], **options: Any) -> Imported:
    path = tmp_path / "tools.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    media = MediaStore(tmp_path / "home" / "media")
    return import_files(store, media, by=None, project="p", format="tool_results", path=path, **options)


def stored(store: Store) -> dict[str, Any]:
    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        names = {row.id or 0: row.external_id for row in items.of_project(session, project_id=project.id or 0)}
        found = tool_results.of_items(session, item_ids=list(names))
    return {names[id]: value for id, value in found.items()}


ROWS = [
    {"item": 0, "tool": "object_detection", "result": ["cup", "table"]},
    {"item": "0", "tool": "ocr", "arguments": {"side": "left"}, "result": "EXIT"},
    {"item": "0", "tool": "ocr", "arguments": {}, "result": ""},
    {"item": "1", "tool": "list_items_in_hands", "result": []},
]


def test_results_come_in_once(project: Store, tmp_path: Path) -> None:
    assert bring(project, tmp_path, ROWS) == Imported(tool_results=4)
    assert stored(project) == {
        "0": {
            "object_detection": [{"arguments": None, "result": ["cup", "table"]}],
            "ocr": [{"arguments": {"side": "left"}, "result": "EXIT"}, {"arguments": {}, "result": ""}],
        },
        "1": {"list_items_in_hands": [{"arguments": None, "result": []}]},
    }
    assert bring(project, tmp_path, ROWS) == Imported(repeated=4)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"tool": "ocr", "result": "x"}, "it has no item"),
        ({"item": 7, "tool": "ocr", "result": "x"}, "there is no item '7' in this project"),
        ({"item": 0, "tool": "google", "result": "x"}, "there is no tool 'google'; there are detect_traffic_sign, "),
        ({"item": 0, "tool": "ocr"}, "it has no result; an empty list or text says that nothing was found"),
        ({"item": 0, "tool": "ocr", "result": "x", "arguments": [1]}, "its arguments are not an object"),
        (
            {"item": 0, "tool": "object_detection", "result": ["mug"]},
            "object_detection has another result for this item",
        ),
        ("{", "row 5"),
    ],
)
def test_rows_that_do_not_fit(project: Store, tmp_path: Path, row: Any, sentence: str) -> None:
    with pytest.raises(FileRefused, match=sentence):
        bring(project, tmp_path, [*ROWS, row])
    assert stored(project) == {}
    done = bring(project, tmp_path, [*ROWS, row], skip_bad=True)
    assert (done.tool_results, len(done.bad)) == (4, 1)
