"""Answers that come as files are runs: what was answered, what was not, and out of which bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from db.tables import AttemptRow, PredictionRow, RunRow, RunWorkerRow
from domain.errors import ConflictError, InvalidFileError, ModelError
from domain.run_kinds import RunKind
from domain.runs import Outcome, RunState
from inference.spec import spec_of
from media.store import MediaStore
from testkit.missing_extensions import needs
from testkit.samples import egoplan_record, egothink_record, write
from tests.importers.workbooks import workbook
from workflow.access.projects import create_project
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.files.project_check import check
from workflow.results import leaderboard, project_answers, score_choices
from workflow.runs import run_control, run_views

pytestmark = [needs("sheet_readers", ".xlsx"), needs("readers", "predictions")]

HEAD = ["index", "question", "prediction"]


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def bring(store: Store, media: MediaStore, path: Path, format: str = "predictions", **options: Any) -> ImportSummary:
    return import_files(store, media, by=None, project="p", format=format, path=path, **options)


@pytest.fixture
def egoplan(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Three items that are called 10, 11 and 12."""
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan"]))
    bring(store, media, write(tmp_path / "val.json", [egoplan_record(n) for n in (10, 11, 12)]), "egoplan")


@pytest.fixture
def egothink(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """Two items of the dimension activity and two of comparison; their ids are no numbers."""
    create_project(store, name="p", loaded=load_schema(shipped()["egothink"]))
    for folder, numbers in (("Activity", (1, 2)), ("comparing", (3, 4))):
        write(tmp_path / "e" / folder / "annotations.json", [egothink_record(n) for n in numbers])
    bring(store, media, tmp_path / "e", "egothink")


def table(path: Path, rows: Sequence[Sequence[Any]], head: Sequence[str] = HEAD) -> Path:
    return workbook(path, {"Sheet1": [head, *rows]})


def attempts(store: Store) -> list[tuple[str, Outcome, str]]:
    with store.read() as session:
        found = session.exec(select(RunRow.name, AttemptRow).join(AttemptRow).order_by(AttemptRow.id))  # type: ignore[arg-type]
        return [(name, row.outcome, row.text) for name, row in found]


def answered(store: Store) -> dict[str, str]:
    from db import files, projects

    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        names = {id: name for id, name, _ in files.item_ids(session, project_id=project.id)}
        return {names[row.item_id]: row.text for row in session.exec(select(PredictionRow))}


@pytest.mark.both_databases
@pytest.mark.usefixtures("egoplan")
def test_failures_are_counted_and_never_become_answers(store: Store, media: MediaStore, tmp_path: Path) -> None:
    path = table(
        tmp_path / "tiny" / "tiny_p.xlsx",
        [[10, "", "take cup"], ["11", "", "Failed to obtain answer via API."], [12.0, "", ""]],
    )
    done = bring(store, media, path)
    unanswered = {Outcome.TRANSPORT_ERROR: 1, Outcome.EMPTY: 1}
    instead = {"Failed to obtain answer via API.": 1}
    assert done == ImportSummary(predictions=1, unanswered=unanswered, instead=instead)
    assert answered(store) == {"10": "take cup"}
    assert attempts(store) == [
        ("tiny", Outcome.ANSWERED, "take cup"),
        ("tiny", Outcome.TRANSPORT_ERROR, "Failed to obtain answer via API."),
        ("tiny", Outcome.EMPTY, ""),
    ]
    with store.read() as session:
        run = session.exec(select(RunRow)).one()
        worker = session.exec(select(RunWorkerRow)).one()
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    files = {"files": [{"path": "tiny_p.xlsx", "sha256": sha256}]}
    assert run.params == {"file": "tiny_p.xlsx", **files}
    assert (run.kind, run.state, run.wanted, run.name) == (RunKind.IMPORT, RunState.DONE, 3, "tiny")
    assert (worker.run_id, worker.about) == (run.id, files)
    (view,) = run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)
    assert (view.state, view.done, view.answered, view.by_outcome) == (
        RunState.DONE,
        3,
        1,
        {Outcome.ANSWERED: 1, **unanswered},
    )
    assert {(each.outcome, each.item) for each in run_views.failures_of(store, by=None, run=view.id)} == {
        (Outcome.TRANSPORT_ERROR, "11"),
        (Outcome.EMPTY, "12"),
    }
    assert run_views.runs_of(store, by=None, project="p") == []
    with pytest.raises(ConflictError, match=r"came from a file \(tiny_p.xlsx\), so there is no model to ask"):
        run_control.retry_failed(store, by=None, run=view.id)
    assert bring(store, media, path) == ImportSummary(repeated=3)
    assert check(store) == []

    mended = table(tmp_path / "b" / "tiny_p.xlsx", [[10, "", "take cup"], [11, "", "fold napkin"], [12, "", ""]])
    assert bring(store, media, mended) == ImportSummary(predictions=1, repeated=2)
    assert answered(store) == {"10": "take cup", "11": "fold napkin"}


@pytest.mark.usefixtures("egoplan")
def test_a_file_that_was_withdrawn_comes_in_again_with_all_that_it_says(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    bring(store, media, write(tmp_path / "more.json", [egoplan_record(n) for n in (13, 14)]), "egoplan")
    path = table(
        tmp_path / "tiny_p.xlsx",
        [[10, "", "B"], [11, "", "B"], [12, "", ""], [13, "", ""], [14, "", "Failed to obtain answer via API."]],
    )

    def accuracy() -> tuple[float, int, int]:
        line = leaderboard.sliced_scores(
            project_answers.read_project(store, person=None, project="p"), score_choices.Scores("key")
        ).whole["tiny"]
        return line.found.value, line.found.n_units, line.asked

    first = bring(store, media, path)
    # two are right, two gave nothing, of one no one knows what it would have said
    assert accuracy() == (0.5, 4, 5)
    (view,) = run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)
    run_control.withdraw(store, by=None, run=view.id, reason="by mistake")
    assert bring(store, media, path) == first
    assert accuracy() == (0.5, 4, 5)


