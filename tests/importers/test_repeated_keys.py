"""A JSON object with the same key twice says two things. Every reader refuses it, with the row or line and the key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.formats import FORMATS
from annotation_schemas.loader import load_schema
from domain import json_text
from domain.errors import InvalidFileError
from domain.json_text import NotJson
from importers.items import read_items
from importers.readers import reader_of
from testkit.missing_extensions import needs

SCHEMA = load_schema(shipped()["egothink"]).schema_
WHY = "the key '{}' appears twice in one object"


def file(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("array", [True, False])
def test_an_item_whose_key_stands_twice_is_a_bad_row(tmp_path: Path, array: bool) -> None:
    rows = ['{"question": "Q", "answer": "x"}', '{"question": "Q2", "answer": "x", "answer": "y"}']
    text = f"[{', '.join(rows)}]" if array else "\n".join(rows)
    read = read_items(
        file(tmp_path, "a.json" if array else "a.jsonl", text), format="jsonl", schema=SCHEMA, dimension="activity"
    )
    (bad,) = [each for each in read.bad if "twice" in each.reason]
    where = "line 1, column 70" if array else "line 2, column 35"  # 34 signs before it in its record
    assert (bad.row, bad.reason) == (2, f"{WHY.format('answer')} ({where}); remove one of the two keys")


INSPECT = '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{"id": "a", "id": "b"}]}'
SAMPLES = '{"doc_id": 0, "doc": {"item": "a", "item": "b"}, "resps": [["A"]]}'


@pytest.mark.parametrize(
    ("name", "text", "key", "row"),
    [
        ("p.jsonl", '{"item": "a", "model": "m", "text": "A", "text": "B"}', "text", 1),
        ("p.jsonl", '{"item": "a", "model": "m", "text": "A"}\n{"item": "a", "item": "b", "text": "B"}', "item", 2),
        ("p.jsonl", '{"item": "a", "model": "m", "text": "A", "more": {"k": 1, "k": 2}}', "k", 1),
        ("s.jsonl", SAMPLES, "item", 1),
        ("s.json", '[{"sample_id": 1, "label": "A", "label": "B"}]', "label", 1),
    ],
)
def test_an_answer_whose_key_stands_twice_is_a_bad_row(
    tmp_path: Path, name: str, text: str, key: str, row: int
) -> None:
    read = reader_of(FORMATS["predictions"])(file(tmp_path, name, text), schema=SCHEMA, model="m")
    (bad,) = [each for each in read.bad if "twice" in each.reason]
    assert bad.row == row
    assert bad.reason.startswith(WHY.format(key))


@needs("readers", "predictions")
def test_a_log_that_is_one_object_is_refused_with_the_line(tmp_path: Path) -> None:
    path = file(tmp_path, "l.json", *INSPECT.replace(', "id": "b"', ',\n "id": "b"').splitlines())
    with pytest.raises(
        InvalidFileError,
        match=r"the key 'id' appears twice in one object; remove one of the two keys \(line 2, column 2\)",
    ):
        reader_of(FORMATS["predictions"])(path, schema=SCHEMA, model="m")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ('{"a": 1, "\\u0061": 2}', 9),
        ('[{"a": "\\"a\\": 1, {"}, {"a": {"a": [{"a": 1}]}, "b": 0, "b": 1}]', 56),
        ('{"a": 1, "b": {"a": 1}, "A": 1}', None),
        ('{"a": ["a", "a"], "b": "a"}', None),
    ],
)
def test_the_second_place_of_a_key_is_found(text: str, at: int | None) -> None:
    found = json_text.repeated_key(text)
    assert (found[1] if found else None) == at
    if at is None:
        assert json_text.loaded(text) == json.loads(text)
    else:
        with pytest.raises(NotJson) as told:
            json_text.loaded(text)
        assert told.value.at == at
