"""An export format is one file: what docs/contributing.md shows is offered and written without another edit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation_schemas import registry, shipped
from annotation_schemas.formats import FORMATS, Takes, named, offered, reading, writing
from annotation_schemas.formats.released import ReleasedItem
from annotation_schemas.json_schema import json_schema_text
from annotation_schemas.loader import load_schema
from db import files
from db.engine import Store
from domain import extensions
from domain.errors import InvalidFileError
from exporters.writers import RELEASE_WRITERS, WRITERS, release_writer_of, writer_of
from importers.readers import READERS, reader_of
from media.store import MediaStore
from testkit import factories
from testkit.kept_items import kept_ids
from testkit.missing_extensions import needs
from tests.exporters.releases import Folder, asset, write
from tests.exporters.releases import release as made
from tests.paths import ROOT
from tests.planting import EXPORT_FORMAT, IMPORT_FORMAT, RELEASE_FORMAT, plant_format, planted
from tests.test_layers import modules
from tools import reference
from tools.floors import ROOMS
from workflow.access.projects import access_to
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.releases.format_choice import usual_formats


def test_each_format_has_the_functions_that_its_row_says() -> None:
    rows = [*FORMATS.values()]
    assert all(callable(reader_of(row)) for row in rows if row.reads)
    assert all(callable(writer_of(row)) for row in rows if row.writes)
    assert all(callable(release_writer_of(row)) for row in rows if row.releases)
    replaced = {name for name, _ in extensions.rows("readers")}
    assert {*READERS} - replaced == {row.name for row in rows if row.reads is True}
    assert {*WRITERS} == {row.name for row in rows if row.writes is True}
    assert {*RELEASE_WRITERS} == {row.name for row in rows if row.releases is True}


OTHER_WORDS = {"key_concept", "video_id"}
"""Of judges' prompts, in which the first stands for key concepts; of code that looks for a video by its id."""
OF_HARNESSES = {("inspect_log.py", "sample_id"), ("vlmevalkit.py", "image_path")}
"""Words of other programs that a benchmark has, too: by which samples a run was limited, where pictures lie."""


@pytest.mark.thorough
def test_what_a_benchmark_calls_its_fields_is_known_to_its_format_alone() -> None:
    rows = [row.keys for row in FORMATS.values() if row.keys is not None]
    keys = {key for row in rows for key in (*row.order, *row.needs, row.id_key, row.goal, row.action, row.video)}
    own = sorted(key for key in keys - OTHER_WORDS if key and "_" in key)  # others are words of the language
    assert {"sample_id", "current_observation_frame", "action_start_frame", "source_dataset"} <= set(own)
    names = re.compile(rf"\b({'|'.join(own)})\b")
    told = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for room in ROOMS
        for path in modules(room)
        if path.parent != ROOT / "annotation_schemas" / "formats"
        for found in names.finditer(path.read_text(encoding="utf-8"))
        if (path.name, found[0]) not in OF_HARNESSES
    ]
    assert not told, "\n".join(told)


@needs("readers", "ratings")
@needs("formats", "inspect_log")
@needs("formats", "label_studio")
def test_a_project_is_offered_what_its_schema_names_first_and_then_what_fits() -> None:
    def names(schema: str, *, writes: bool, used: Sequence[str] = ()) -> list[str]:
        return [row.name for row in offered(load_schema(shipped()[schema]).schema_, writes=writes, used=used)]

    said = ["models", "labels"]
    ratings = ["ratings", "ratings_parquet"]
    assert names("egothink", writes=True) == ["egothink", "predictions", *ratings, *said, "label_studio"]
    assert names("egothink", writes=True, used=["labels"])[:2] == ["labels", "egothink"], (
        "a file of the project came so"
    )
    assert names("egoplan", writes=True)[:4] == ["egoplan", "predictions", "egoplan_submission", "ratings"]
    logs = ["lmms_eval_samples", "inspect_log", "answer_map"]
    read = ["predictions", *logs, "judgements", "tool_results", "ratings", *said, "label_studio"]
    assert names("egoplan", writes=False)[:6] == ["egoplan", "predictions", *logs, "egoplan_submission"]
    assert names("pca_bench", writes=False) == ["pca_bench", *read]
    assert names("etp_bench", writes=False) == ["etp_bench", *read]


