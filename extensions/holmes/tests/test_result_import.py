"""What tools say about items comes in from a file, and a model that asks for it gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import items, projects
from db.engine import Store
from domain.errors import InvalidFileError
from domain.runs import Outcome, RunState
from domain.settings import Settings
from extensions.holmes import queries
from extensions.holmes.result_file import read_tool_results
from inference.spec import Endpoint, ModelSpec
from media.store import MediaStore
from testkit.samples import pca_record, write
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from workflow.access.projects import create_project
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.runs import run_start, run_views
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import means_of, work


@pytest.fixture
def project(store: Store, home: Path, tmp_path: Path) -> Store:
    """Two items, 0 and 1."""
    create_project(store, name="p", loaded=load_schema(shipped()["pca_bench"]))
    path = write(tmp_path / "open.json", [pca_record(0), pca_record(1)])
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="pca_bench", path=path)
    return store


def bring(store: Store, tmp_path: Path, rows: list[Any], **options: Any) -> ImportSummary:
    path = tmp_path / "tools.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    media = MediaStore(tmp_path / "home" / "media")
    return import_files(store, media, by=None, project="p", format="tool_results", path=path, **options)


def stored(store: Store) -> dict[str, Any]:
    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        names = {row.id: row.external_id for row in items.of_project(session, project_id=project.id)}
        found = queries.of_items(session, item_ids=list(names))
    return {names[id]: value for id, value in found.items()}


ROWS = [
    {"item": 0, "tool": "object_detection", "result": ["cup", "table"]},
    {"item": "0", "tool": "ocr", "arguments": {"side": "left"}, "result": "EXIT"},
    {"item": "0", "tool": "ocr", "arguments": {}, "result": ""},
    {"item": "1", "tool": "list_items_in_hands", "result": []},
]


def test_results_come_in_once(project: Store, tmp_path: Path) -> None:
    assert bring(project, tmp_path, ROWS) == ImportSummary(tool_results=4)
    assert stored(project) == {
        "0": {
            "object_detection": [{"arguments": None, "result": ["cup", "table"]}],
            "ocr": [{"arguments": {"side": "left"}, "result": "EXIT"}, {"arguments": {}, "result": ""}],
        },
        "1": {"list_items_in_hands": [{"arguments": None, "result": []}]},
    }
    assert bring(project, tmp_path, ROWS) == ImportSummary(repeated=4)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"tool": "ocr", "result": "x"}, "item is missing"),
        ({"item": 7, "tool": "ocr", "result": "x"}, "this project has no item '7'"),
        ({"item": 0, "tool": "google", "result": "x"}, "unknown tool 'google'. Choose from: detect_traffic_sign, "),
        ({"item": 0, "tool": "ocr"}, "result is missing. If the tool found nothing, give an empty list or text"),
        ({"item": 0, "tool": "ocr", "result": "x", "arguments": [1]}, "arguments is not an object"),
        (
            {"item": 0, "tool": "object_detection", "result": ["mug"]},
            "object_detection already has another result for this item",
        ),
        ("{", "row 5"),
    ],
)
def test_rows_that_do_not_fit(project: Store, tmp_path: Path, row: Any, sentence: str) -> None:
    with pytest.raises(InvalidFileError, match=sentence):
        bring(project, tmp_path, [*ROWS, row])
    assert stored(project) == {}
    done = bring(project, tmp_path, [*ROWS, row], skip_bad=True)
    assert (done.tool_results, len(done.bad)) == (4, 1)


def test_a_run_of_a_model_that_asks_tools(project: Store, home: Path, tmp_path: Path) -> None:
    """The first item is answered after two calls; of the second nothing is stored that the model asks for."""
    bring(project, tmp_path, [ROWS[0], {"item": "0", "tool": "list_items_in_hands", "result": []}, ROWS[3]])

    def script(asked: Asked, number: int) -> Reply:
        messages = asked.body["messages"]
        said = [message["content"] for message in messages if message["role"] == "tool"]
        wanted = ["object_detection", "list_items_in_hands"][len(said) :][:1]
        calls = [{"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in wanted]
        return chat(None, finish="tool_calls", message={"tool_calls": calls}) if calls else chat("; ".join(said))

    settings = Settings(home, "")
    means = means_of(project, MediaStore(home / "media"), settings)
    with ScriptedServer(script) as server:
        endpoint = Endpoint(base_url=server.url, probe=False)
        spec = ModelSpec(name="m", adapter="endpoint", model="scripted", modality="text", endpoint=endpoint)
        schema = load_schema(shipped()["pca_bench"]).schema_
        plan = plan_for(schema, spec, strategy="holmes")
        run = run_start.start(project, by=None, project="p", spec=spec, plan=plan)
        assert work(project, run, means=means) is RunState.DONE
    assert all(isinstance(asked.body["messages"][1]["content"], str) for asked in server.asked)
    view = run_views.view(project, by=None, run=run)
    assert (view.done, view.answered) == (2, 1)
    assert view.by_outcome == {Outcome.ANSWERED: 1, Outcome.NO_TOOL_RESULT: 1}
    assert (view.attempts, view.tokens_in) == (4, 4 * 12)
    last = {each.item: each.attempt for each in run_views.attempts_of(project, by=None, run=run) if each.attempt.final}
    assert last["0"].text == '["cup", "table"]; []'
    assert [turn["role"] for turn in last["0"].detail["transcript"]] == [
        "system",
        "user",
        *("assistant", "tool") * 2,
        "assistant",
    ]
    assert (
        last["1"].error
        == "The model asked for object_detection, but this result is not stored for this item. Import the result."
    )


def test_a_key_that_stands_twice_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"item": "a", "tool": "t", "result": "x", "result": "y"}')
    (bad,) = read_tool_results(path, tools=[])[1]
    assert "the key 'result' appears twice" in bad.reason
