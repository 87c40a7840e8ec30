"""Annotation files are read record by record; what does not fit is named by row."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats.columns import dimension_of_folder
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import Schema
from domain.errors import InvalidFileError
from domain.records import AssetName
from exporters.items import item_files
from importers.items import lines_of, read_items
from testkit.samples import egoplan_record, egothink_record, pca_record, write
from tests.paths import shared


def schema(name: str) -> Schema:
    return load_schema(shipped()[name]).schema_


def test_an_egothink_folder_has_a_dimension_per_folder(tmp_path: Path) -> None:
    write(tmp_path / "Object/attribute/annotations.json", [egothink_record(n) for n in range(4)])
    write(tmp_path / "Forecast/annotations.json", [egothink_record(9, image_id="2_71")])
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden/annotations.json").write_text("broken")
    read = read_items(tmp_path, format="egothink", schema=schema("egothink"))
    assert [(file.path, [item.external_id for item in file.items]) for file in read.files] == [
        ("Forecast/annotations.json", ["Forecast/0"]),
        ("Object/attribute/annotations.json", [f"Object/attribute/{n}" for n in range(4)]),
    ]
    forecast, attribute = read.files[0].items[0], read.files[1].items[3]
    assert (forecast.dimension, attribute.dimension) == ("forecasting", "attribute")
    assert attribute.fields == {"question": "What is 3?", "answer": "It is 3.", "source_dataset": "made_up"}
    assert attribute.assets == [AssetName("image", "3.jpg")]
    assert forecast.fields["image_id"] == "2_71"
    assert not read.single


def test_a_single_file_takes_its_dimension_from_its_folder_or_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "Localization/location/annotations.json", [egothink_record(0)])
    read = read_items(path, format="egothink", schema=schema("egothink"))
    assert (read.single, read.files[0].path) == (True, "annotations.json")
    assert [(item.external_id, item.dimension) for item in read.files[0].items] == [("0", "location")]
    lonely = write(tmp_path / "elsewhere/mine.json", [egothink_record(0)])
    with pytest.raises(InvalidFileError, match="is not a dimension"):
        read_items(lonely, format="egothink", schema=schema("egothink"))
    named = read_items(lonely, format="egothink", schema=schema("egothink"), dimension="Counting")
    assert named.files[0].items[0].dimension == "counting"
    with pytest.raises(InvalidFileError, match="no dimension 'colour'"):
        read_items(lonely, format="egothink", schema=schema("egothink"), dimension="colour")


def test_of_several_folders_that_fit_the_longest_one_names_the_dimension() -> None:
    ego = schema("egothink")
    folders = ("objects", "Rooms/objects")
    parts = tuple(
        part.model_copy(update={"folder": folder}) for part, folder in zip(ego.dimensions, folders, strict=False)
    )
    two = ego.model_copy(update={"dimensions": parts})
    assert dimension_of_folder(two, ["data", "Rooms", "objects"]) == parts[1]
    assert dimension_of_folder(two, ["data", "objects"]) == parts[0]


def test_egoplan_has_its_own_ids_and_letters(tmp_path: Path) -> None:
    records = [egoplan_record(7), egoplan_record(3, test=True), egoplan_record(4, current_observation_frame=61.0)]
    read = read_items(write(tmp_path / "val.json", records, indent=None), format="egoplan", schema=schema("egoplan"))
    first, second, third = read.files[0].items
    assert [item.external_id for item in read.files[0].items] == ["7", "3", "4"]
    assert first.fields["options"] == ["take plate", "take cup", "fold napkin", "close drawer"]
    assert first.fields["answer"] == "take cup"
    assert first.fields["task_progress_metadata"] == records[0]["task_progress_metadata"]
    assert "answer" not in second.fields
    assert third.fields["current_observation_frame"] == 61
    assert first.assets == [AssetName("progress", "", "V07"), AssetName("observation", "", "V07")]


def test_pca_bench_names_its_domain_in_every_record(tmp_path: Path) -> None:
    records = [pca_record(0), pca_record(1, domain="autonomous driving", answer_index=2.0, index=17)]
    read = read_items(write(tmp_path / "all.json", records), format="pca_bench", schema=schema("pca_bench"))
    first, second = read.files[0].items
    assert (first.external_id, first.dimension, first.fields["answer"]) == ("0", "domestic_robot", "Pick up the cup.")
    assert (second.external_id, second.dimension, second.fields["answer"]) == (
        "17",
        "autonomous_driving",
        "Go to the shelf.",
    )
    assert first.fields["key_concepts"] == ["cup"]


def test_other_releases_of_the_same_benchmarks_fit_too(tmp_path: Path) -> None:
    planning = egoplan_record(0, sample_id="ca6e9ec9_2", domain="Hobbies", scenario="baking", task_start_frame=0)
    del planning["video_id"], planning["video_source"]
    item = (
        read_items(write(tmp_path / "b2.json", [planning]), format="egoplan", schema=schema("egoplan"))
        .files[0]
        .items[0]
    )
    assert (item.external_id, item.fields["sample_id"]) == ("ca6e9ec9_2", "ca6e9ec9_2")
    games = [
        pca_record(0, domain="Minecraft"),
        pca_record(1, domain="Open-World Game", index=1, image="minecraft_1.png", api_cached_result={"ocr": "None"}),
    ]
    read = read_items(write(tmp_path / "game.json", games), format="pca_bench", schema=schema("pca_bench"))
    assert [item.dimension for item in read.files[0].items] == ["open_world_game"] * 2
    assert [list(item.assets) for item in read.files[0].items] == [
        [AssetName("image", "")],
        [AssetName("image", "minecraft_1.png")],
    ]


def test_files_that_share_positions_are_told_apart_by_name(tmp_path: Path) -> None:
    for name in ("Domestic", "Driving"):
        write(tmp_path / f"{name}.json", [pca_record(0), pca_record(1)])
    read = read_items(tmp_path, format="pca_bench", schema=schema("pca_bench"))
    assert [item.external_id for file in read.files for item in file.items] == [
        "Domestic/0",
        "Domestic/1",
        "Driving/0",
        "Driving/1",
    ]


BAD_ROWS: list[tuple[str, Any, str]] = [
    ("egothink", {"question": "Where?", "answer": "Here."}, "image_path is missing"),
    ("egothink", egothink_record(1, question=None), "question is missing"),
    ("egothink", egothink_record(1, question=5), "question is not text"),
    ("egothink", egothink_record(1, image_path=[1]), "image_path must be a list of paths"),
    ("egothink", [1, 2], "the record is not a JSON object"),
    ("egothink", "text", "the record is not a JSON object"),
    ("egoplan", {"sample_id": 1, "label": "A"}, "task_goal is missing"),
    ("egoplan", egoplan_record(1, golden_choice_idx="E"), "golden_choice_idx must be one of A, B, C, D, not 'E'"),
    ("egoplan", egoplan_record(1, golden_choice_idx=1), "golden_choice_idx must be one of A, B, C, D, not 1"),
    ("egoplan", egoplan_record(1, golden_choice_idx=None, answer="sing"), "answer is not one of the options"),
    (
        "egoplan",
        egoplan_record(1, answer="take plate"),
        "answer is 'take plate', but golden_choice_idx 'B' is 'take cup'",
    ),
    ("egoplan", egoplan_record(0), "sample_id 0 is also in row 1"),
    ("egoplan", egoplan_record(1, sample_id=True), "sample_id must be a whole number or text"),
    ("egoplan", egoplan_record(1, sample_id=1.5), "sample_id must be a whole number or text"),
    ("egoplan", egoplan_record(1, choice_c=None), "the record has choice_d, but choice_c is missing"),
    ("egoplan", egoplan_record(1, video_id=3), "video_id is not text"),
    ("egoplan", egoplan_record(1, current_observation_frame=1.5), "current_observation_frame is not a whole number"),
    ("pca_bench", pca_record(1, answer_index=3), "answer_index must be a number from 0 to 2, not 3"),
    ("pca_bench", pca_record(1, actions="go"), "actions is not a list"),
    ("pca_bench", pca_record(1, actions=["go", 3]), "actions has an entry that is not text"),
    ("pca_bench", pca_record(1, domain="Space"), "domain is 'Space'; use one of"),
]
GOOD = {"egothink": egothink_record(0), "egoplan": egoplan_record(0), "pca_bench": pca_record(0)}


@pytest.mark.parametrize(("format", "record", "reason"), BAD_ROWS)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, format: str, record: Any, reason: str) -> None:
    path = write(tmp_path / "Activity" / "file.json", [GOOD[format], record])
    read = read_items(path, format=format, schema=schema(format))
    assert [item.external_id for file in read.files for item in file.items] == ["0"]
    assert [(bad.path, bad.row) for bad in read.bad] == [("file.json", 2)]
    assert reason in next(lines_of(read.bad))
    assert json.loads(read.bad[0].raw) == record


REFUSED: list[tuple[bytes, str]] = [
    (json.dumps([egothink_record(0)]).encode("utf-16"), "UTF-16"),
    (b"", "empty"),
    (b'{"a": {\n}}', "not a JSON array"),
    (b"id,question\n1,What?\n", "not a JSON array"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "not a JSON array"),
]


@pytest.mark.parametrize(("data", "reason"), REFUSED)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "Activity" / "annotations.json"
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(InvalidFileError, match=rf"annotations\.json, row 1: .*{reason}.*Nothing was imported"):
        read_items(path, format="egothink", schema=schema("egothink"))


def test_a_row_that_is_not_utf_8_can_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "Activity" / "annotations.json"
    path.parent.mkdir()
    good = json.dumps(egothink_record(0)).encode()
    path.write_bytes(b"[" + good + b', {"question": "caf\xe9"}]')
    read = read_items(path, format="egothink", schema=schema("egothink"))
    assert [(bad.row, bad.reason, bad.raw) for bad in read.bad] == [
        (2, "the record is not UTF-8; save the file as UTF-8", '{"question": "caf\\xe9"}')
    ]


def test_a_truncated_file_keeps_its_good_rows_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "Activity" / "annotations.json", [egothink_record(n) for n in range(3)])
    path.write_bytes(path.read_bytes()[:-40])
    read = read_items(path, format="egothink", schema=schema("egothink"))
    assert len(read.files[0].items) == 2
    assert [bad.row for bad in read.bad] == [3]
    assert "Touchstone cannot read the text after this position" in read.bad[0].reason


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="no file or folder"):
        read_items(tmp_path / "nothing.json", format="egoplan", schema=schema("egoplan"))
    with pytest.raises(InvalidFileError, match=r"has no \.json"):
        read_items(tmp_path, format="egoplan", schema=schema("egoplan"))


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    path = write(tmp_path / "val.json", [egoplan_record(n) for n in range(5)])
    calls: list[tuple[int, int]] = []
    read_items(
        path, format="egoplan", schema=schema("egoplan"), progress=lambda done, total: calls.append((done, total))
    )
    assert calls == sorted(calls)
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)


def test_everything_wrong_with_a_row_is_said_at_once(tmp_path: Path) -> None:
    back = [{"start_frame": 9, "stop_frame": 20}, {"start_frame": 30, "stop_frame": 21}]
    rows = [
        egoplan_record(0, task_progress_metadata=back, golden_choice_idx="Z", sample_id="seven", video_id=5),
        egoplan_record(1, task_progress_metadata=[*back, {"start_frame": -4, "stop_frame": 3}]),
    ]
    read = read_items(write(tmp_path / "val.json", rows), format="egoplan", schema=schema("egoplan"))
    first, second = lines_of(read.bad)
    assert "golden_choice_idx must be one of A, B, C, D, not 'Z'" in first
    assert "video_id is not text" in first
    assert "segment 2 ends at 21, before its start at 30" in second
    assert "start_frame and stop_frame of segment 3 must be numbers of 0 or more" in second


def test_an_item_has_at_least_the_media_that_its_schema_asks_for(tmp_path: Path) -> None:
    rows = [egothink_record(0), egothink_record(1, image_path=[]), egothink_record(2, image_path=["a.jpg", "b.jpg"])]
    path = write(tmp_path / "Activity/annotations.json", rows)
    read = read_items(path, format="egothink", schema=schema("egothink"))
    assert [item.external_id for item in read.files[0].items] == ["0"]
    few, many = lines_of(read.bad)
    assert few.endswith("row 2: the item has no image, but at least 1 is needed.")
    assert many.endswith("row 3: the item has 2 files for image, but at most 1 is allowed.")


def test_clips_and_images_of_one_list_take_their_own_places(tmp_path: Path) -> None:
    rows = [egothink_record(0, image_path=["a.jpg", "b.webm", "c.png"])]
    read = read_items(write(tmp_path / "pointing/annotations.json", rows), format="egothink", schema=schema("tour"))
    assert [(asset.role, asset.path) for asset in read.files[0].items[0].assets] == [
        ("image", "a.jpg"),
        ("clip", "b.webm"),
        ("image", "c.png"),
    ]


@pytest.mark.thorough
def test_the_real_questions_without_progress_wait_for_no_clip() -> None:
    # the authors' validation set: 499 of its 3,355 questions have an empty `task_progress_metadata`
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    read = read_items(path, format="egoplan", schema=schema("egoplan"))
    assert read.bad == []
    roles = Counter(tuple(asset.role for asset in item.assets) for item in read.files[0].items)
    assert roles == {("progress", "observation"): 3355 - 499, ("observation",): 499}


def test_a_schema_says_other_names_for_keys_also_for_those_without_which_nothing_fits(tmp_path: Path) -> None:
    text = shipped()["egothink"].read_text(encoding="utf-8").replace("guideline: guidelines/egothink.md\n", "")
    source = "source:\n  format: egothink\n  id: number\n  fields: {question: query, image: photo}\n"
    begin, end = text.index("source:\n"), text.index("dimensions:")
    loaded = load_text(text[:begin] + source + text[end:], "", "egothink")
    rows = [{"number": 7, "photo": ["a.jpg"], "query": "What?", "answer": "A cup."}, {"number": 8, "question": "What?"}]
    read = read_items(write(tmp_path / "Activity/annotations.json", rows), format="egothink", schema=loaded.schema_)
    (item,) = read.files[0].items
    assert (item.external_id, item.fields) == ("7", {"question": "What?", "answer": "A cup."})
    assert item.assets == [AssetName("image", "a.jpg")]
    (bad,) = lines_of(read.bad)
    assert bad.endswith("row 2: photo is missing; query is missing; answer is missing.")
    written = item_files(read.files, format="egothink", schema=loaded.schema_)
    mended = dataclasses.replace(item, fields={**item.fields, "question": "Which?"}, touched=True)
    again = item_files([dataclasses.replace(read.files[0], items=[mended])], format="egothink", schema=loaded.schema_)
    assert [json.loads(text)[0]["query"] for text in (*written.values(), *again.values())] == ["What?", "Which?"]