@pytest.mark.slow
def test_a_new_row_is_in_exports_schemas_and_reference(
    sqlite_store_for_module: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = sqlite_store_for_module
    plant_format(tmp_path, monkeypatch)
    factories.make_project(store)
    factories.make_items(store, 3)
    assert offered(load_schema(shipped()["egothink"]).schema_, writes=True)[-1].name == "answer_key"
    row = registry.find("format", "answer_key")
    assert row is not None
    assert row.available
    assert '"answer_key"' in json_schema_text()
    assert (
        "| `answer_key` | an item |  | yes |  | the key of every item, CSV with `item,answer` |" in reference.written()
    )

    everything = exported(store, by=None, project="p", format="answer_key")
    assert everything.items == 3
    head, *lines = everything.files["key.csv"].decode().splitlines()
    assert (head, len(lines)) == ("item,answer", 3)

    ann, bob = factories.make_people(store, "ann", "bob")
    for choice in ("red", "blue", "blue"):  # ann agrees with the key of every item, bob with that of one
        factories.vote(store, ann)
        factories.vote(store, bob, choice)
    made = exported(store, by=None, project="p", format="answer_key", only=kept_ids(store), file_name="sheet.csv")
    first, kept = made.files["sheet.csv"].decode().splitlines()
    assert first == head
    assert kept in lines
    told = json.loads(made.files["manifest.json"])
    where = [(each["id"], each["file"], each["position"]) for each in told["items"]]
    assert where == [(kept.partition(",")[0], "sheet.csv", 0)]
    media = MediaStore(tmp_path / "media")
    with pytest.raises(InvalidFileError, match="can export answer_key, but cannot import this format"):
        import_files(store, media, by=None, project="p", format="answer_key", path=tmp_path)


def test_a_new_row_that_releases_is_in_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_format(tmp_path, monkeypatch, RELEASE_FORMAT)
    schema = load_schema(shipped()["egothink"]).schema_
    named = schema.model_copy(update={"export": schema.export.model_copy(update={"formats": ("picture_list",)})})
    assert usual_formats(named) == ("picture_list",)
    assert "single picture" in str(FORMATS["picture_list"].carries(load_schema(shipped()["egoplan"]).schema_))
    folder = Folder(tmp_path / "release")
    one, two = (asset(folder, "image", each) for each in "ab")
    items = [ReleasedItem("1", "activity", "test", {}, [one]), ReleasedItem("2", "activity", "test", {}, [two])]
    files = write("picture_list", made(folder, schema, items), folder)
    assert files == {"pictures.tsv": f"{one.sha256}\t1\n{two.sha256}\t2\n".encode()}
    both = made(folder, schema, [items[0], ReleasedItem("2", "activity", "test", {}, [one, two])])
    with pytest.raises(InvalidFileError, match="'2': it has 2 pictures"):
        write("picture_list", both, Folder(tmp_path / "other"))


@needs("formats", "inspect_log")
def test_a_new_row_that_reads_is_imported(
    sqlite_store_for_module: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, media = sqlite_store_for_module, MediaStore(tmp_path / "media")
    plant_format(tmp_path, monkeypatch, IMPORT_FORMAT)
    factories.make_project(store, name="sheet")
    factories.make_items(store, 2, project="sheet")
    with store.read() as session:
        project_id = access_to(session, person=None, project="sheet").project_id
        names = [name for _, name, _ in files.item_ids(session, project_id=project_id)]
    sheet = tmp_path / "gpt.tsv"
    sheet.write_text(f"{names[0]}\tred\nno answer\n{names[1]}\tblue\n", encoding="utf-8")
    read = [row.name for row in offered(load_schema(shipped()["egothink"]).schema_, writes=False)]
    assert read[1:6] == ["predictions", "lmms_eval_samples", "inspect_log", "answer_map", "answer_sheet"]
    with pytest.raises(InvalidFileError, match="row 2: it has no tab"):
        import_files(store, media, by=None, project="sheet", format="answer_sheet", path=sheet)
    done = import_files(store, media, by=None, project="sheet", format="answer_sheet", path=sheet, skip_bad=True)
    assert (done.predictions, [bad.row for bad in done.bad]) == (2, [2])
    with store.read() as session:
        found = [(row.model, row.text) for row in files.predictions(session, project_id=project_id)]
    assert found == [("gpt", "red"), ("gpt", "blue")]


@needs("formats", "inspect_log")
@needs("formats", "label_studio")
@pytest.mark.slow
def test_new_rows_are_in_the_help_of_the_commands_and_of_their_options(tmp_path: Path) -> None:
    folder = planted(tmp_path, EXPORT_FORMAT)
    planted(tmp_path, IMPORT_FORMAT)

    def told(*command: str) -> str:
        start = f"from annotation_schemas import formats; formats.__path__.append({str(folder)!r})"
        done = subprocess.run(
            [sys.executable, "-c", f"{start}; from app.cli import main; main()", *command, "--help"],
            cwd=ROOT,
            env={**os.environ, "COLUMNS": "400"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return " ".join(done.stdout.split())

    assert "egoplan_submission, ratings, ratings_parquet, models, labels, label_studio or answer_key." in told(
        "item", "export"
    )
    assert "answer_map, answer_sheet, egoplan_submission or label_studio: set the name of the model" in told(
        "item", "import"
    )


@needs("readers", "ratings")
@needs("formats", "inspect_log")
@needs("formats", "label_studio")
def test_rows_are_named_in_their_order() -> None:
    assert named(writing(Takes.ANSWERS)) == "predictions or egoplan_submission"
    answers = "predictions, lmms_eval_samples, inspect_log, answer_map, egoplan_submission"
    assert named(reading(Takes.ANSWERS, Takes.RATINGS, Takes.TASKS)) == f"{answers}, ratings or label_studio"
    assert named(reading(Takes.REPLIES)) == "judgements"
    assert named([]) == "no format"