@pytest.mark.usefixtures("egoplan")
def test_one_file_says_one_thing_about_an_item(store: Store, media: MediaStore, tmp_path: Path) -> None:
    rows = [[10, "", "take cup"], [10, "", "take cup"], [11, "", "a"], [11, "", "Failed to obtain answer via API."]]
    path = table(tmp_path / "tiny_p.xlsx", rows)
    with pytest.raises(InvalidFileError, match="row 5: an earlier row has a different answer by tiny to this item"):
        bring(store, media, path)
    assert attempts(store) == []
    done = bring(store, media, path, skip_bad=True)
    assert (done.predictions, done.repeated, len(done.bad)) == (2, 1, 1)


@pytest.mark.usefixtures("egoplan")
def test_an_index_is_an_id_where_one_of_the_file_is(store: Store, media: MediaStore, tmp_path: Path) -> None:
    path = table(tmp_path / "tiny_p.xlsx", [[10, "", "a"], [0, "", "b"]])
    with pytest.raises(InvalidFileError, match="row 3: there is no item '0' in this project"):
        bring(store, media, path)


@pytest.mark.usefixtures("egothink")
@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        ([[0, "", "a"], [3, "", "b"]], {}, {"Activity/0": "a", "comparing/1": "b"}),
        ([[4, "", "b"], [1, "", "a"]], {}, {"Activity/0": "a", "comparing/1": "b"}),
        ([[2, "What is 3?", "a"]], {}, {"comparing/0": "a"}),
        ([[3, "USER: <image>\nWhat  is 3? ASSISTANT:", "a"]], {}, {"comparing/0": "a"}),
        ([[0, "", "a"], [1, "", "b"]], {"dimension": "comparison"}, {"comparing/0": "a", "comparing/1": "b"}),
        ([["comparing/1", "", "a"]], {}, {"comparing/1": "a"}),
    ],
)
def test_an_index_is_a_position_elsewhere(
    store: Store,
    media: MediaStore,
    tmp_path: Path,
    rows: list[list[Any]],
    options: dict[str, str],
    expected: dict[str, str],
) -> None:
    bring(store, media, table(tmp_path / "tiny_p.xlsx", rows), **options)
    assert answered(store) == expected


@pytest.mark.usefixtures("egothink")
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[1, "", "a"], [2, "", "b"]], "row 2: the file does not show whether the index counts from 0 or from 1"),
        (
            [[0, "What is 2?", "a"]],
            "row 2: the question differs from the question of the item at position 0 .*'What is 1[?]'",
        ),
        ([[0, "", "a"], [4, "", "b"]], "row 3: this project has no item '4', and this project has 4 items"),
        ([[0, "", "a"], ["x", "", "b"]], "row 3: this project has no item 'x'"),
        ([[0, "", "a"], [-1, "", "b"]], "row 3: this project has no item '-1'"),
        ([[0, "", "a"], [0.5, "", "b"]], "row 3: this project has no item '0.5'"),
    ],
)
def test_an_index_that_means_nothing_is_refused(
    store: Store, media: MediaStore, tmp_path: Path, rows: list[list[Any]], sentence: str
) -> None:
    with pytest.raises(InvalidFileError, match=sentence):
        bring(store, media, table(tmp_path / "tiny_p.xlsx", rows))
    assert attempts(store) == []


SPEC = """
name: PandaGPT
note: It has no class of its own, so its answers come as a file.
adapter: file
prompts: plain
generation: {max_new_tokens: 64}
"""


@pytest.mark.usefixtures("egoplan")
def test_a_description_says_who_answered_and_how(store: Store, media: MediaStore, tmp_path: Path) -> None:
    spec = spec_of(SPEC, name="spec.yaml")
    path = tmp_path / "answers.tsv"
    path.write_text("item\tprediction\n10\ttake cup\n")
    assert bring(store, media, path, spec=spec).predictions == 1
    with store.read() as session:
        run = session.exec(select(RunRow)).one()
    assert (run.name, run.spec_hash) == ("PandaGPT", spec.hash)
    assert run.params["spec"]["generation"]["max_new_tokens"] == 64
    assert spec_of(SPEC, name="spec.yaml").dump() == run.params["spec"]


@pytest.mark.usefixtures("egoplan")
def test_a_description_of_something_that_is_asked_here_is_refused(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    path = tmp_path / "answers.tsv"
    path.write_text("item\tprediction\n10\ttake cup\n")
    spec = spec_of("name: LLaVA\nadapter: chat\nmodel: llava\n", name="spec.yaml")
    with pytest.raises(ModelError, match="Touchstone runs LLaVA itself"):
        bring(store, media, path, spec=spec)
    with pytest.raises(InvalidFileError, match="Only answers have a model"):
        bring(store, media, path, "egoplan", model="m")


@pytest.mark.thorough
@pytest.mark.usefixtures("egoplan")
def test_thousands_of_rows(store: Store, media: MediaStore, tmp_path: Path) -> None:
    rows = [[10 + n % 3, "", f"answer {n}" if n < 3 else None] for n in range(5_000)]
    path = table(tmp_path / "tiny_p.xlsx", rows)
    with pytest.raises(InvalidFileError, match=r"And 4,947 more\. Nothing was imported") as refused:
        bring(store, media, path)
    assert len(str(refused.value).splitlines()) == 1 + 50 + 1
